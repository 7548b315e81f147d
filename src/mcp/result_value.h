/* SPDX-License-Identifier: MIT */
/*
 * The value of a tool's result: what somebody who calls it wants to know of,
 * without the wrapping of MCP.
 */
#ifndef MCP_RESULT_VALUE_H
#define MCP_RESULT_VALUE_H

#include "mcp/types.h"

/*
 * JSON into out: structuredContent, if there is one; else the only text, as
 * JSON where it is JSON, as a string where it is none; else (no text, or
 * several) the whole result. "null": there is no result.
 */
void result_value(struct buf *out, const struct result *result);

#endif
