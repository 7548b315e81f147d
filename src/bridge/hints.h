/* SPDX-License-Identifier: MIT */
/*
 * What a host is told of a call's effect, as hints of MCP: from what is known of
 * the tool by name (mcp/tool_effect), else from what it says itself, else from
 * the verb in its name.
 */
#ifndef BRIDGE_HINTS_H
#define BRIDGE_HINTS_H

#include "mcp/types.h"

struct tool_hints {
	enum hint {
		HINT_UNKNOWN,
		HINT_NO,
		HINT_YES
	} read_only,
		destructive, idempotent, open_world;
	const char *title; /* its own, among the annotations; NULL */
};

void tool_hints_find(struct tool_hints *out, const struct tool *t);
/* The argument by whose name it is an address ("url"); NULL. Lent. */
const char *tool_address(const struct tool *t);
/* An object, appended; nothing where nothing is known. False: that. */
bool tool_hints_print(struct buf *out, const struct tool_hints *h);

#endif
