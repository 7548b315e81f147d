/* SPDX-License-Identifier: MIT */
/*
 * When tools that changed are listed again: at once, but not more than twice a
 * second, as some servers say at each list that it changed. Pure.
 */
#ifndef MCP_RELIST_H
#define MCP_RELIST_H

#include <stdbool.h>
#include <stdint.h>

#define RELIST_MS 1000 /* in which they are listed twice at most */

struct relist { /* starts zeroed */
	bool stale; /* they changed since the last list began; set by its owner */
	int64_t began[2]; /* loop_now() ms: the last two; 0: never */
};

/* A list begins, for whatever reason. */
void relist_begin(struct relist *r, int64_t now);
/* loop_now() ms from when on the next one may; LOOP_FOREVER: none is due. */
int64_t relist_at(const struct relist *r);

#endif
