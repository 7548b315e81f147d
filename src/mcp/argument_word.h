/* SPDX-License-Identifier: MIT */
/*
 * One word behind `call TOOL`: how it is to be written. For the usage, the
 * example and the completion.
 */
#ifndef MCP_ARGUMENT_WORD_H
#define MCP_ARGUMENT_WORD_H

#include "base/json.h"

/* Whether a word NAME=VALUE can hold that name and is taken for nothing else. */
bool argument_name_is_plain(const char *name);

/* Whether only NAME:=JSON gives such a property a value (property of root). */
bool argument_needs_json(const cJSON *root, const cJSON *property);

/*
 * "volume=<0..100>", "theme=light|dark", "tag=<string>...", "point:=<object>",
 * the name quoted for a POSIX shell; appended.
 */
void argument_usage(const cJSON *root, const cJSON *property, const char *name,
		    struct buf *out);

/*
 * NAME=TEXT if a text for this schema is read as that value again; else
 * NAME:=JSON. schema NULL: nothing is known. Yours.
 */
char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value);

#endif
