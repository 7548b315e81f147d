/* SPDX-License-Identifier: MIT */
/*
 * Battery and memory of the boards that browsers are shown: asked for by their
 * status tools (mcp/board_status.h), as `top` does: every 10 s, of boards that
 * list them, are asked nothing else at that moment, and are nobody's by a lease.
 */
#ifndef SERVE_PAGES_STATUS_H
#define SERVE_PAGES_STATUS_H

#include "base/split.h"
#include "mcp/board_status.h"
#include "serve/pages_rows.h"

struct board;
struct pages_question;

struct pages_status { /* zeroed at first */
	struct words ids; /* of this round */
	size_t next; /* of ids */
	int tool; /* which is asked for now */
	uint64_t round;
	int64_t due; /* loop_now() ms: the next round */
	struct pages_question *first;
	size_t count; /* on their way */
};
/* A round is to begin: pages_status_add says of which boards. */
bool pages_status_begin(struct pages_status *s);
void pages_status_add(struct pages_status *s, const struct registry *r,
		      const struct pages_found *f);
/* Ask what is due; to be called twice a second. */
void pages_status_step(struct pages_status *s, const struct registry *r);
/* What is on its way is forgotten. */
void pages_status_done(struct pages_status *s);

/* Of one board; owned by it, in one piece. */
struct pages_health {
	struct board_status status;
	uint64_t round;
	int64_t told; /* loop_now() ms; 0: never */
};
/* NULL: nothing is known, or it is too old to be shown. */
const struct board_status *pages_status_of(const struct board *d);

#endif
