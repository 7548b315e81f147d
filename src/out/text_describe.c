/* SPDX-License-Identifier: MIT */
/*
 * All about one tool as text: what it says of itself, its arguments, an
 * example, and what backends will do to it.
 */
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "diag/tool_notes.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"
#include "out/alike.h"
#include "out/term.h"
#include "out/text_describe.h"
#include "out/wrap.h"

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

/* A choice of one is none: that one must fit. */
static void add_only(struct row_parts *p, const cJSON *choices)
{
	if (choices && choices->child && !choices->child->next)
		add_part(p, choices->child);
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
		add_only(p, json_array(p->part[i], "anyOf"));
		add_only(p, json_array(p->part[i], "oneOf"));
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

#define NAMES_MOST 64
#define PATH_COLUMNS_MOST 24

/* Where to, and how. */
struct describing {
	struct buf b;
	bool color;
	size_t width; /* 0: lines are not wrapped */
};

static void add_heading(struct describing *s, const char *word)
{
	buf_char(&s->b, '\n');
	term_painted(&s->b, s->color, PAINT_KEY, word);
	buf_char(&s->b, '\n');
}

/* Indented by the columns of lead, which stands before its first line. */
static void add_paragraph(struct describing *s, const char *lead,
			  const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { strlen(lead), strlen(lead), s->width };
	size_t len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text_safe(&safe, text, len, TEXT_PARAGRAPH);
	buf_text(&s->b, lead);
	wrap_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
}

/* A line to copy: never wrapped. */
static void add_copy_line(struct describing *s, const char *text)
{
	buf_text(&s->b, "  ");
	wrap_name(&s->b, text);
	buf_char(&s->b, '\n');
}

/* ---- rows ---- */

struct rows {
	const cJSON *root;
	struct argument_rows list;
	bool result;
};

static void add_label(struct buf *out, const struct argument_row *row)
{
	wrap_name(out, row->path);
	if (!*row->path && row->form == 0)
		buf_text(out, "\"\"");
	if (row->form > 0)
		buf_printf(out, "%s(%d of %d)", *row->path ? " " : "",
			   row->form, row->forms);
}

/* The columns of the widest label, but no more than is sensible. */
static size_t label_columns(const struct argument_rows *rows)
{
	size_t columns = 0;
	for (size_t i = 0; i < rows->count; i++) {
		CLEANUP(buf_done) struct buf label = { 0 };
		add_label(&label, &rows->row[i]);
		size_t width = text_width(buf_string(&label), label.len);
		if (width > columns)
			columns = width;
	}
	return columns < PATH_COLUMNS_MOST ? columns : PATH_COLUMNS_MOST;
}

/* The first row that is inside of this one; NULL. */
static const struct argument_row *first_inside(const struct rows *rows,
					       size_t index)
{
	const struct argument_row *next = &rows->list.row[index + 1];
	bool inside = index + 1 < rows->list.count && next->up == index;
	return inside ? next : NULL;
}

/* Of one with rows of its own: what stands there is not said twice. */
static void add_kind(struct buf *out, const struct argument_row *row,
		     const struct argument_row *inside)
{
	size_t len = strlen(row->path) + 2 * row->arrays;
	bool tuple = inside->path[len] == '[';
	for (size_t i = 0; i < row->arrays; i++)
		buf_text(out, i == 0 ? "array of " : "arrays of ");
	if (inside->form > 0)
		buf_text(out, "one of these");
	else if (tuple)
		buf_text(out, row->arrays > 0 ? "arrays" : "array");
	else
		buf_text(out, row->arrays > 0 ? "objects" : "object");
	limits_of_array(row->resolved, out);
}

static void add_default(struct buf *out, const struct argument_row *row)
{
	const cJSON *usual = json_member(row->schema, "default");
	if (!usual)
		usual = json_member(row->resolved, "default");
	if (!usual)
		return;
	buf_text(out, ", default ");
	json_print(out, usual);
}

/* "integer 0..100, required" */
static void add_rule(struct buf *out, const struct rows *rows, size_t index)
{
	const struct argument_row *row = &rows->list.row[index];
	const struct argument_row *inside = first_inside(rows, index);
	bool usual = json_member(row->schema, "default") ||
		     json_member(row->resolved, "default");
	if (row->also)
		buf_text(out, "also ");
	if (row->same != SIZE_MAX) {
		schema_type_names(schema_types(rows->root, row->schema), out);
		buf_printf(out, ", as %s above",
			   rows->list.row[row->same].path);
	} else if (inside) {
		add_kind(out, row, inside);
		add_default(out, row);
	} else {
		schema_describe_in(rows->root, row->schema, out);
	}
	if (row->unnamed || row->also || row->form > 0)
		return;
	if (row->required && !rows->result)
		buf_text(out, ", required");
	else if (!row->required && !usual)
		buf_text(out, ", optional");
}

static const char *description_of(const struct argument_row *row)
{
	static const char *const members[] = { "description", "title" };
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *own = json_string(row->schema, members[i]);
		const char *other = json_string(row->resolved, members[i]);
		if (own && *own)
			return own;
		if (other && *other)
			return other;
	}
	return NULL;
}

static void add_row(struct describing *s, const struct rows *rows, size_t index)
{
	const struct argument_row *row = &rows->list.row[index];
	size_t columns = rows->list.columns;
	CLEANUP(buf_done) struct buf label = { 0 };
	CLEANUP(buf_done) struct buf rule = { 0 };
	CLEANUP(buf_done) struct buf lead = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	const char *description = description_of(row);
	add_label(&label, row);
	buf_text(&s->b, "  ");
	term_painted(&s->b, s->color, PAINT_STRONG, buf_string(&label));
	wrap_pad(&s->b, text_width(buf_string(&label), label.len), columns);
	add_rule(&rule, rows, index);
	wrap_pad(&lead, 0, columns + 4);
	struct wrap how = { lead.len, lead.len, s->width };
	text_safe(&safe, buf_string(&rule), rule.len, TEXT_LINE);
	buf_text(&s->b, "  ");
	wrap_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
	if (description)
		add_paragraph(s, buf_string(&lead), description);
}

/* ---- what stands around them ---- */

/* "a and b" of {"required":["a","b"]}; -1: the schema says more, or nothing. */
static int add_names(struct buf *out, const cJSON *schema)
{
	const cJSON *required = json_array(schema, "required");
	const cJSON *name;
	if (!required || !required->child || cJSON_GetArraySize(schema) != 1)
		return -1;
	cJSON_ArrayForEach(name, required) {
		if (!cJSON_IsString(name))
			return -1;
		if (name != required->child)
			buf_text(out, " and ");
		buf_printf(out, "'%s'", name->valuestring);
	}
	return 0;
}

/* {"anyOf":[{"required":["a"]},{"required":["b"]}]}: which of them must be there. */
static void add_needs(struct describing *s, const cJSON *schema,
		      const char *keyword, const char *lead)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	const cJSON *choices = json_array(schema, keyword);
	const cJSON *each;
	if (!choices || !choices->child)
		return;
	buf_text(&text, lead);
	cJSON_ArrayForEach(each, choices) {
		if (each != choices->child)
			buf_text(&text, ", or ");
		if (add_names(&text, each) != 0)
			return;
	}
	add_paragraph(s, "  ", buf_string(&text));
}

/*
 * What an object of this schema holds, a row each; or, if that is nothing, the
 * whole in words. result: it comes back, so what is required is always there.
 */
static void add_schema(struct describing *s, const cJSON *schema, bool result)
{
	struct rows rows = { .root = schema, .result = result };
	const cJSON *whole = schema_resolve(schema, schema);
	argument_rows_init(&rows.list, schema);
	rows.list.columns = label_columns(&rows.list);
	if (rows.list.count == 0 && result) {
		CLEANUP(buf_done) struct buf rule = { 0 };
		schema_describe(schema, &rule);
		add_paragraph(s, "  ", buf_string(&rule));
	} else if (rows.list.count == 0) {
		add_paragraph(s, "  ", "none");
	}
	for (size_t i = 0; i < rows.list.count; i++)
		add_row(s, &rows, i);
	if (rows.list.cut)
		add_paragraph(s, "  ",
			      "… and more (-o json has the whole schema)");
	add_needs(s, whole, "anyOf", "At least one is needed: ");
	add_needs(s, whole, "oneOf", "Exactly one is needed: ");
	argument_rows_done(&rows.list);
}

static void add_title(struct describing *s, const struct tool *t)
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
		add_paragraph(s, "  ", t->title);
	if (*t->description)
		add_paragraph(s, "  ", t->description);
	else if (!titled)
		add_paragraph(s, "  ", "(no description)");
}

/* Whoever sees the name alone may take it for the other. */
static void add_look(struct describing *s, const struct describe_record *d)
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

static void add_arguments(struct describing *s, const struct tool *t)
{
	add_heading(s, "arguments");
	add_schema(s, t->schema, false);
}

static void add_result(struct describing *s, const struct tool *t)
{
	const cJSON *schema = json_member(t->json, "outputSchema");
	if (!schema)
		return;
	add_heading(s, "result");
	add_schema(s, schema, true);
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

static void add_annotations(struct describing *s, const struct tool *t)
{
	const cJSON *all = json_object(t->json, "annotations");
	const cJSON *member;
	if (!all || !all->child)
		return;
	add_heading(s, "annotations");
	cJSON_ArrayForEach(member, all) {
		CLEANUP(buf_done) struct buf line = { 0 };
		const char *means = meaning(member);
		buf_printf(&line, "%s: ", member->string);
		json_print(&line, member);
		if (*means)
			buf_printf(&line, " (%s)", means);
		add_paragraph(s, "  ", buf_string(&line));
	}
}

/* Why there is none, as far as one argument is to blame. */
static void add_no_example(struct describing *s, const struct tool *t)
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
	add_paragraph(s, "  ", buf_string(&text));
}

static void add_example(struct describing *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf example = { 0 };
	add_heading(s, "example");
	if (arguments_example(t, &example) != 0) {
		add_no_example(s, t);
		return;
	}
	add_copy_line(s, buf_string(&example));
	buf_reset(&example);
	if (arguments_example_filled(t, &example) == 0)
		add_copy_line(s, buf_string(&example));
}

/* Where its picture may go: an example's address would get none. */
static void add_upload(struct describing *s, const struct describe_record *d)
{
	CLEANUP(mem_free_ptr)
	char *call = mem_printf("call %s --upload %s", d->tool->name,
				d->upload_argument);
	CLEANUP(mem_free_ptr) char *argument = NULL;

	add_heading(s, "upload");
	add_copy_line(s, call);
	if (!d->upload)
		return;
	add_paragraph(
		s, "  ",
		"lets the board send it here, to an address that is made for that call. This one takes one picture of this board, within 10 minutes:");
	argument = mem_printf("%s=%s", d->upload_argument, d->upload);
	add_copy_line(s, argument);
}

static void add_backends(struct describing *s, const struct describe_record *d)
{
	CLEANUP(tool_notes_done) struct tool_notes notes = { 0 };
	tool_notes_find(&notes, d->list, d->tool);
	if (notes.count == 0)
		return;
	add_heading(s, "backends");
	for (size_t i = 0; i < notes.count; i++) {
		const struct tool_note *n = &notes.item[i];
		CLEANUP(buf_done) struct buf text = { 0 };

		if (n->code != NOTE_HAS_NO_CODE)
			buf_printf(&text, "%s ", finding_row(n->code)->code);
		buf_text(&text, n->text);
		add_paragraph(s, "  - ", buf_string(&text));
	}
}

void text_describe(struct renderer *r, const struct describe_record *d)
{
	struct describing s = { .color = r->out_color,
				.width = r->out_terminal ? r->width : 0 };
	CLEANUP(buf_done) struct buf usage = { 0 };
	add_title(&s, d->tool);
	add_look(&s, d);
	arguments_usage(d->tool, &usage);
	add_heading(&s, "usage");
	add_copy_line(&s, buf_string(&usage));
	add_arguments(&s, d->tool);
	if (d->upload_argument)
		add_upload(&s, d);
	else
		add_example(&s, d->tool);
	add_result(&s, d->tool);
	add_annotations(&s, d->tool);
	if (d->device)
		add_backends(&s, d);
	put_out(r, &s.b);
	buf_done(&s.b);
}
