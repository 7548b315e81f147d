/* SPDX-License-Identifier: MIT */
/*
 * How long many calls took: all of them counted, their times kept in bounded
 * memory (of very many, each second one, each fourth, …).
 */
#ifndef CLI_CALL_TIMES_H
#define CLI_CALL_TIMES_H

#include "base/error.h"
#include "out/watched.h"

struct call_times {
	int64_t *us; /* owned */
	size_t count, capacity;
	uint64_t made, failed, answered, step, late;
	int64_t longest;
	int64_t begun_us; /* loop_now_us() of the first */
	struct error worst; /* the first failure with the highest status */
};

/* Zeroed at first. Before the first call. */
void call_times_begin(struct call_times *t);
/* why->kind is ERR_NONE: it went well. took_us counts only then. */
void call_times_add(struct call_times *t, int64_t took_us,
		    const struct error *why);
/* Shows them; main: they are the result. */
void call_times_tell(struct call_times *t, struct renderer *r, bool main);
/* -1: some failed, of the worst kind; or none was over in time. */
int call_times_outcome(const struct call_times *t, struct error *err);
void call_times_done(struct call_times *t);

#endif
