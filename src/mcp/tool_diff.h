/* SPDX-License-Identifier: MIT */
/*
 * Two lists of tools compared: for the releases of a firmware. The order of
 * tools and of members counts for nothing. Pure.
 */
#ifndef MCP_TOOL_DIFF_H
#define MCP_TOOL_DIFF_H

#include "mcp/types.h"

/* One thing that is not the same in both. */
struct tool_difference {
	char *pointer; /* JSON Pointer into the tool: "/inputSchema/type" */
	char *label; /* "argument volume: maximum" */
	const cJSON *old, *new; /* lent by the tools; NULL: not there */
	/* It came or went, and old or new is its schema. */
	bool argument;
	/* It is, or was, required. Without argument that is the difference. */
	bool required;
};

struct tool_differences {
	struct tool_difference *item;
	size_t count, capacity;
};

struct tool_change {
	const struct tool *old, *new; /* lent by the lists; NULL: not there */
	struct tool_differences differences; /* where both are there */
};

/* "": it has none. */
const char *tool_change_name(const struct tool_change *c);

struct tool_changes {
	struct tool_change *item; /* by name */
	size_t count, capacity;
	size_t added, removed, changed;
};
/*
 * Of the names that match filter (as tool_matches; NULL: all) in either list.
 * Of a name that is there several times, equal ones are put aside, then the
 * first is compared with the first.
 */
void tool_changes_find(struct tool_changes *out, const struct tool_list *old,
		       const struct tool_list *new, const char *filter);
void tool_changes_done(struct tool_changes *c);

#endif
