/* SPDX-License-Identifier: MIT */
/*
 * One value of arguments.c: text or JSON that the user gave, made a value. For
 * argument*.c only.
 */
#ifndef MCP_ARGUMENT_VALUE_H
#define MCP_ARGUMENT_VALUE_H

#include "base/json.h"

/* Starts zeroed. text is the JSON that is sent: as given, not as printed from json. */
struct argument_value {
	cJSON *json;
	struct buf text;
};
void argument_value_done(struct argument_value *v);

/* JSON as given. what says whose it is, for the error: "argument 'x'". */
int argument_value_json(struct argument_value *out, const char *what,
			const char *text, size_t len, struct error *err);

/*
 * Text that a schema of these types (bits of schema_look.h; 0: unknown) makes
 * a value; see arguments_build. An array is only made from a JSON array.
 */
int argument_value_text(struct argument_value *out, const char *what,
			unsigned types, const char *text, size_t len,
			struct error *err);

/* Add to an array that is being made; takes item. */
void argument_value_append_take(struct argument_value *array,
				struct argument_value *item);
/* The last item was added. */
void argument_value_close(struct argument_value *array);

/* A file, or stdin for NULL, whole; at most ARGUMENTS_FILE_MAX bytes. */
int argument_file_read(struct buf *out, const char *path, struct error *err);

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
/* The ends of an integer's range, lent; false: it has none. */
bool argument_range(const cJSON *root, const cJSON *property,
		    const cJSON *end[2]);

/*
 * NAME=TEXT if a text for this schema is read as that value again; else
 * NAME:=JSON. schema NULL: nothing is known. Yours.
 */
char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value);

#endif
