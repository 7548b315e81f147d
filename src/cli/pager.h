/* SPDX-License-Identifier: MIT */
/*
 * Long output of a command on a terminal goes through a pager. It is held until
 * the command has ended: what fits the screen is written as it is, and so is
 * what a command printed that failed.
 */
#ifndef CLI_PAGER_H
#define CLI_PAGER_H

#include "cli/app.h"

struct parsed;
struct pager { /* zeroed: nothing is held */
	struct app *app;
	FILE *held, *was;
	char *text;
	size_t len;
	struct buf later; /* what stderr was told behind it */
};

/* Hold what p prints, if it is one of the commands whose output ends (CMD_PAGED),
   or help. PAGER "" or "cat", TERM=dumb, a pipe, -o json: not held. */
void pager_begin(struct pager *p, struct app *app, const struct parsed *parsed);

/* Write or show what was held. good: the command ended well. */
void pager_end(struct pager *p, bool good);

#endif
