/* SPDX-License-Identifier: MIT */
/*
 * A list of tools that the user saved: `mcpctl -o json tools >FILE` and what
 * else looks like one.
 */
#ifndef CLI_SAVED_LIST_H
#define CLI_SAVED_LIST_H

#include "cli/app.h"

/*
 * path, or stdin for "-", into out: a tool a line; or one JSON value, which is
 * an array of tools, an object with "tools" (a result), or with "result" (a
 * reply); of replies and results one a line, too (-o raw). -1 (ERR_USAGE):
 * not readable; which line, or which element, is none of these.
 */
int saved_list_read(struct tool_list *out, struct app *app, const char *path,
		    struct error *err);

#endif
