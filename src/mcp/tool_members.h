/* SPDX-License-Identifier: MIT */
/*
 * Members of an object in the order of their names, and names put into a set:
 * so that what a peer made large is compared in little time. For tool_*.c.
 */
#ifndef MCP_TOOL_MEMBERS_H
#define MCP_TOOL_MEMBERS_H

#include "base/json.h"
#include "mcp/name_set.h"

struct tool_members {
	const cJSON **item; /* borrowed */
	size_t count;
};
/* Of a name that stands twice the first; object may be NULL. */
void tool_members_of(struct tool_members *out, const cJSON *object);
void tool_members_done(struct tool_members *m);

/* The names of an object's members, the texts of an array; NULL: none. */
void tool_names_add(struct name_set *out, const cJSON *from);

#endif
