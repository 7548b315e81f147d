/* SPDX-License-Identifier: MIT */
/*
 * All about one tool as text: what it says of itself, its arguments, an
 * example, and what backends will do to it.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"
#include "out/alike.h"
#include "out/backends.h"
#include "out/render_text.h"
#include "out/table.h"
#include "out/term.h"
#include "out/text_describe.h"
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

/*
 * Walks a schema's properties in their order, with a stack of its own: a peer
 * decides how deep they are. What a reference leads back to is named, not
 * walked again.
 */

#define ROWS_MOST 1000
#define DEPTH_MOST 100
#define PARTS_MOST 32 /* of allOf */
#define ARRAYS_MOST 8 /* in arrays */
#define STACK_MOST 4000
#define PATH_MOST 2000 /* bytes; a longer one is not walked into */
#define NONE SIZE_MAX

struct rows_walk {
	const cJSON *root;
	struct argument_rows *rows; /* those that are done */
	struct argument_rows
		stack; /* those that are not, the next one on top */
};

static struct argument_row *add(struct argument_rows *rows)
{
	rows->row = mem_grow(rows->row, &rows->capacity, rows->count,
			     sizeof(*rows->row));
	return &rows->row[rows->count++];
}

/* ---- what counts as one schema ---- */

/* A schema, what it refers to, and all that must fit besides. */
struct row_parts {
	const cJSON *part[PARTS_MOST];
	size_t count;
};

static void add_part(struct row_parts *p, const cJSON *schema)
{
	for (size_t i = 0; i < p->count; i++) {
		if (p->part[i] == schema)
			return;
	}
	if (cJSON_IsObject(schema) && p->count < PARTS_MOST)
		p->part[p->count++] = schema;
}

static void find_parts(struct row_parts *p, const cJSON *root,
		       const cJSON *schema)
{
	p->count = 0;
	add_part(p, schema);
	for (size_t i = 0; i < p->count; i++) {
		const cJSON *each;

		add_part(p, schema_resolve(root, p->part[i]));
		cJSON_ArrayForEach(each, json_array(p->part[i], "allOf")) {
			add_part(p, each);
		}
	}
}

/* ---- rows onto the stack ---- */

/* What the rows that are pushed have in common. */
struct inside {
	const char *prefix; /* of their paths: "items[]." */
	size_t up, depth;
};

/* path is the row's from now on. */
static struct argument_row *
push(struct rows_walk *w, const struct inside *in, const cJSON *schema,
     /* NOLINTNEXTLINE(readability-non-const-parameter) */
     char *path)
{
	struct argument_row *row = add(&w->stack);

	*row = (struct argument_row){
		.path = path,
		.schema = schema,
		.resolved = schema_resolve(w->root, schema),
		.depth = in->depth,
		.up = in->up,
		.same = NONE,
	};
	return row;
}

static bool is_full(struct rows_walk *w)
{
	if (w->stack.count < STACK_MOST)
		return false;
	w->rows->cut = true;
	return true;
}

static void push_properties(struct rows_walk *w, const struct inside *in,
			    const cJSON *whole, const cJSON *part)
{
	const cJSON *property;

	cJSON_ArrayForEach(property, json_object(part, "properties")) {
		const char *name = property->string;
		struct argument_row *row;

		if (is_full(w))
			return;
		row = push(w, in, property,
			   mem_printf("%s%s", in->prefix, name));
		row->required = schema_requires(w->root, whole, name);
		row->also = property != schema_property(w->root, whole, name);
	}
}

/* What must be there, and nothing else is said of it. */
static void push_unknown(struct rows_walk *w, const struct inside *in,
			 const cJSON *whole, const cJSON *part)
{
	static const cJSON any = { .type = cJSON_True };
	const cJSON *name;

	cJSON_ArrayForEach(name, json_array(part, "required")) {
		const char *text = cJSON_GetStringValue(name);

		if (is_full(w))
			return;
		if (text && !schema_property(w->root, whole, text))
			push(w, in, &any, mem_printf("%s%s", in->prefix, text))
				->required = true;
	}
}

/* Members whose names the schema does not say. */
static void push_free(struct rows_walk *w, const struct inside *in,
		      const cJSON *part)
{
	const cJSON *rest = json_object(part, "additionalProperties");
	const cJSON *each;

	cJSON_ArrayForEach(each, json_object(part, "patternProperties")) {
		if (is_full(w))
			return;
		push(w, in, each,
		     mem_printf("%s/%s/", in->prefix, each->string))
			->unnamed = true;
	}
	if (rest)
		push(w, in, rest, mem_printf("%s*", in->prefix))->unnamed =
			true;
}

/* The forms that it may have, where one of them has rows of its own. */
static void push_choices(struct rows_walk *w, const struct inside *in,
			 const char *path, const cJSON *choices)
{
	int count = cJSON_GetArraySize(choices), number = 0;
	bool any = false;
	const cJSON *each;

	cJSON_ArrayForEach(each, choices) {
		const cJSON *form = schema_resolve(w->root, each);

		any = any || json_object(form, "properties") ||
		      json_array(form, "allOf") || json_object(form, "items");
	}
	if (!any || count < 2)
		return;
	cJSON_ArrayForEach(each, choices) {
		struct argument_row *row;

		if (is_full(w))
			return;
		row = push(w, in, each, mem_strdup(path));
		row->form = ++number;
		row->forms = count;
	}
}

/* The elements of a tuple. */
static void push_tuple(struct rows_walk *w, const struct inside *in,
		       const char *path, const cJSON *tuple)
{
	size_t number = 0;
	const cJSON *each;

	cJSON_ArrayForEach(each, tuple) {
		if (is_full(w))
			return;
		push(w, in, each, mem_printf("%s[%zu]", path, number++))
			->unnamed = true;
	}
}

static void push_part(struct rows_walk *w, const struct inside *in,
		      const char *path, const struct row_parts *parts,
		      const cJSON *part)
{
	const cJSON *tuple = json_array(part, "prefixItems");

	push_properties(w, in, parts->part[0], part);
	push_unknown(w, in, parts->part[0], part);
	push_free(w, in, part);
	push_choices(w, in, path, json_array(part, "anyOf"));
	push_choices(w, in, path, json_array(part, "oneOf"));
	push_tuple(w, in, path, tuple ? tuple : json_array(part, "items"));
}

/* The elements, if schema is an array of one kind of them; else NULL. */
static const cJSON *elements(const struct row_parts *parts)
{
	for (size_t i = 0; i < parts->count; i++) {
		const cJSON *items = json_object(parts->part[i], "items");

		if (items)
			return items;
	}
	return NULL;
}

/* What is inside of schema, which stands at path; the first one on top. */
static size_t push_inside(struct rows_walk *w, struct inside in,
			  const char *path, const cJSON *schema)
{
	CLEANUP(mem_free_ptr) char *at = mem_strdup(path);
	size_t first = w->stack.count, arrays = 0;
	struct row_parts parts;

	find_parts(&parts, w->root, schema);
	for (const cJSON *items = elements(&parts);
	     items && arrays < ARRAYS_MOST &&
	     schema_resolve(w->root, items) != schema_resolve(w->root, schema);
	     items = elements(&parts)) {
		char *deeper = mem_printf("%s[]", at);

		mem_free(at);
		at = deeper;
		arrays++;
		find_parts(&parts, w->root, items);
	}
	CLEANUP(mem_free_ptr)
	char *prefix = mem_printf("%s%s", at, *at ? "." : "");
	in.prefix = prefix;
	for (size_t i = 0; i < parts.count; i++)
		push_part(w, &in, at, &parts, parts.part[i]);
	for (size_t a = first, b = w->stack.count; a + 1 < b; a++, b--) {
		struct argument_row swap = w->stack.row[a];

		w->stack.row[a] = w->stack.row[b - 1];
		w->stack.row[b - 1] = swap;
	}
	return arrays;
}

/* ---- the walk ---- */

/* The row around this one that shows the same schema. */
static size_t find_same(const struct argument_rows *rows,
			const struct argument_row *row)
{
	size_t up = row->up;

	while (up != NONE && rows->row[up].resolved != row->resolved)
		up = rows->row[up].up;
	return up;
}

static void take_next(struct rows_walk *w)
{
	struct argument_row *row = add(w->rows);
	const struct inside in = {
		.up = w->rows->count - 1,
		.depth = w->stack.row[w->stack.count - 1].depth + 1
	};

	*row = w->stack.row[--w->stack.count];
	row->same = find_same(w->rows, row);
	if (row->same != NONE)
		return;
	if (row->depth >= DEPTH_MOST || strlen(row->path) > PATH_MOST)
		w->rows->cut = true;
	else
		row->arrays = push_inside(w, in, row->path, row->schema);
}

void argument_rows_init(struct argument_rows *rows, const cJSON *schema)
{
	struct rows_walk w = { .root = schema, .rows = rows };

	*rows = (struct argument_rows){ 0 };
	push_inside(&w, (struct inside){ .up = NONE }, "", schema);
	while (w.stack.count > 0 && rows->count < ROWS_MOST)
		take_next(&w);
	rows->cut = rows->cut || w.stack.count > 0;
	argument_rows_done(&w.stack);
}

void argument_rows_done(struct argument_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		mem_free(rows->row[i].path);
	mem_free(rows->row);
	*rows = (struct argument_rows){ 0 };
}
