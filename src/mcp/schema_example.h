/* SPDX-License-Identifier: MIT */
/*
 * Values that may fit a schema, one after another; whether they do is for
 * schema_example.c to check. All trees that come back are the caller's.
 */
#ifndef MCP_SCHEMA_EXAMPLE_H
#define MCP_SCHEMA_EXAMPLE_H

#include "base/json.h"

#define ANOTHER_UP 32 /* larger numbers, then as many smaller ones */
#define ANOTHER_MAX (ANOTHER_UP + ANOTHER_UP)

/*
 * A schema that says what schema says, less its keyword, and what part says
 * ($ref followed, also in the second form, which lays on every part of allOf).
 */
cJSON *candidate_merge(const cJSON *root, const cJSON *schema,
		       const char *keyword, const cJSON *part);
cJSON *candidate_merge_all(const cJSON *root, const cJSON *schema);

/*
 * A value that fits schema: defaults, consts, first enum values, the middle of
 * a range or its minimum; of objects what is required. NULL if none was found.
 * Yours.
 */
cJSON *schema_example(const cJSON *schema);
cJSON *schema_example_in(const cJSON *root, const cJSON *schema);

#endif
