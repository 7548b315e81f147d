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

/*
 * Where another text than the built-in tools.json comes from: asked once, at the
 * first question (own returns it checked, yours to give away; NULL: there is
 * none). own NULL: nowhere. Forgets what was read.
 */
void tool_effect_from(char *(*own)(void *owner), void *owner);
/* Ask for it now: for who can open no file later. */
void tool_effect_read(void);
/* 0: text can be such a file. -1 (ERR_USAGE): what is wrong; *at: where. */
int tool_effect_check(const char *text, size_t len, size_t *at,
		      struct error *err);

#endif
