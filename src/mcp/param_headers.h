/* SPDX-License-Identifier: MIT */
/*
 * Arguments of a tool that HTTP repeats as headers: properties of its
 * inputSchema with "x-mcp-header" (modern.md 7). Pure.
 */
#ifndef MCP_PARAM_HEADERS_H
#define MCP_PARAM_HEADERS_H

#include "base/json.h"
#include "net/head.h"

#define PARAM_HEADERS_MAX 64 /* of one tool */

/*
 * 0: all of them are as they must be; *count of them. -1 (ERR_PROTOCOL): why
 * one is not. schema may be NULL.
 */
int param_headers_check(const cJSON *schema, size_t *count, struct error *err);

/*
 * Those of a call, appended. What is absent or null, or of another type than
 * it was told, has none: what is wrong with it is the server's to say.
 */
void param_headers_add(struct headers *out, const cJSON *schema,
		       const cJSON *arguments);

#endif
