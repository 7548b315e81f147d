/* SPDX-License-Identifier: MIT */
/*
 * MCP, for a session that knows none of it: into session_config.
 */
#ifndef MCP_RULES_H
#define MCP_RULES_H

#include "rpc/session.h"

extern const struct session_rules mcp_rules;

/* A tool of firmware that ends the connection instead of answering (device.md 3.9). */
struct silent_tool {
	const char *name;
	const char *reason; /* why no answer came */
	/* What it tells that the connection ended, and in a row; NULL: that it failed. */
	const char *ended, *summary;
	/*
	 * It answers "true" all the same, after a failure: what that tells. And
	 * where the peer is no device that dialled in: that it is not known.
	 * NULL: nothing.
	 */
	const char *failed, *unknown;
};

/* NULL: it answers. name may be NULL. */
const struct silent_tool *silent_tool(const char *name);

/* The levels of notifications/message: RFC 5424's words, as MCP has them. */

/* From the least on; NULL ends. */
extern const char *const log_levels[9];

/* 1 for debug … 8 for emergency; 0: it is no level, or NULL. */
int log_level_rank(const char *level);

#endif
