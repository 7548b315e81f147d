/* SPDX-License-Identifier: MIT */
/*
 * -F: a command that only waits stays when its peer goes, and goes on when it is
 * back.
 */
#ifndef CLI_STAY_H
#define CLI_STAY_H

#include "cli/connection.h"

struct stay { /* lent */
	struct connection *connection;
	bool follow; /* the user wants it */
	const bool *stop; /* there is nothing to wait for any more */
	/* Connect, and set up again what was. */
	int (*again)(void *owner, struct error *err);
	void *owner;
};

/*
 * err says what ended it. 0: the peer is back. 1: the time is over before. -1:
 * that is no reason to stay, or it never will be back, or Ctrl-C.
 */
int stay_until_back(const struct stay *s, int64_t deadline, struct error *err);

#endif
