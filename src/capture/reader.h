/* SPDX-License-Identifier: MIT */
/*
 * A capture being read, one event after the other, in bounded memory: captures,
 * traces of before (no header), .gz and .zst. A file that ends within a line is
 * read up to there.
 */
#ifndef CAPTURE_READER_H
#define CAPTURE_READER_H

#include "base/error.h"
#include "capture/event.h"

struct capture_reader;

/* What a line may have; a longer one becomes CAPTURED_LOST with count 1. */
#define CAPTURE_LINE_MAX (8u << 20)

struct capture_head {
	int version; /* 0: a trace of before */
	const char *as, *upstream, *made; /* NULL: not told */
	int64_t made_ms; /* since 1970; 0: not told */
	bool masked;
};

/* NULL: err says what it is instead (ERR_USAGE). "-" is stdin. */
struct capture_reader *capture_open(const char *path, struct error *err);
/* Lent while it is open. */
const struct capture_head *capture_head(const struct capture_reader *r);
/* 1: *e is the next one; 0: that was all; -1: err (line, what was expected). */
int capture_next(struct capture_reader *r, struct capture_event *e,
		 struct error *err);
/* It ended within a line. */
bool capture_cut(const struct capture_reader *r);
/* The first line above CAPTURE_LINE_MAX; 0: none. */
uint64_t capture_long(const struct capture_reader *r);
/* How many messages stand in it with their beginning alone (capture_event.cut). */
size_t capture_beginnings(const struct capture_reader *r);
void capture_reader_free(struct capture_reader *r);

#endif
