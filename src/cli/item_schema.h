/* SPDX-License-Identifier: MIT */
/*
 * Prompts and templates seen as tools: their arguments are strings by name. So
 * what checks, completes and keeps the arguments of tools serves them too.
 */
#ifndef CLI_ITEM_SCHEMA_H
#define CLI_ITEM_SCHEMA_H

#include "mcp/page_list.h"

/* An inputSchema; item NULL: any names. A template's parts are its arguments;
   a resource has none. Yours. */
cJSON *item_schema(enum list_kind kind, const struct list_item *item);

/* {"name": its key, "description", "inputSchema"} as text, appended. */
void item_as_tool(struct buf *out, enum list_kind kind,
		  const struct list_item *item);

#endif
