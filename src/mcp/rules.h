/* SPDX-License-Identifier: MIT */
/*
 * MCP, for a session that knows none of it: into session_config.
 */
#ifndef MCP_RULES_H
#define MCP_RULES_H

#include "rpc/session.h"

extern const struct session_rules mcp_rules;

#endif
