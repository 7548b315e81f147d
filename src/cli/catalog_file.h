/* SPDX-License-Identifier: MIT */
/*
 * Lists of tools that are kept in files, one a target, and those that a user
 * saved. Prompts and templates are seen as tools here: their arguments are
 * strings by name, so what checks, completes and keeps the arguments of tools
 * serves them too.
 */
#ifndef CLI_CATALOG_FILE_H
#define CLI_CATALOG_FILE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/connection.h"
#include "mcp/listing.h"

/* An inputSchema; item NULL: any names. A template's parts are its arguments;
   a resource has none. Yours. */
cJSON *item_schema(enum list_kind kind, const struct list_item *item);

/* {"name": its key, "description", "inputSchema"} as text, appended. */
void item_as_tool(struct buf *out, enum list_kind kind,
		  const struct list_item *item);

struct kept_list {
	struct tool_list tools; /* by name */
	char *from; /* of what: "listen:", "attach:ID" */
	int64_t age; /* seconds; below 0 if the clock was set back */
};

/*
 * Of the target. None, or attach: the device of the running serve (-d; the
 * only one), else what a serve showed last. -1: ERR_UNMET: nothing is kept;
 * ERR_USAGE: a target that is none, -d that fits several devices.
 */
int kept_list_open(struct kept_list *out, struct connection *c,
		   struct error *err);
void kept_list_done(struct kept_list *k);

/*
 * path, or stdin for "-", into out: a tool a line; or one JSON value, which is
 * an array of tools, an object with "tools" (a result), or with "result" (a
 * reply); of replies and results one a line, too (-o raw). -1 (ERR_USAGE):
 * not readable; which line, or which element, is none of these.
 */
int saved_list_read(struct tool_list *out, struct app *app, const char *path,
		    struct error *err);

/*
 * Ask now; a list that came whole is also written to a file.
 * -1: as client_list_tools; what came before the failure is kept in
 * c->tools, but the next tools_cache_find asks again.
 */
int tools_cache_refresh(struct connection *c, struct error *err);

/* A whole list that was asked for otherwise (the shell); takes it. */
void tools_cache_take(struct connection *c, const struct tool_list *list);

/*
 * The tool that name means to a user who reads about it (tool_list_named), or
 * calls it (tool_list_meant), lent until the next refresh or drop. -1
 * (ERR_USAGE): there is none; the nearest is proposed. When the listing broke
 * on the way but had the tool, a note says so and it is lent all the same.
 */
int tools_cache_find(struct connection *c, const char *name, bool reads,
		     const struct tool **out, struct error *err);

/* Forget it: connection_close calls this. Twice is fine. */
void tools_cache_drop(struct connection *c);

#endif
