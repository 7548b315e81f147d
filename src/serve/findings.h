/* SPDX-License-Identifier: MIT */
/*
 * What is wrong in what passes between serve and a board: each frame goes into
 * the engine (diag/diag.h), each finding into the log, once a code, and to the
 * commands that are attached. A board's findings stay when it goes, so that its
 * next connection counts on.
 */
#ifndef SERVE_FINDINGS_H
#define SERVE_FINDINGS_H

#include "base/buf.h"
#include "diag/diag.h"
#include "net/transport.h"

struct board;

/* Of boards that went; zeroed at first. */
struct findings_kept {
	struct kept_findings *item;
	size_t count;
};
void findings_kept_done(struct findings_kept *k);

/* Its connection begins: with what is known of it. */
void findings_begin(struct board *d);
/* … is over: what never came is found, what was counted since is told. */
void findings_end(struct board *d);
void findings_free(struct board *d);

/* One, as attached commands are told. */
struct board_finding {
	const struct finding *finding;
	const char *detail; /* of this time */
	struct span message; /* text NULL: none for everybody */
	/* Who asked (struct relay: whose) gets own, with the id that they gave. */
	const void *whose;
	struct span own;
};

#endif
