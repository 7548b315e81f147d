/* SPDX-License-Identifier: MIT */
/*
 * Calls of one tool that overlap: so many at once, or so many a second. Each
 * is sent once; nothing is tried again.
 */
#ifndef CLI_LOAD_H
#define CLI_LOAD_H

#include "cli/call_times.h"
#include "cli/connection.h"

#define LOAD_AT_ONCE 256
#define LOAD_RATE_MOST 10000

struct load {
	const char *tool, *arguments; /* arguments: JSON text */
	int64_t at_once; /* 0: as `rate` says */
	int64_t rate; /* calls a second */
	int64_t deadline; /* loop_now() ms: then no more are begun */
	uint64_t most; /* calls in all; 0: no limit */
};

/* "20" is at once, "5/s" a rate. -1: ERR_USAGE. */
int load_read(struct load *l, const char *text, struct error *err);

/*
 * Until the deadline, or `most` are made, and those under way are answered. -1:
 * the connection ended, or ERR_INTERRUPTED; times has what was until then.
 */
int load_run(const struct load *l, struct connection *c,
	     struct call_times *times, struct error *err);

#endif
