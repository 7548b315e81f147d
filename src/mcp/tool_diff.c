/* SPDX-License-Identifier: MIT */
/* What changed between two lists of tools, and whether that breaks callers. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/tool_diff.h"
#include "mcp/tools.h"

/*
 * What is not the same in two tools. Members are walked in the order of their
 * names, so that the same differences always read the same.
 */

/* Where two values stand, in both tools. */
struct spot {
	struct tool_differences *out;
	const char *pointer;
	/* In a schema: "argument", "result", "definition", and of which. */
	const char *noun, *where;
	const struct name_set *required[2]; /* of the schema around */
	const char *label; /* outside of one */
};

/* old or new is NULL where there is no member of that name. */
typedef void at_pair(const struct spot *s, const char *name, const cJSON *old,
		     const cJSON *new);

static void diff_schema(const struct spot *s, const cJSON *old,
			const cJSON *new);

static struct tool_difference *add(const struct spot *s, const char *label,
				   const cJSON *old, const cJSON *new)
{
	struct tool_differences *d = s->out;

	d->item = mem_grow(d->item, &d->capacity, d->count, sizeof(*d->item));
	d->item[d->count] = (struct tool_difference){
		.pointer = mem_strdup(s->pointer),
		.label = mem_strdup(label),
		.old = old,
		.new = new,
	};
	return &d->item[d->count++];
}

static void compare(const struct spot *s, const char *label, const cJSON *old,
		    const cJSON *new)
{
	if (!json_equal(old, new))
		add(s, label, old, new);
}

/* RFC 6901; yours. */
static char *pointer_to(const char *pointer, const char *name)
{
	struct buf out = { 0 };

	buf_printf(&out, "%s/", pointer);
	for (; *name; name++) {
		if (*name == '~' || *name == '/')
			buf_text(&out, *name == '~' ? "~0" : "~1");
		else
			buf_char(&out, *name);
	}
	return buf_take(&out);
}

static void at_member(const struct spot *s, at_pair *fn, const cJSON *old,
		      const cJSON *new)
{
	const cJSON *is = old ? old : new;
	CLEANUP(mem_free_ptr) char *pointer = NULL;
	struct spot inner = *s;

	if (!is)
		return;
	pointer = pointer_to(s->pointer, is->string);
	inner.pointer = pointer;
	fn(&inner, is->string, old, new);
}

/* Every name that either object has. */
static void each_pair(const struct spot *s, const cJSON *old, const cJSON *new,
		      at_pair *fn)
{
	CLEANUP(tool_members_done) struct tool_members a = { 0 };
	CLEANUP(tool_members_done) struct tool_members b = { 0 };
	size_t i = 0, k = 0;

	tool_members_of(&a, old);
	tool_members_of(&b, new);
	while (i < a.count || k < b.count) {
		int order = i == a.count ? 1 :
			    k == b.count ? -1 :
					   strcmp(a.item[i]->string,
						  b.item[k]->string);
		const cJSON *x = order <= 0 ? a.item[i++] : NULL;
		const cJSON *y = order >= 0 ? b.item[k++] : NULL;

		at_member(s, fn, x, y);
	}
}

/* ---- in a schema ---- */

/* "argument volume: maximum"; where nothing stands, "arguments: type". Yours. */
static char *label_of(const struct spot *s, const char *keyword)
{
	const char *end = keyword ? ": " : "";

	if (*s->where)
		return mem_printf("%s %s%s%s", s->noun, s->where, end,
				  keyword ? keyword : "");
	return mem_printf("%s%s%s%s", s->noun,
			  strcmp(s->noun, "argument") == 0 ? "s" : "", end,
			  keyword ? keyword : "");
}

static char *where_of(const struct spot *s, const char *name)
{
	return mem_printf("%s%s%s", s->where, *s->where ? "." : "", name);
}

/* The same place, seen through a schema inside; where is not copied. */
static void diff_inside(const struct spot *s, const char *where,
			const cJSON *old, const cJSON *new)
{
	struct spot inner = *s;

	inner.where = where;
	if (cJSON_IsObject(old) && cJSON_IsObject(new)) {
		diff_schema(&inner, old, new);
		return;
	}
	CLEANUP(mem_free_ptr) char *label = label_of(&inner, NULL);
	compare(&inner, label, old, new);
}

static void at_property(const struct spot *s, const char *name,
			const cJSON *old, const cJSON *new)
{
	CLEANUP(mem_free_ptr) char *where = where_of(s, name);
	struct spot inner = *s;
	struct tool_difference *d;

	if (old && new) {
		diff_inside(s, where, old, new);
		return;
	}
	inner.where = where;
	CLEANUP(mem_free_ptr) char *label = label_of(&inner, NULL);
	d = add(s, label, old, new);
	d->argument = true;
	d->required =
		name_set_find(s->required[old ? 0 : 1], name) != NAME_NONE;
}

/* What both schemas name as required and as properties. */
struct diff_names {
	struct name_set required[2], known[2];
};

static void names_find(struct diff_names *n, const cJSON *old, const cJSON *new)
{
	const cJSON *side[2] = { old, new };

	for (int i = 0; i < 2; i++) {
		tool_names_add(&n->required[i],
			       json_array(side[i], "required"));
		tool_names_add(&n->known[i],
			       json_object(side[i], "properties"));
	}
}

static void names_done(struct diff_names *n)
{
	for (int i = 0; i < 2; i++) {
		name_set_done(&n->required[i]);
		name_set_done(&n->known[i]);
	}
}

static bool has(const struct name_set *set, const char *name)
{
	return name_set_find(set, name) != NAME_NONE;
}

/* Of an argument that came or went as a whole, it is said there. */
static void add_required(const struct spot *s, struct diff_names *n, int side,
			 const cJSON *name)
{
	const char *text = cJSON_GetStringValue(name);
	struct name_set *other = &n->required[1 - side];

	if (!text || has(other, text) ||
	    has(&n->known[0], text) != has(&n->known[1], text))
		return;
	CLEANUP(mem_free_ptr) char *where = where_of(s, text);
	struct spot inner = *s;

	inner.where = where;
	CLEANUP(mem_free_ptr) char *label = label_of(&inner, NULL);
	add(s, label, side == 0 ? name : NULL, side == 1 ? name : NULL)
		->required = true;
	name_set_add(other, text, 0); /* told once */
}

static void diff_required(const struct spot *s, struct diff_names *n,
			  const cJSON *old, const cJSON *new)
{
	CLEANUP(mem_free_ptr)
	char *pointer = pointer_to(s->pointer, "required");
	struct spot inner = *s;
	const cJSON *name;

	inner.pointer = pointer;
	cJSON_ArrayForEach(name, json_array(old, "required")) {
		add_required(&inner, n, 0, name);
	}
	cJSON_ArrayForEach(name, json_array(new, "required")) {
		add_required(&inner, n, 1, name);
	}
}

static void at_definition(const struct spot *s, const char *name,
			  const cJSON *old, const cJSON *new)
{
	struct spot inner = *s;

	inner.noun = "definition";
	diff_inside(&inner, name, old, new);
}

/* anyOf, prefixItems, …: one by one, where there are as many as before. */
static void diff_elements(const struct spot *s, const char *keyword,
			  const cJSON *old, const cJSON *new)
{
	const cJSON *a = cJSON_GetArrayItem(old, 0);
	const cJSON *b = cJSON_GetArrayItem(new, 0);

	for (size_t i = 0; a && b; i++, a = a->next, b = b->next) {
		CLEANUP(mem_free_ptr)
		char *where = mem_printf("%s%s(%s %zu)", s->where,
					 *s->where ? " " : "", keyword, i + 1);
		CLEANUP(mem_free_ptr)
		char *pointer = mem_printf("%s/%zu", s->pointer, i);
		struct spot inner = *s;

		inner.pointer = pointer;
		diff_inside(&inner, where, a, b);
	}
}

static bool is_one_of(const char *word, const char *const *words)
{
	while (*words && strcmp(*words, word) != 0)
		words++;
	return *words;
}

static bool all_texts(const cJSON *array)
{
	const cJSON *element;

	cJSON_ArrayForEach(element, array) {
		if (!cJSON_IsString(element))
			return false;
	}
	return !array || cJSON_IsArray(array);
}

static bool is_object_or_none(const cJSON *value)
{
	return !value || cJSON_IsObject(value);
}

static void at_keyword(const struct spot *s, const char *name, const cJSON *old,
		       const cJSON *new)
{
	static const char *const lists[] = { "anyOf", "oneOf", "allOf",
					     "prefixItems", NULL };
	static const char *const definitions[] = { "$defs", "definitions",
						   NULL };
	bool objects = cJSON_IsObject(old) && cJSON_IsObject(new);
	bool items = strcmp(name, "items") == 0;

	/* diff_schema has done these. */
	if (strcmp(name, "properties") == 0 && is_object_or_none(old) &&
	    is_object_or_none(new))
		return;
	if (strcmp(name, "required") == 0 && all_texts(old) && all_texts(new))
		return;
	if (objects && is_one_of(name, definitions)) {
		each_pair(s, old, new, at_definition);
	} else if (objects &&
		   (items || strcmp(name, "additionalProperties") == 0)) {
		CLEANUP(mem_free_ptr)
		char *where = mem_printf("%s%s", s->where, items ? "[]" : ".*");
		diff_inside(s, where, old, new);
	} else if (cJSON_IsArray(old) && cJSON_IsArray(new) &&
		   cJSON_GetArraySize(old) == cJSON_GetArraySize(new) &&
		   is_one_of(name, lists)) {
		diff_elements(s, name, old, new);
	} else {
		CLEANUP(mem_free_ptr) char *label = label_of(s, name);
		compare(s, label, old, new);
	}
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void diff_schema(const struct spot *s, const cJSON *old,
			const cJSON *new)
{
	CLEANUP(mem_free_ptr)
	char *pointer = pointer_to(s->pointer, "properties");
	CLEANUP(names_done) struct diff_names names = { 0 };
	struct spot inner = *s;

	names_find(&names, old, new);
	inner.pointer = pointer;
	inner.required[0] = &names.required[0];
	inner.required[1] = &names.required[1];
	each_pair(&inner, json_object(old, "properties"),
		  json_object(new, "properties"), at_property);
	diff_required(s, &names, old, new);
	each_pair(s, old, new, at_keyword);
}

/* ---- around the schemas ---- */

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tree */
static void at_plain(const struct spot *s, const char *name, const cJSON *old,
		     const cJSON *new)
{
	CLEANUP(mem_free_ptr)
	char *label =
		mem_printf("%s%s%s", s->label, *s->label ? "." : "", name);
	struct spot inner = *s;

	inner.label = label;
	if (cJSON_IsObject(old) && cJSON_IsObject(new))
		each_pair(&inner, old, new, at_plain);
	else
		compare(&inner, label, old, new);
}

static void at_tool_member(const struct spot *s, const char *name,
			   const cJSON *old, const cJSON *new)
{
	bool input = strcmp(name, "inputSchema") == 0;
	struct spot inner = *s;

	inner.noun = input ? "argument" : "result";
	inner.where = "";
	if (cJSON_IsObject(old) && cJSON_IsObject(new) &&
	    (input || strcmp(name, "outputSchema") == 0))
		diff_schema(&inner, old, new);
	else
		at_plain(s, name, old, new);
}

/* What is not the same in two tools, as it stands in old. */
static void tool_differences_find(struct tool_differences *out,
				  const struct tool *old,
				  const struct tool *new)
{
	const struct spot whole = { .out = out, .pointer = "", .label = "" };

	*out = (struct tool_differences){ 0 };
	each_pair(&whole, old->json, new->json, at_tool_member);
}

static void tool_differences_done(struct tool_differences *d)
{
	for (size_t i = 0; i < d->count; i++) {
		mem_free(d->item[i].pointer);
		mem_free(d->item[i].label);
	}
	mem_free(d->item);
	*d = (struct tool_differences){ 0 };
}

/*
 * Which tools came, went or changed: both lists sorted by name and merged.
 */

/* So many comparisons a name; with more of one name the order decides. */
#define PAIRS_MAX 10000

struct sorted {
	const struct tool **tool;
	size_t count;
};

static void sort(struct sorted *out, const struct tool_list *l)
{
	out->count = l->count;
	out->tool = mem_alloc((l->count + 1) * sizeof(struct tool *));
	for (size_t i = 0; i < l->count; i++)
		out->tool[i] = &l->tool[i];
	qsort(out->tool, out->count, sizeof(struct tool *), tool_by_name);
}

static bool any_matches(const struct tool **tool, size_t count,
			const char *filter)
{
	for (size_t i = 0; i < count; i++) {
		if (tool_matches(tool[i], filter))
			return true;
	}
	return false;
}

/* Where the tools of the first name end. */
static size_t run_length(const struct sorted *s, size_t from)
{
	size_t to = from;

	while (to < s->count &&
	       strcmp(s->tool[to]->name, s->tool[from]->name) == 0)
		to++;
	return to - from;
}

static void add_changes(struct tool_changes *out, const struct tool *old,
			const struct tool *new)
{
	struct tool_change change = { .old = old, .new = new };

	if (old && new)
		tool_differences_find(&change.differences, old, new);
	/* Such as the order of names in "required". */
	if (old && new &&change.differences.count == 0)
		return;
	out->item = mem_grow(out->item, &out->capacity, out->count,
			     sizeof(*out->item));
	out->item[out->count++] = change;
	out->added += !old;
	out->removed += !new;
	out->changed += old && new;
}

/* In equal pairs the tools become NULL. */
static void drop_equal(const struct tool **old, size_t olds,
		       const struct tool **new, size_t news)
{
	if (olds * news > PAIRS_MAX)
		return;
	for (size_t i = 0; i < olds; i++) {
		for (size_t k = 0; k < news && old[i]; k++) {
			if (!new[k] || !json_equal(old[i]->json, new[k]->json))
				continue;
			old[i] = new[k] = NULL;
		}
	}
}

static const struct tool *next(const struct tool **tool, size_t count,
			       size_t *at)
{
	while (*at < count && !tool[*at])
		(*at)++;
	return *at < count ? tool[(*at)++] : NULL;
}

/* All tools of one name, in both lists. */
static void merge(struct tool_changes *out, const struct tool **old,
		  size_t olds, const struct tool **new, size_t news)
{
	size_t i = 0, k = 0;

	drop_equal(old, olds, new, news);
	for (;;) {
		const struct tool *a = next(old, olds, &i);
		const struct tool *b = next(new, news, &k);

		if (!a && !b)
			return;
		add_changes(out, a, b);
	}
}

void tool_changes_find(struct tool_changes *out, const struct tool_list *old,
		       const struct tool_list *new, const char *filter)
{
	struct sorted a, b;
	size_t i = 0, k = 0;

	*out = (struct tool_changes){ 0 };
	sort(&a, old);
	sort(&b, new);
	while (i < a.count || k < b.count) {
		int order =
			i == a.count ? 1 :
			k == b.count ? -1 :
				       strcmp(a.tool[i]->name, b.tool[k]->name);
		size_t olds = order <= 0 ? run_length(&a, i) : 0;
		size_t news = order >= 0 ? run_length(&b, k) : 0;

		if (any_matches(a.tool + i, olds, filter) ||
		    any_matches(b.tool + k, news, filter))
			merge(out, a.tool + i, olds, b.tool + k, news);
		i += olds;
		k += news;
	}
	mem_free(a.tool);
	mem_free(b.tool);
}

void tool_changes_done(struct tool_changes *c)
{
	for (size_t i = 0; i < c->count; i++)
		tool_differences_done(&c->item[i].differences);
	mem_free(c->item);
	*c = (struct tool_changes){ 0 };
}

const char *tool_change_name(const struct tool_change *c)
{
	if (c->new)
		return c->new->name;
	return c->old ? c->old->name : "";
}
