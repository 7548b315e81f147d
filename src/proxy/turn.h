/* SPDX-License-Identifier: MIT */
/*
 * Who is passed on to the upstream, and when. Of those that the upstream has not
 * taken for its own yet so many are passed on at a time (BUDGET_UPSTREAM), and
 * of one address a part of them. Others wait; of those one goes next whose
 * address has fewest there. Meanwhile who was passed on and is silent when it is
 * to speak (proxy/lull.h) makes room. Who is known (proxy/known.h), or shows a
 * secret of ours, does not wait, and is not counted.
 */
#ifndef PROXY_TURN_H
#define PROXY_TURN_H

#include "base/loop.h"
#include "net/budget.h"
#include "proxy/known.h"

struct proxy;

#define TURN_MS 10000 /* so long one waits */

struct turn { /* zeroed, but for proxy, share, from and the events: set them */
	struct proxy *proxy;
	struct share *share; /* lent; closed behind turn_over */
	const char *from; /* its host; lent */
	/* Its turn has come: it is passed on. Perhaps amid turn_take. */
	void (*go)(void *owner);
	/* It waited for too long: it is refused. */
	void (*late)(void *owner);
	/* It goes, for one that is known: its place is free when this returns. */
	void (*end)(void *owner);
	void *owner;
	/* The turn's own. */
	struct turn *next, *previous;
	struct known *known; /* it goes first by that name */
	int64_t since; /* loop_now() ms */
	enum { TURN_NONE, TURN_WAITS, TURN_UP } at;
};

struct turns { /* of a proxy */
	struct timer timer;
	struct turn *waiting, *waiting_last;
	struct turn *up, *up_last; /* passed on, counted */
	struct known_names known;
	bool open;
};

void turns_open(struct proxy *p);
/* Nobody goes any more; closed(p) follows. */
void turns_close(struct proxy *p, void (*closed)(void *p));
/* Behind the last turn. */
void turns_done(struct proxy *p);

/* It wants to be passed on, as who it says it is (NULL: nobody); shown: by a secret of ours. */
void turn_take(struct turn *t, const char *name, bool shown);
/* The upstream has answered: it counts no more. */
void turn_answered(struct turn *t);
/* The upstream has taken it for one of its own: that name is known from now on. */
void turn_proven(struct turn *t, const char *name);
/* It is gone, or goes; again is fine. */
void turn_over(struct turn *t);

/*
 * All places are taken, and somebody comes: one that is silent goes; for one
 * that is known any that is not. False: there is none.
 */
bool turn_make_room(struct proxy *p, bool known);

#endif
