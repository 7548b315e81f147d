/* SPDX-License-Identifier: MIT */
/*
 * A command of the user's for sh, as a child on our terminal: the pager, and
 * what the shell's '!' and '|' run. It has the terminal while it runs, shares
 * our process group, and ends by Ctrl-C where we do not.
 */
#ifndef CLI_OUTSIDE_H
#define CLI_OUTSIDE_H

#include "base/child.h"
#include "cli/app.h"

struct outside_order {
	const char *command; /* lent */
	char *const *argv; /* in place of it: a program and its words; NULL */
	const char *const *env; /* as in struct child_options */
	enum child_stream in;
	int in_fd; /* of CHILD_PIPE; lent */
	bool secrets; /* as in struct child_options */
};

struct outside {
	struct app *app;
	struct child *child;
	bool ended;
	bool *woken; /* set when it ended; NULL */
	int status; /* exit status, or 128 + signal */
	bool interrupted; /* a signal came to us meanwhile */
	int signal; /* another one than Ctrl-C's: it was ended; 0 */
};

/*
 * o stays where it is until outside_wait has returned. Opens the loop. -1: as
 * child_start.
 */
int outside_start(struct outside *o, struct app *app,
		  const struct outside_order *order, struct error *err);
/* Until it ended. Events wait: the terminal is the child's. */
void outside_wait(struct outside *o);
/* The same, and back too once *woken is true, which its end makes it. */
void outside_wait_for(struct outside *o, bool *woken);

#endif
