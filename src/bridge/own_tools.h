/* SPDX-License-Identifier: MIT */
/*
 * The tools that are the bridge's own: which boards there are, and what a host
 * that never lists again needs to reach what came later.
 */
#ifndef BRIDGE_OWN_TOOLS_H
#define BRIDGE_OWN_TOOLS_H

#include "bridge/catalogue.h"

enum own_tool { OWN_DEVICES, OWN_REFRESH, OWN_CALL, OWN_TOOLS };

const char *own_tool_name(enum own_tool t);
/* Whether these rules have it. */
bool own_tool_is_on(enum own_tool t, const struct bridge_rules *rules);
/* As it stands in tools/list; yours. */
char *own_tool_json(enum own_tool t);
/* Which one a host calls so; OWN_TOOLS: none. */
enum own_tool own_tool_named(const char *name);

#endif
