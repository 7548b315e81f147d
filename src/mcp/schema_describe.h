/* SPDX-License-Identifier: MIT */
/* A schema as one line. */
#ifndef MCP_SCHEMA_DESCRIBE_H
#define MCP_SCHEMA_DESCRIBE_H

#include "mcp/schema.h"

/*
 * "integer 0..100", "string, one of \"a\" \"b\"", "array of string", … one
 * line, appended; as deep and as long as a line can be. Text of the schema
 * stands in it. The second form follows "#/…" into root.
 */
void schema_describe(const cJSON *schema, struct buf *out);
void schema_describe_in(const cJSON *root, const cJSON *schema,
			struct buf *out);

/* ", 3 to 10 items, no item twice", appended; nothing if it says nothing. */
void limits_of_array(const cJSON *schema, struct buf *out);

#endif
