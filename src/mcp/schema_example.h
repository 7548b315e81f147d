/* SPDX-License-Identifier: MIT */
/*
 * Values that may fit a schema, one after another; whether they do is for
 * schema_example.c to check. All trees that come back are the caller's.
 */
#ifndef MCP_SCHEMA_EXAMPLE_H
#define MCP_SCHEMA_EXAMPLE_H

#include "base/json.h"

/*
 * A value that fits schema: defaults, consts, first enum values, the middle of
 * a range or its minimum; of objects what is required. NULL if none was found.
 * Yours.
 */
cJSON *schema_example(const cJSON *schema);
cJSON *schema_example_in(const cJSON *root, const cJSON *schema);

#endif
