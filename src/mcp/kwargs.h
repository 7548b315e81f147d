/* SPDX-License-Identifier: MIT */
/*
 * An SDK for servers over MQTT takes arguments in a way of its own: all that the
 * schema names, in its order, inside {"kwargs":…} (mcp-mqtt.md 7). Pure.
 */
#ifndef MCP_KWARGS_H
#define MCP_KWARGS_H

#include "base/json.h"

/* It is that SDK, by its serverInfo. */
bool kwargs_wanted(const cJSON *server_info);

/*
 * Arguments as it takes them, appended; texts as they were given. schema NULL:
 * the order is not known, they stay in theirs. What is left out and has a
 * default is sent with that. -1 (ERR_USAGE): one is missing.
 */
int kwargs_wrap(struct buf *out, const cJSON *schema, const char *arguments,
		struct error *err);

#endif
