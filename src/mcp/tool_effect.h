/* SPDX-License-Identifier: MIT */
/*
 * What a call of a tool does, as far as it can be known before it is called:
 * from tools.json, from the tool's annotations, from its name.
 */
#ifndef MCP_TOOL_EFFECT_H
#define MCP_TOOL_EFFECT_H

#include "mcp/types.h"

enum tool_effect {
	EFFECT_UNKNOWN, /* something may happen */
	EFFECT_READS,
	EFFECT_ACTS, /* what it does can be undone by another call */
	EFFECT_DESTROYS /* something is gone, or somebody has to go there */
};

/*
 * Of a tool that is known by name what the file says; else what its
 * annotations say (readOnlyHint, destructiveHint), unless a word speaks against
 * them: whole, in the last part of its name ("deleteFile", "power_off"), or the
 * first of its description ("Erases …").
 */
enum tool_effect tool_effect(const struct tool *t);

#endif
