/* SPDX-License-Identifier: MIT */
/*
 * Walks a schema's properties in their order, with a stack of its own: a peer
 * decides how deep they are. What a reference leads back to is named, not
 * walked again.
 */
#include "out/argument_rows.h"
#include "base/mem.h"
#include "mcp/schema.h"
#include "mcp/schema_look.h"

#include <string.h>

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
