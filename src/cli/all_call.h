/* SPDX-License-Identifier: MIT */
/*
 * `call` and `tools` with --all: what is more than one request to all.
 */
#ifndef CLI_ALL_CALL_H
#define CLI_ALL_CALL_H

#include "cli/app.h"

struct all_call {
	const char *name; /* the tool */
	char *const *word; /* its arguments */
	size_t count;
	bool no_validate;
	const cJSON *expected; /* --expect; NULL */
	/* what is better known of a failed call, as a hint */
	void (*explain)(struct error *err);
};

/*
 * The arguments are built and checked once for each list of tools that the
 * devices have; where they do not fit, the rows of those devices say why and
 * nothing is sent to them.
 */
int all_call_run(struct app *app, const struct all_call *call,
		 struct error *err);

/* All pages from each device. filter: WORD or GLOB, NULL: all tools. */
int all_tools_run(struct app *app, const char *filter, bool no_user,
		  struct error *err);

#endif
