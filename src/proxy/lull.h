/* SPDX-License-Identifier: MIT */
/*
 * Connections of HTTP that wait for a request of their peer, or for the rest of
 * one; WebSockets that wait for a hello: where all places are taken, or all that
 * may be passed on are, the one that was silent for longest makes room. A body that comes in drops counts as silent after a while, so nobody
 * holds a place by that.
 */
#ifndef PROXY_LULL_H
#define PROXY_LULL_H

#include "base/base.h"

struct proxy;
struct share;

struct lull { /* zeroed, but for proxy, share, end and owner: set them */
	struct proxy *proxy;
	/* It goes: its place is free when this returns, and lull_over was called. */
	void (*end)(void *owner);
	void *owner;
	const struct share *share; /* of its connection; lent */
	struct lull *next, *previous; /* by when they said something last */
	int64_t begun, heard; /* ms of the loop */
	bool waits;
};

/* It waits for its peer; again: the peer said something. */
void lull_waits(struct lull *l);
/* It waits no more, or is gone. Of one that does not wait, too. */
void lull_over(struct lull *l);
/* One of them ends. False: none was silent for long enough. */
bool lull_make_room(struct proxy *p);
/* The same of those that were passed on (share_pass_on). */
bool lull_end_passed(struct proxy *p);

#endif
