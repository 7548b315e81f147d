/* SPDX-License-Identifier: MIT */
/*
 * Schemas that clients or models refuse. Only what is sure: where parts of a
 * schema are put together (anyOf, $ref, …) nothing is said of it.
 */
#ifndef DIAG_SCHEMA_JUDGE_H
#define DIAG_SCHEMA_JUDGE_H

#include "mcp/types.h"

/* As those of diag/tool_judge.h: D118. */
bool judge_schema(const struct tool *t, struct buf *out);

#endif
