/* SPDX-License-Identifier: MIT */
/*
 * Values of one argument, as a schema names them: const, enum, booleans, the
 * default. Only those that are read again as what they are.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/complete_private.h"
#include "mcp/argument_word.h"
#include "mcp/name_set.h"
#include "mcp/schema_look.h"

#define DEPTH_MAX 8
#define LOOKS_MAX 200

struct values {
	struct completing *c;
	const struct tool_schema *t;
	struct name_set seen;
	unsigned looks;
	bool named; /* the schema names all that fits: a description says no more */
};

/* schema: what the text is read by. */
static void add_value(struct values *v, const cJSON *schema, const cJSON *value,
		      const char *brief)
{
	const struct tool_schema *t = v->t;
	const struct offer offer = { .typed = v->c->question->word };
	CLEANUP(mem_free_ptr) char *word = NULL;

	if (cJSON_IsArray(value) || cJSON_IsObject(value))
		return;
	word = argument_word(t->root, schema, t->name, value);
	if (name_set_add(&v->seen, word, 0) == NAME_NONE)
		complete_add(v->c, &offer, word, brief);
}

static void add_named(struct values *v, const cJSON *schema, const cJSON *value,
		      const cJSON *usual)
{
	v->named = true;
	add_value(v, schema, value,
		  usual && json_equal(value, usual) ? "default" : "");
}

static void add_booleans(struct values *v, const cJSON *schema,
			 const cJSON *usual)
{
	for (int i = 1; i >= 0; i--) {
		CLEANUP(json_free_ptr) cJSON *value = cJSON_CreateBool(i);

		add_named(v, schema, value, usual);
	}
}

/* The default; the description says that it is, and what else would fit. */
static void add_usual(struct values *v, const cJSON *schema, const cJSON *usual)
{
	CLEANUP(buf_done) struct buf brief = { 0 };

	complete_describe(v->t, &brief);
	add_value(v, schema, usual, buf_string(&brief));
}

static void look(struct values *v, const cJSON *schema, int depth);

/* NOLINTNEXTLINE(misc-no-recursion): see look */
static void look_at_parts(struct values *v, const cJSON *schema, int depth)
{
	static const char *const keywords[] = { "anyOf", "oneOf", "allOf" };

	for (size_t i = 0; i < COUNT(keywords); i++) {
		const cJSON *part;

		cJSON_ArrayForEach(part, json_array(schema, keywords[i])) {
			look(v, part, depth + 1);
		}
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): depth and looks are counted */
static void look(struct values *v, const cJSON *schema, int depth)
{
	const cJSON *usual = json_member(schema, "default");
	const cJSON *only, *choices, *choice, *items;

	if (depth > DEPTH_MAX || v->looks++ > LOOKS_MAX)
		return;
	schema = schema_resolve(v->t->root, schema);
	if (!usual)
		usual = json_member(schema, "default");
	only = json_member(schema, "const");
	choices = json_array(schema, "enum");
	if (only) {
		add_named(v, schema, only, usual);
	} else if (choices) {
		cJSON_ArrayForEach(choice, choices) {
			add_named(v, schema, choice, usual);
		}
	} else if (schema_types(v->t->root, schema) == SCHEMA_BOOLEAN) {
		add_booleans(v, schema, usual);
	} else if (schema_types(v->t->root, schema) == SCHEMA_ARRAY) {
		items = schema_items(v->t->root, schema);
		if (items)
			look(v, items, depth + 1);
	} else {
		look_at_parts(v, schema, depth);
	}
	if (usual && !only && !choices)
		add_usual(v, schema, usual);
}

/* A range cannot be inserted. */
static void show_what_fits(struct completing *c, const struct tool_schema *t)
{
	CLEANUP(buf_done) struct buf usage = { 0 };
	CLEANUP(buf_done) struct buf brief = { 0 };
	const struct offer offer = { .open = true };

	argument_usage(t->root, t->property, t->name, &usage);
	complete_describe(t, &brief);
	c->out->show_only = true;
	c->out->show_only =
		complete_add(c, &offer, buf_string(&usage), buf_string(&brief));
}

void complete_argument_value(struct completing *c, const struct tool_schema *t)
{
	struct values v = { .c = c, .t = t };

	look(&v, t->property, 0);
	name_set_done(&v.seen);
	if (c->out->count == 0 && !v.named)
		show_what_fits(c, t);
}
