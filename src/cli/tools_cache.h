/* SPDX-License-Identifier: MIT */
/*
 * The tools of the connected peer, asked once a connection and kept in the
 * app for `run`: call and describe need them before they can send. `tools`
 * always asks anew and leaves its answer here.
 */
#ifndef CLI_TOOLS_CACHE_H
#define CLI_TOOLS_CACHE_H

#include "cli/app.h"

/*
 * Ask now; a list that came whole is also written to a file (schema_cache.h).
 * -1: as client_list_tools; what came before the failure is kept in
 * app->tools, but the next tools_cache_find asks again.
 */
int tools_cache_refresh(struct app *app, struct error *err);

/* A whole list that was asked for otherwise (the shell); takes it. */
void tools_cache_take(struct app *app, const struct tool_list *list);

/*
 * The tool of that name, lent until the next refresh or drop. -1 (ERR_USAGE):
 * there is none; the nearest is proposed. When the listing broke on the way
 * but had the tool, a note says so and it is lent all the same.
 */
int tools_cache_find(struct app *app, const char *name, const struct tool **out,
		     struct error *err);

/* Forget it: app_disconnect and app_done call this. Twice is fine. */
void tools_cache_drop(struct app *app);

#endif
