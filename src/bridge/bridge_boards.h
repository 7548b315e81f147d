/* SPDX-License-Identifier: MIT */
/*
 * Boards of a running serve as peers of the bridge, and those that were there
 * before (boards_file.h). One connection to serve tells which there are, one
 * fetches lists of tools, which serve has without asking a board, and a few take
 * calls, each one at a time. A serve that ends is looked for again; what it held
 * sleeps meanwhile. So many are known at once (BOARDS_FILE_MOST) and no more.
 */
#ifndef BRIDGE_BRIDGE_BOARDS_H
#define BRIDGE_BRIDGE_BOARDS_H

#include "base/loop.h"
#include "base/split.h"
#include "bridge/bridge_peer.h"

struct bridge_boards;

struct boards_config { /* lent as long as the boards are open */
	struct loop *loop;
	const char *socket; /* its path */
	const struct words *patterns; /* which boards (-d); none: all */
	bool keep; /* read and write the file of boards that were there */
	int64_t interval; /* bridge_peer.interval */
	bool *changed, *woken;
	/* A new one; it stays until `went`, and boards_close. */
	void (*came)(void *owner, struct bridge_peer *p);
	/*
	 * Serve has it no more, and it was not seen for long, or never: it is freed
	 * then. On the main line. NULL: all of them stay.
	 */
	void (*went)(void *owner, struct bridge_peer *p);
	/* One line for the user: serve went, came back. */
	void (*told)(void *owner, const char *text);
	void *owner;
};

/* Begins at once; whether a serve is there, it finds out by and by. */
struct bridge_boards *bridge_boards_open(const struct boards_config *config);
void bridge_boards_close(struct bridge_boards *b);

/* Main line. Returns the loop_now() ms at which to come again at the latest. */
int64_t bridge_boards_tend(struct bridge_boards *b);

/* Ask serve for all boards anew; false: it is not there. */
bool bridge_boards_refresh(struct bridge_boards *b);

/* Whether serve told of all its boards, and all their lists are known. */
bool bridge_boards_settled(const struct bridge_boards *b);
/* Why serve is not there; NULL: it is, or nobody has looked yet. Lent. */
const struct error *bridge_boards_missing(const struct bridge_boards *b);

#endif
