/* SPDX-License-Identifier: MIT */
/* One command to all of them: a request, a call, the lists. */
#ifndef CLI_ALL_ASK_H
#define CLI_ALL_ASK_H

#include "cli/all.h"

/* A judge for what is not answered. */
bool all_sent(void *owner, struct all_row *row);

/* The whole of it, for one request. */
int all_run(struct app *app, const struct all_request *rq,
	    bool (*judge)(void *owner, struct all_row *row), void *owner,
	    struct error *err);

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
