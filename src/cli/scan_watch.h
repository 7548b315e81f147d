/* SPDX-License-Identifier: MIT */
/*
 * targets --scan --watch: who was told as there, and what each look changes of it.
 * Who is new is asked and told; who does not answer is asked again, ever more
 * seldom; gone is only who is known to be. Where the looks come from is cli/scan's.
 */
#ifndef CLI_SCAN_WATCH_H
#define CLI_SCAN_WATCH_H

#include "cli/scan_list.h"

struct scan_watch {
	struct scan_list there; /* what was told, and what may answer yet */
	const char *place; /* that is watched */
	bool goes_on; /* the first look is over */
	bool many; /* that not all are kept was said */
};

/* Asks those of a list that dial whether they are there. -1: only a signal. */
typedef int scan_ask(struct scan_list *s, struct error *err);

/* Of a terminal: what is waited for, and how many are there. */
void scan_watch_show(struct scan_watch *w);
/* Those of s with that change ("present", "came", …), in the columns of before. */
void scan_watch_tell(struct scan_watch *w, struct scan_list *s,
		     const char *change);
/* Takes what one look found, out of *now. -1: as ask. */
int scan_watch_take(struct scan_watch *w, struct scan_list *now, scan_ask *ask,
		    struct error *err);
/* When the next is to be asked again (loop_now()); LOOP_FOREVER. */
int64_t scan_watch_next(const struct scan_watch *w);

#endif
