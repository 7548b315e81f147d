/* SPDX-License-Identifier: MIT */
#include "bridge/catalogue.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bridge/hidden.h"
#include "bridge/odd_texts.h"
#include "bridge/own_tools.h"
#include "bridge/shown_tool.h"
#include "bridge/tool_names.h"
#include "mcp/schema_look.h"
#include "mcp/tools.h"

struct catalogue_maker {
	struct bridge_catalogue *out;
	const struct bridge_source *source;
	const struct bridge_rules *rules;
	size_t own; /* how many there are of ours */
};

/* ---- rows ---- */

static struct bridge_tool *add_row(struct bridge_catalogue *c)
{
	c->tool = mem_grow(c->tool, &c->capacity, c->count, sizeof(*c->tool));
	c->tool[c->count] = (struct bridge_tool){ 0 };
	return &c->tool[c->count++];
}

static void row_done(struct bridge_tool *row)
{
	mem_free(row->name);
	mem_free(row->json);
	mem_free(row->member);
	mem_free(row->why);
	mem_free(row->mark);
}

static void add_member(struct bridge_tool *row, size_t source)
{
	row->member = mem_grow(row->member, &row->capacity, row->members,
			       sizeof(*row->member));
	row->member[row->members++] = source;
}

static void add_tools(struct catalogue_maker *m, size_t source)
{
	const struct bridge_source *s = &m->source[source];

	for (size_t i = 0; s->tools && i < s->tools->count; i++) {
		struct bridge_tool *row = add_row(m->out);

		row->tool = &s->tools->tool[i];
		row->source = source;
		row->why = m->out->label[source] ?
				   hidden_why(s, row->tool, m->rules) :
				   mem_strdup("its board is there twice");
	}
}

struct ordered_source {
	const char *label, *id;
	size_t index;
};

static int by_label(const void *a, const void *b)
{
	const struct ordered_source *x = a, *y = b;
	int order = strcmp(x->label, y->label);

	if (order == 0)
		order = strcmp(x->id, y->id);
	return order ? order : (x->index > y->index) - (x->index < y->index);
}

/* In whatever order boards came, the table is the same. */
static void add_sources(struct catalogue_maker *m)
{
	const size_t count = m->out->sources;
	CLEANUP(mem_free_ptr)
	struct ordered_source *order = mem_zalloc((count + 1) * sizeof(*order));

	for (size_t i = 0; i < count; i++) {
		const char *label = m->out->label[i];

		order[i] = (struct ordered_source){ label ? label : "",
						    m->source[i].id, i };
	}
	qsort(order, count, sizeof(*order), by_label);
	for (size_t i = 0; i < count; i++)
		add_tools(m, order[i].index);
}

static char *why_too_many(size_t most)
{
	return mem_printf(
		"there are more than the %zu tools that are shown at most",
		most);
}

static void add_own(struct catalogue_maker *m)
{
	for (int t = 0; t < OWN_TOOLS; t++) {
		struct bridge_tool *row;

		if (!own_tool_is_on((enum own_tool)t, m->rules))
			continue;
		row = add_row(m->out);
		row->source = SIZE_MAX;
		if (m->rules->most && m->own == m->rules->most) {
			row->why = why_too_many(m->rules->most);
			continue;
		}
		row->name = mem_strdup(own_tool_name((enum own_tool)t));
		m->own++;
	}
}

/* ---- many boards, one tool ---- */

static size_t count_visible(const struct bridge_catalogue *c)
{
	size_t count = 0;

	for (size_t i = 0; i < c->count; i++)
		count += !c->tool[i].why;
	return count;
}

/* The argument that says whose it is must be free. */
static bool can_merge(const struct bridge_tool *row)
{
	const cJSON *schema = row->tool ? row->tool->schema : NULL;

	return row->tool && !row->why &&
	       !schema_property(schema, schema, "device");
}

/* The same for equal schemas, whatever their order. */
/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static uint64_t schema_hash(const cJSON *schema)
{
	uint64_t hash;
	const cJSON *one;

	if (!schema)
		return 0;
	hash = (unsigned)schema->type & 0xff;
	if (cJSON_IsString(schema))
		hash += map_hash_text(schema->valuestring);
	cJSON_ArrayForEach(one, schema) {
		hash += schema_hash(one) *
			(one->string ? map_hash_text(one->string) | 1 : 3);
	}
	return hash;
}

static bool are_equal(const struct tool *a, const struct tool *b)
{
	return strcmp(a->name, b->name) == 0 &&
	       (a->schema == b->schema || json_equal(a->schema, b->schema));
}

/* The first that row is equal to; itself if there was none, noted then. */
static struct bridge_tool *head_of(struct map *heads, struct bridge_tool *row)
{
	uint64_t hash =
		map_hash_text(row->tool->name) ^ schema_hash(row->tool->schema);
	struct bridge_tool *found;
	size_t at = 0;

	hash = hash ? hash : 1;
	while ((found = map_find(heads, hash, &at))) {
		if (are_equal(found->tool, row->tool))
			return found;
	}
	map_add(heads, hash, row);
	return row;
}

/* Of those that joined another nothing is left. */
static void compact(struct bridge_catalogue *c, const bool *joined)
{
	size_t kept = 0;

	for (size_t i = 0; i < c->count; i++) {
		if (joined[i])
			row_done(&c->tool[i]);
		else
			c->tool[kept++] = c->tool[i];
	}
	c->count = kept;
}

static void merge(struct bridge_catalogue *c)
{
	CLEANUP(mem_free_ptr) bool *joined = mem_zalloc(c->count + 1);
	struct map heads = { 0 };

	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i], *head;

		if (!can_merge(row))
			continue;
		head = head_of(&heads, row);
		add_member(head, row->source);
		joined[i] = head != row;
	}
	map_done(&heads);
	compact(c, joined);
	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i];

		row->merged = row->members > 1;
		if (row->merged)
			continue;
		mem_free(TAKE(row->member));
		row->members = row->capacity = 0;
	}
}

static void merge_by_rules(struct catalogue_maker *m)
{
	struct bridge_catalogue *c = m->out;

	c->merged = c->sources > 1 &&
		    (m->rules->merge || count_visible(c) > BRIDGE_MERGE_ABOVE);
	if (c->merged)
		merge(c);
}

/* ---- names ---- */

/* What is merged is nobody's alone, and of one name with its like for its schema. */
static char *key_of(const struct catalogue_maker *m,
		    const struct bridge_tool *row)
{
	struct buf text = { 0 };

	if (!row->merged)
		return mem_strdup(m->source[row->source].id);
	json_print(&text, row->tool->schema);
	return buf_take(&text);
}

static void take_name(struct bridge_tool *row, struct wanted_name *w)
{
	row->name = w->out;
	if (row->name)
		return;
	row->why = mem_strdup("its name cannot be told from that of another");
	row->left_out = true;
}

static void name_rows(struct catalogue_maker *m)
{
	struct bridge_catalogue *c = m->out;
	const size_t room = c->count + 1;
	CLEANUP(mem_free_ptr)
	struct wanted_name *w = mem_zalloc(room * sizeof(*w));
	CLEANUP(mem_free_ptr) size_t *row = mem_zalloc(room * sizeof(*row));
	CLEANUP(mem_free_ptr)
	const char **taken = mem_zalloc((OWN_TOOLS + 1) * sizeof(*taken));
	size_t count = 0, own = 0;

	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *t = &c->tool[i];

		if (!t->tool && t->name)
			taken[own++] = t->name;
		if (!t->tool || t->why)
			continue;
		w[count] = (struct wanted_name){
			.label = c->sources > 1 && !t->merged ?
					 c->label[t->source] :
					 NULL,
			.name = t->tool->name,
			.key = key_of(m, t),
		};
		row[count++] = i;
	}
	tool_names_find(w, count, m->rules->names, taken);
	for (size_t i = 0; i < count; i++) {
		take_name(&c->tool[row[i]], &w[i]);
		mem_free(w[i].key);
	}
}

/* ---- no more than the host takes ---- */

/* Ours first: they say what there is beside, and may reach it. */
static void limit(struct catalogue_maker *m)
{
	struct bridge_catalogue *c = m->out;
	const size_t most = m->rules->most;
	size_t left = most > m->own ? most - m->own : 0;

	if (most == 0)
		return;
	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i];

		if (row->why || !row->tool)
			continue;
		if (left) {
			left--;
			continue;
		}
		row->why = why_too_many(most);
		row->left_out = true;
	}
}

/* ---- as the host gets them ---- */

static char *row_json(const struct catalogue_maker *m,
		      const struct bridge_tool *row)
{
	struct shown_tool s = {
		.name = row->name,
		.tool = row->tool,
		.source = m->source,
		.label = m->out->label,
		.member = row->merged ? row->member : &row->source,
		.members = row->merged ? row->members : 1,
		.merged = row->merged,
		.several = m->out->sources > 1,
	};

	return row->tool ? shown_tool_json(&s) :
			   own_tool_json(own_tool_named(row->name));
}

static void show_rows(struct catalogue_maker *m)
{
	struct bridge_catalogue *c = m->out;

	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i];

		if (row->why)
			continue;
		row->json = row_json(m, row);
		c->shown++;
	}
}

/* Of one board stand together those that are no part of a merged one. */
static void mark_rows(struct catalogue_maker *m)
{
	struct bridge_catalogue *c = m->out;
	struct odd_signs *signs = odd_signs_new();
	const struct tool **like = NULL;
	const struct tool_list *list = NULL;

	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i];

		if (!row->tool)
			continue;
		if (!like || m->source[row->source].tools != list) {
			mem_free(like);
			list = m->source[row->source].tools;
			like = look_alikes(list);
		}
		row->mark = odd_texts(signs, row->tool,
				      like[row->tool - list->tool]);
	}
	mem_free(like);
	odd_signs_free(signs);
}

/* ---- where they are found ---- */

static uint64_t place_hash(size_t source, const char *name)
{
	uint64_t hash = map_hash_text(name) + source * UINT64_C(0x9e3779b97f4a);

	return hash ? hash : 1;
}

static void note_places(struct bridge_catalogue *c, struct bridge_tool *row)
{
	for (size_t i = 0; i < row->members; i++)
		map_add(&c->by_place,
			place_hash(row->member[i], row->tool->name), row);
	if (!row->members && !row->tool->duplicate)
		map_add(&c->by_place, place_hash(row->source, row->tool->name),
			row);
}

static void note_rows(struct bridge_catalogue *c)
{
	for (size_t i = 0; i < c->count; i++) {
		struct bridge_tool *row = &c->tool[i];

		if (row->name && !row->why)
			map_add(&c->by_name, map_hash_text(row->name), row);
		if (row->tool)
			note_places(c, row);
	}
}

void bridge_catalogue_make(struct bridge_catalogue *out,
			   const struct bridge_source *source, size_t count,
			   const struct bridge_rules *rules)
{
	struct catalogue_maker m = { .out = out,
				     .source = source,
				     .rules = rules };

	*out = (struct bridge_catalogue){ .sources = count };
	out->label = source_labels(source, count);
	add_sources(&m);
	add_own(&m);
	merge_by_rules(&m);
	limit(&m);
	name_rows(&m);
	show_rows(&m);
	mark_rows(&m);
	note_rows(out);
}

void bridge_catalogue_done(struct bridge_catalogue *c)
{
	for (size_t i = 0; i < c->count; i++)
		row_done(&c->tool[i]);
	for (size_t i = 0; c->label && i < c->sources; i++)
		mem_free(c->label[i]);
	mem_free(c->tool);
	mem_free(c->label);
	map_done(&c->by_name);
	map_done(&c->by_place);
	*c = (struct bridge_catalogue){ 0 };
}

/* ---- asked for ---- */

const struct bridge_tool *
bridge_catalogue_find(const struct bridge_catalogue *c, const char *name)
{
	const struct bridge_tool *row;
	size_t at = 0;

	while ((row = map_find(&c->by_name, map_hash_text(name), &at))) {
		if (strcmp(row->name, name) == 0)
			return row;
	}
	return NULL;
}

static bool is_of(const struct bridge_tool *row, size_t source)
{
	for (size_t i = 0; i < row->members; i++) {
		if (row->member[i] == source)
			return true;
	}
	return !row->members && row->source == source;
}

const struct bridge_tool *bridge_catalogue_at(const struct bridge_catalogue *c,
					      size_t source, const char *name)
{
	uint64_t hash = place_hash(source, name);
	const struct bridge_tool *row;
	size_t at = 0;

	while ((row = map_find(&c->by_place, hash, &at))) {
		if (strcmp(row->tool->name, name) == 0 && is_of(row, source))
			return row;
	}
	return NULL;
}

size_t bridge_catalogue_source(const struct bridge_catalogue *c,
			       const struct bridge_tool *t, const char *device)
{
	for (size_t i = 0; i < c->sources; i++) {
		if (c->label[i] && strcmp(c->label[i], device) == 0)
			return !t || is_of(t, i) ? i : SIZE_MAX;
	}
	return SIZE_MAX;
}
