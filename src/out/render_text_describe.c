/* SPDX-License-Identifier: MIT */
/*
 * All about one tool as text: what it says of itself, its arguments, an
 * example, and what backends will do to it.
 */
#include <string.h>

#include "base/text.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"
#include "out/alike.h"
#include "out/backends.h"
#include "out/render_text.h"
#include "out/table.h"
#include "out/term.h"
#include "out/wrap.h"

#define NAMES_MOST 64

static void add_title(struct table *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	wrap_name(&name, t->name);
	term_painted(&s->b, s->color, PAINT_STRONG, buf_string(&name));
	if (t->user_only)
		term_painted(&s->b, s->color, PAINT_DIM, "  [user-only]");
	if (t->duplicate)
		term_painted(&s->b, s->color, PAINT_DIM, "  [twice]");
	buf_char(&s->b, '\n');
	bool titled = t->title && *t->title && strcmp(t->title, t->name) != 0;
	if (titled)
		table_paragraph(s, "  ", t->title);
	if (*t->description)
		table_paragraph(s, "  ", t->description);
	else if (!titled)
		table_paragraph(s, "  ", "(no description)");
}

/* Whoever sees the name alone may take it for the other. */
static void add_look(struct table *s, const struct describe_record *d)
{
	const struct tool *other =
		tool_collision(d->list, d->tool, SANITISE_LOOK);
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!other)
		return;
	buf_text(&s->b, "  ");
	alike_words(&line, d->tool->name, other->name);
	term_painted(&s->b, s->color, PAINT_WARN, buf_string(&line));
	buf_char(&s->b, '\n');
}

static void add_arguments(struct table *s, const struct tool *t)
{
	table_heading(s, "arguments");
	table_schema(s, t->schema, false);
}

static void add_result(struct table *s, const struct tool *t)
{
	const cJSON *schema = json_member(t->json, "outputSchema");
	if (!schema)
		return;
	table_heading(s, "result");
	table_schema(s, schema, true);
}

/* What the protocol says of a member of annotations; "" if nothing. */
static const char *meaning(const cJSON *member)
{
	static const struct {
		const char *name, *yes, *no;
	} known[] = {
		{ "readOnlyHint", "it changes nothing",
		  "it changes something" },
		{ "destructiveHint", "what it changes may be lost",
		  "it only adds" },
		{ "idempotentHint", "a second call changes nothing more",
		  "a second call changes more" },
		{ "openWorldHint", "it deals with the world outside",
		  "it deals with what is its own" },
	};
	for (size_t i = 0; i < COUNT(known); i++) {
		if (strcmp(known[i].name, member->string) != 0)
			continue;
		return cJSON_IsTrue(member)  ? known[i].yes :
		       cJSON_IsFalse(member) ? known[i].no :
					       "";
	}
	return "";
}

static void add_annotations(struct table *s, const struct tool *t)
{
	const cJSON *all = json_object(t->json, "annotations");
	const cJSON *member;
	if (!all || !all->child)
		return;
	table_heading(s, "annotations");
	cJSON_ArrayForEach(member, all) {
		CLEANUP(buf_done) struct buf line = { 0 };
		const char *means = meaning(member);
		buf_printf(&line, "%s: ", member->string);
		json_print(&line, member);
		if (*means)
			buf_printf(&line, " (%s)", means);
		table_paragraph(s, "  ", buf_string(&line));
	}
}

/* Why there is none, as far as one argument is to blame. */
static void add_no_example(struct table *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const char *name[NAMES_MOST];
	size_t count =
		schema_property_names(t->schema, t->schema, name, NAMES_MOST);
	buf_text(&text, "none was found that fits the schema");
	for (size_t i = 0; i < count; i++) {
		const cJSON *schema =
			schema_property(t->schema, t->schema, name[i]);
		if (!schema_requires(t->schema, t->schema, name[i]))
			continue;
		CLEANUP(json_free_ptr)
		cJSON *value = schema_example_in(t->schema, schema);
		if (value)
			continue;
		buf_printf(&text, ": '%s' must be ", name[i]);
		schema_describe_in(t->schema, schema, &text);
		break;
	}
	table_paragraph(s, "  ", buf_string(&text));
}

static void add_example(struct table *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf example = { 0 };
	table_heading(s, "example");
	if (arguments_example(t, &example) != 0) {
		add_no_example(s, t);
		return;
	}
	table_copy_line(s, buf_string(&example));
}

static void add_backends(struct table *s, const struct describe_record *d)
{
	CLEANUP(words_done) struct words notes = { 0 };
	backend_notes(d->list, d->tool, &notes);
	if (notes.count == 0)
		return;
	table_heading(s, "backends");
	for (size_t i = 0; i < notes.count; i++)
		table_paragraph(s, "  - ", notes.word[i]);
}

void text_describe(struct renderer *r, const struct describe_record *d)
{
	struct table s = { .color = r->out_color,
			   .width = r->out_terminal ? r->width : 0 };
	CLEANUP(buf_done) struct buf usage = { 0 };
	add_title(&s, d->tool);
	add_look(&s, d);
	arguments_usage(d->tool, &usage);
	table_heading(&s, "usage");
	table_copy_line(&s, buf_string(&usage));
	add_arguments(&s, d->tool);
	add_example(&s, d->tool);
	add_result(&s, d->tool);
	add_annotations(&s, d->tool);
	if (d->device)
		add_backends(&s, d);
	put_out(r, &s.b);
	buf_done(&s.b);
}
