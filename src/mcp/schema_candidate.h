/* SPDX-License-Identifier: MIT */
/*
 * Values that may fit a schema, one after another; whether they do is for
 * schema_example.c to check. All trees that come back are the caller's.
 */
#ifndef MCP_SCHEMA_CANDIDATE_H
#define MCP_SCHEMA_CANDIDATE_H

#include "base/json.h"

/* The n-th candidate; NULL: there are no more. name is the property's, or NULL. */
cJSON *candidate_number(const cJSON *schema, const char *name, size_t n);
cJSON *candidate_string(const cJSON *schema, const char *name, size_t n);
cJSON *candidate_boolean(const cJSON *schema, const char *name, size_t n);

#define ANOTHER_UP 32 /* larger numbers, then as many smaller ones */
#define ANOTHER_MAX (ANOTHER_UP + ANOTHER_UP)

/*
 * The n-th value (below ANOTHER_MAX) that is like another one of that schema,
 * but not it: 6 for 5, "text-2" for "text". NULL: there is none.
 */
cJSON *candidate_another(const cJSON *schema, const cJSON *like, size_t n);

/*
 * A schema that says what schema says, less its keyword, and what part says
 * ($ref followed, also in the second form, which lays on every part of allOf).
 */
cJSON *candidate_merge(const cJSON *root, const cJSON *schema,
		       const char *keyword, const cJSON *part);
cJSON *candidate_merge_all(const cJSON *root, const cJSON *schema);

#endif
