/* SPDX-License-Identifier: MIT */
/* How to call a tool: its usage in one line, and an example that validates. */
#include <string.h>

#include "base/mem.h"
#include "mcp/argument_word.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"

#define NAMES_MAX 64

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
		argument_usage(t->schema, property, name[i], out);
		if (!required)
			buf_char(out, ']');
	}
	if (count == NAMES_MAX)
		buf_text(out, " …");
}

static void example_words(const struct tool *t, const cJSON *example,
			  struct words *out)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	bool plain = true;
	const cJSON *member;

	cJSON_ArrayForEach(member, example) {
		plain = plain && argument_name_is_plain(member->string);
	}
	if (!plain) {
		json_print(&whole, example);
		words_add(out, buf_string(&whole));
		return;
	}
	cJSON_ArrayForEach(member, example) {
		const cJSON *property =
			schema_property(t->schema, t->schema, member->string);
		CLEANUP(mem_free_ptr)
		char *word = argument_word(t->schema, property, member->string,
					   member);

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
