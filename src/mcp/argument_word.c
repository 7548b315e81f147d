/* SPDX-License-Identifier: MIT */
/*
 * NAME=VALUE as it is to be written. What such a word means when it comes is
 * arguments.c's matter.
 */
#include "mcp/argument_word.h"

#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "mcp/argument_value.h"
#include "mcp/schema_look.h"

#define CHOICES_BYTES_MAX 60

/* "light|dark" if all choices are plain and short words; else nothing. */
static bool add_choices(const cJSON *schema, struct buf *out)
{
	CLEANUP(buf_done) struct buf choices = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, json_array(schema, "enum")) {
		const char *text =
			cJSON_IsString(each) ? each->valuestring : "";
		if (!*text || strpbrk(text, " |<>[]\"'\\\t\r\n") ||
		    choices.len > CHOICES_BYTES_MAX)
			return false;
		buf_printf(&choices, "%s%s", choices.len > 0 ? "|" : "", text);
	}
	buf_text(out, buf_string(&choices));
	return choices.len > 0;
}

static bool add_range(const cJSON *schema, unsigned types, struct buf *out)
{
	const cJSON *least = json_member(schema, "minimum");
	const cJSON *most = json_member(schema, "maximum");

	if (!(types & SCHEMA_INTEGER) || !cJSON_IsNumber(least) ||
	    !cJSON_IsNumber(most))
		return false;
	buf_char(out, '<');
	json_print(out, least);
	buf_text(out, "..");
	json_print(out, most);
	buf_char(out, '>');
	return true;
}

static void add_type(unsigned types, struct buf *out)
{
	buf_char(out, '<');
	schema_type_names(types, out);
	buf_char(out, '>');
}

static bool is_nested(unsigned types)
{
	return types && !(types & ~(unsigned)(SCHEMA_ARRAY | SCHEMA_OBJECT));
}

/* The types of its items, if it is an array of plain ones; else 0. */
static unsigned plain_items(const cJSON *root, const cJSON *schema)
{
	const cJSON *items = schema_items(root, schema);
	unsigned types = items ? schema_types(root, items) : 0;

	if (schema_types(root, schema) != SCHEMA_ARRAY || is_nested(types))
		return 0;
	return types;
}

bool argument_needs_json(const cJSON *root, const cJSON *property)
{
	const cJSON *schema = schema_resolve(root, property);

	return is_nested(schema_types(root, schema)) &&
	       !plain_items(root, schema);
}

void argument_usage(const cJSON *root, const cJSON *property, const char *name,
		    struct buf *out)
{
	const cJSON *schema = schema_resolve(root, property);
	unsigned types = schema_types(root, schema);
	unsigned item_types = plain_items(root, schema);

	words_quote(out, name);
	if (item_types) {
		buf_char(out, '=');
		add_type(item_types, out);
		buf_text(out, "...");
		return;
	}
	buf_text(out, is_nested(types) ? ":=" : "=");
	if (types == SCHEMA_BOOLEAN)
		buf_text(out, "true|false");
	else if (!add_choices(schema, out) && !add_range(schema, types, out))
		add_type(types, out);
}

bool argument_name_is_plain(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && !strchr("@-{ \t\r\n", *name) && !strchr(name, '=') &&
	       name[len - 1] != ':';
}

char *argument_word(const cJSON *root, const cJSON *schema, const char *name,
		    const cJSON *value)
{
	unsigned types = schema ? schema_types(root, schema) : 0;
	CLEANUP(argument_value_done) struct argument_value again = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 }, seen = { 0 };
	const char *text;

	json_print(&json, value);
	text = cJSON_IsString(value) ? value->valuestring : buf_string(&json);
	if (*text != '@' && !cJSON_IsArray(value) && !cJSON_IsObject(value) &&
	    text_is_safe(text, strlen(text)) &&
	    argument_value_text(&again, "", types, text, strlen(text), NULL) ==
		    0 &&
	    json_equal(again.json, value))
		return mem_printf("%s=%s", name, text);
	/* As escapes of JSON it is seen, and means the same. */
	text_safe(&seen, buf_string(&json), json.len, TEXT_JSON);
	return mem_printf("%s:=%s", name, buf_string(&seen));
}
