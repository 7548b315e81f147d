/* SPDX-License-Identifier: MIT */
/* How to call a tool: its usage in one line, and an example that validates. */
#include <string.h>

#include "base/mem.h"
#include "mcp/argument_value.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"

#define NAMES_MAX 64
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

/* name=<type>, name=a|b, tag=<string>..., name:=<object> */
static void add_argument(const cJSON *root, const cJSON *property,
			 const char *name, struct buf *out)
{
	const cJSON *schema = schema_resolve(root, property);
	unsigned types = schema_types(root, schema);
	const cJSON *items = schema_items(root, schema);
	unsigned item_types = items ? schema_types(root, items) : 0;

	words_quote(out, name);
	if (types == SCHEMA_ARRAY && item_types && !is_nested(item_types)) {
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

void arguments_usage(const struct tool *t, struct buf *out)
{
	const char *name[NAMES_MAX];
	size_t count =
		schema_property_names(t->schema, t->schema, name, NAMES_MAX);

	buf_text(out, "call ");
	words_quote(out, t->name);
	for (size_t i = 0; i < count; i++) {
		const cJSON *property =
			schema_property(t->schema, t->schema, name[i]);
		bool required = schema_requires(t->schema, t->schema, name[i]);

		buf_text(out, required ? " " : " [");
		add_argument(t->schema, property, name[i], out);
		if (!required)
			buf_char(out, ']');
	}
	if (count == NAMES_MAX)
		buf_text(out, " …");
}

/* Names that a word NAME=VALUE could not hold, or that look like something else. */
static bool is_plain_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && !strchr("@-{ \t\r\n", *name) && !strchr(name, '=') &&
	       name[len - 1] != ':';
}

/* NAME=TEXT if that is read as the same value again; else NAME:=JSON. */
static char *example_word(const struct tool *t, const cJSON *member)
{
	const cJSON *property =
		schema_property(t->schema, t->schema, member->string);
	unsigned types = property ? schema_types(t->schema, property) : 0;
	CLEANUP(argument_value_done) struct argument_value again = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 };
	const char *text;

	json_print(&json, member);
	text = cJSON_IsString(member) ? member->valuestring : buf_string(&json);
	if (*text != '@' && !cJSON_IsArray(member) && !cJSON_IsObject(member) &&
	    argument_value_text(&again, "", types, text, strlen(text), NULL) ==
		    0 &&
	    json_equal(again.json, member))
		return mem_printf("%s=%s", member->string, text);
	return mem_printf("%s:=%s", member->string, buf_string(&json));
}

static void example_words(const struct tool *t, const cJSON *example,
			  struct words *out)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	bool plain = true;
	const cJSON *member;

	cJSON_ArrayForEach(member, example) {
		plain = plain && is_plain_name(member->string);
	}
	if (!plain) {
		json_print(&whole, example);
		words_add(out, buf_string(&whole));
		return;
	}
	cJSON_ArrayForEach(member, example) {
		CLEANUP(mem_free_ptr) char *word = example_word(t, member);

		words_add(out, word);
	}
}

/* Arguments are an object, also where the schema does not say so. */
static cJSON *make_example(const struct tool *t)
{
	CLEANUP(json_free_ptr) cJSON *schema = NULL;
	cJSON *example;

	if (!cJSON_IsObject(t->schema))
		return cJSON_CreateObject();
	schema = cJSON_Duplicate(t->schema, true);
	if (!json_member(schema, "type"))
		cJSON_AddStringToObject(schema, "type", "object");
	example = schema_example(schema);
	if (example && !cJSON_IsObject(example)) {
		cJSON_Delete(example);
		return NULL;
	}
	return example;
}

int arguments_example(const struct tool *t, struct buf *out)
{
	const struct arguments_options options = { .tool = t };
	CLEANUP(json_free_ptr) cJSON *example = make_example(t);
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf built = { 0 };
	CLEANUP(buf_done) struct buf warnings = { 0 };

	if (!example)
		return -1;
	example_words(t, example, &words);
	if (arguments_build(&built, words.word, words.count, &options,
			    &warnings, NULL) < 0)
		return -1;
	buf_text(out, "call ");
	words_quote(out, t->name);
	for (size_t i = 0; i < words.count; i++) {
		buf_char(out, ' ');
		words_quote(out, words.word[i]);
	}
	return 0;
}
