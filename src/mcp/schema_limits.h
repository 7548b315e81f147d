/* SPDX-License-Identifier: MIT */
/*
 * Limits of a schema in words, appended behind its type: " 0..100",
 * ", 3 to 10 characters", ", 1 to 5 items". Nothing where there are none.
 */
#ifndef MCP_SCHEMA_LIMITS_H
#define MCP_SCHEMA_LIMITS_H

#include "base/json.h"

void limits_of_number(const cJSON *schema, struct buf *out);
void limits_of_string(const cJSON *schema, struct buf *out);
void limits_of_array(const cJSON *schema, struct buf *out);

#endif
