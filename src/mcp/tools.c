/* SPDX-License-Identifier: MIT */
/* Tools and lists of them: decoded, kept, found. */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "mcp/tool_effect.h"
#include "mcp/tools.h"
#include "mcp/types.h"

#define MEANT_SHOWN 20 /* tools that a part of a name may mean */

/* One tool: whether it matches a word, and what backends make of its name. */

int tool_by_name(const void *a, const void *b)
{
	const struct tool *const *x = a, *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	if (order != 0)
		return order;
	return (*x)->position < (*y)->position ? -1 : 1;
}

bool tool_matches(const struct tool *t, const char *word_or_glob)
{
	const cJSON *argument;

	if (!word_or_glob)
		return true;
	if (text_has_glob(word_or_glob))
		return text_glob(word_or_glob, t->name);
	if (text_find(t->name, word_or_glob) ||
	    text_find(t->description, word_or_glob) ||
	    (t->title && text_find(t->title, word_or_glob)))
		return true;
	cJSON_ArrayForEach(argument, json_object(t->schema, "properties")) {
		if (text_find(argument->string, word_or_glob))
			return true;
	}
	return false;
}

static bool is_plain(unsigned char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/* How many bytes the character at text has; a lone or cut byte counts as one. */
static size_t character_length(const char *text)
{
	unsigned char c = (unsigned char)*text;
	size_t want = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
	size_t len = 1;

	while (len < want && ((unsigned char)text[len] & 0xc0) == 0x80)
		len++;
	return len;
}

/* U+4E00 to U+9FFF: E4 B8 80 to E9 BF BF, all of three bytes. */
static bool is_ideograph(const char *text, size_t len)
{
	unsigned char first = (unsigned char)text[0];

	if (len != 3 || first < 0xe4 || first > 0xe9)
		return false;
	return first > 0xe4 || (unsigned char)text[1] >= 0xb8;
}

static bool keeps(const char *name, size_t len, enum sanitise_rule rule)
{
	unsigned char c = (unsigned char)*name;

	switch (rule) {
	case SANITISE_WIDE:
		return is_plain(c) || is_ideograph(name, len);
	case SANITISE_FLAT:
		return is_plain(c);
	case SANITISE_SPEC:
		return is_plain(c) || c == '.';
	case SANITISE_DOTS:
	case SANITISE_LOOK:
		break;
	}
	return c != '.';
}

void tool_sanitise(const char *name, enum sanitise_rule rule, struct buf *out)
{
	if (rule == SANITISE_LOOK) {
		text_skeleton(out, name, strlen(name));
		return;
	}
	while (*name) {
		size_t len = character_length(name);

		if (keeps(name, len, rule))
			buf_add(out, name, len);
		else
			buf_char(out, '_');
		name += len;
	}
}

const struct tool *tool_collision(const struct tool_list *l,
				  const struct tool *t, enum sanitise_rule rule)
{
	CLEANUP(buf_done) struct buf mine = { 0 };
	CLEANUP(buf_done) struct buf other = { 0 };
	const struct tool *found = NULL;

	tool_sanitise(t->name, rule, &mine);
	for (size_t i = 0; i < l->count && !found; i++) {
		const struct tool *candidate = &l->tool[i];

		if (strcmp(candidate->name, t->name) == 0)
			continue;
		buf_reset(&other);
		tool_sanitise(candidate->name, rule, &other);
		if (strcmp(buf_string(&mine), buf_string(&other)) == 0)
			found = candidate;
	}
	return found;
}

/*
 * The tools of all pages of a listing. Asking for the pages is listing.c's
 * matter; a single tool stands above.
 */

/* Longer names are not compared letter by letter: that cost is a product. */
#define NEAREST_LENGTH_MAX 200

/* One page's text, and where its tools stand in it once somebody asked. */
struct tool_source {
	struct span result;
	bool searched;
	struct span *span;
	size_t count, capacity;
};

static void source_add(struct tool_source *s, struct span span)
{
	s->span = mem_grow(s->span, &s->capacity, s->count, sizeof(*s->span));
	s->span[s->count++] = span;
}

static void source_search(struct tool_source *s)
{
	struct span tools, element;
	size_t at = 0;

	if (!json_span_member(s->result, "tools", &tools))
		return;
	while (json_span_next(tools, &at, &element))
		source_add(s, element);
}

struct span tool_text(const struct tool *t)
{
	struct tool_source *s = t->source;

	if (s && !s->searched) {
		s->searched = true;
		source_search(s);
	}
	if (!s || t->element >= s->count)
		return (struct span){ .text = "" };
	return s->span[t->element];
}

static void source_free(struct tool_source *s)
{
	mem_free(s->span);
	mem_free(s);
}

void tool_list_done(struct tool_list *l)
{
	for (size_t i = 0; i < l->pages; i++) {
		source_free(l->source[i]);
		message_done(&l->page[i]);
	}
	mem_free(l->source);
	mem_free(l->page);
	mem_free(l->tool);
	name_set_done(&l->names);
	*l = (struct tool_list){ 0 };
}

static bool audience_is_user(const cJSON *annotations)
{
	const cJSON *audience = json_array(annotations, "audience");
	const cJSON *first = audience ? audience->child : NULL;

	return first && !first->next && cJSON_IsString(first) &&
	       strcmp(first->valuestring, "user") == 0;
}

static void keep_string(const char **out, const cJSON *member)
{
	if (!*out && cJSON_IsString(member))
		*out = member->valuestring;
}

/* One walk over the members: looking up each name would cost five. */
static void tool_decode(struct tool *t, const cJSON *json)
{
	const cJSON *annotations = NULL;
	const cJSON *member;

	t->json = json;
	cJSON_ArrayForEach(member, json) {
		const char *key = member->string;

		if (strcmp(key, "name") == 0)
			keep_string(&t->name, member);
		else if (strcmp(key, "title") == 0)
			keep_string(&t->title, member);
		else if (strcmp(key, "description") == 0)
			keep_string(&t->description, member);
		else if (strcmp(key, "inputSchema") == 0 && !t->schema)
			t->schema = member;
		else if (strcmp(key, "annotations") == 0 && !annotations)
			annotations = member;
	}
	if (annotations) {
		t->user_only = audience_is_user(annotations);
		if (!t->title)
			t->title = json_string(annotations, "title");
	}
	if (!t->name)
		t->name = "";
	if (!t->description)
		t->description = "";
}

static void tool_list_append(struct tool_list *l, const cJSON *json,
			     size_t element)
{
	struct tool *t;

	l->tool = mem_grow(l->tool, &l->capacity, l->count, sizeof(*l->tool));
	t = &l->tool[l->count];
	*t = (struct tool){
		.position = l->count,
		.page = l->pages - 1,
		.element = element,
		.source = l->source[l->pages - 1],
	};
	tool_decode(t, json);
	if (*t->name)
		t->duplicate =
			name_set_add(&l->names, t->name, l->count) != NAME_NONE;
	l->user_only += t->user_only;
	l->count++;
}

void tool_call_params(struct buf *out, const char *name, const char *arguments)
{
	buf_text(out, "{\"name\":");
	buf_json_string(out, name, strlen(name));
	buf_printf(out, ",\"arguments\":%s}", arguments);
}

void tool_list_filter(struct tool_list *l,
		      bool (*keep)(void *owner, const struct tool *t),
		      void *owner)
{
	size_t count = 0;

	name_set_done(&l->names);
	l->user_only = 0;
	for (size_t i = 0; i < l->count; i++) {
		struct tool t = l->tool[i];

		if (!keep(owner, &t))
			continue;
		t.duplicate = *t.name && name_set_add(&l->names, t.name,
						      count) != NAME_NONE;
		l->user_only += t.user_only;
		l->tool[count++] = t;
	}
	l->count = count;
}

static void tool_list_keep_page(struct tool_list *l, struct message *page)
{
	struct tool_source *source = mem_zalloc(sizeof(*source));

	l->page = mem_grow(l->page, &l->pages_capacity, l->pages,
			   sizeof(*l->page));
	l->source = mem_grow(l->source, &l->source_capacity, l->pages,
			     sizeof(struct tool_source *));
	message_take(&l->page[l->pages], page);
	source->result = l->page[l->pages].result_text;
	l->source[l->pages++] = source;
}

int tool_list_add_take(struct tool_list *l, struct message *page,
		       size_t *skipped, struct error *err)
{
	const cJSON *tools = json_array(page->result, "tools");
	const cJSON *json;
	size_t element = 0;

	if (!tools) {
		error_set(err, ERR_PROTOCOL,
			  "the answer to tools/list has no array 'tools'");
		error_detail(err, page->text ? page->text : "", page->len);
		message_done(page);
		return -1;
	}
	tool_list_keep_page(l, page);
	cJSON_ArrayForEach(json, tools) {
		if (cJSON_IsObject(json))
			tool_list_append(l, json, element);
		else if (skipped)
			(*skipped)++;
		element++;
	}
	return 0;
}

int tool_list_add_text(struct tool_list *l, const char *text, size_t len,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf page = { 0 };
	struct message m;

	buf_text(&page, "{\"result\":{\"tools\":[");
	buf_add(&page, text, len);
	buf_text(&page, "]}}");
	if (message_decode(&m, page.data, page.len, err))
		return -1;
	return tool_list_add_take(l, &m, NULL, err);
}

bool tool_is_task_only(const struct tool *t)
{
	const cJSON *execution = json_object(t->json, "execution");

	return text_same(json_string(execution, "taskSupport"), "required");
}

const struct tool *tool_list_find(const struct tool_list *l, const char *name)
{
	size_t at = name_set_find(&l->names, name);

	return at == NAME_NONE ? NULL : &l->tool[at];
}

/* The last len bytes of a name, if a dot stands before them; else NULL. */
static const char *last_bytes(const char *name, size_t len)
{
	size_t whole = strlen(name);

	if (len == 0 || whole <= len || name[whole - len - 1] != '.')
		return NULL;
	return name + whole - len;
}

bool tool_name_ends(const char *name, const char *ending)
{
	const char *last = last_bytes(name, strlen(ending));

	return last && strcmp(last, ending) == 0;
}

/* Several tools of the list end so: which? */
static int ambiguous(const struct tool_list *l, const char *word,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	size_t found = 0;

	for (size_t i = 0; i < l->count; i++) {
		if (!l->tool[i].duplicate &&
		    tool_name_ends(l->tool[i].name, word) &&
		    found++ < MEANT_SHOWN)
			buf_printf(&list, "%s%s", list.len ? "\n" : "",
				   l->tool[i].name);
	}
	if (found > MEANT_SHOWN)
		buf_printf(&list, "\nand %zu more", found - MEANT_SHOWN);
	error_set(err, ERR_USAGE, "'%s' is ambiguous: %zu tools end so", word,
		  found);
	error_detail(err, buf_string(&list), list.len);
	return error_hint(err, "give the whole name");
}

/* A slip of the hand, or of the memory, must not reach such a tool. */
static int whole_name(const struct tool *t, const char *word, const char *why,
		      struct error *err)
{
	error_set(err, ERR_USAGE,
		  "'%s' is short for '%s', which %s: it needs its whole name",
		  word, t->name, why);
	return error_hint(err, "its whole name is '%s'", t->name);
}

int tool_list_named(const struct tool_list *l, const char *word,
		    const struct tool **out, struct error *err)
{
	const struct tool *only = NULL;

	*out = tool_list_find(l, word);
	if (*out)
		return 0;
	for (size_t i = 0; l->tool && i < l->count; i++) {
		const struct tool *t = &l->tool[i];

		if (t->duplicate || !tool_name_ends(t->name, word))
			continue;
		if (only)
			return ambiguous(l, word, err);
		only = t;
	}
	*out = only;
	return 0;
}

int tool_list_meant(const struct tool_list *l, const char *word,
		    const struct tool **out, struct error *err)
{
	const struct tool *only;

	*out = NULL;
	if (tool_list_named(l, word, &only, err))
		return -1;
	if (!only || strcmp(only->name, word) == 0) {
		*out = only;
		return 0;
	}
	if (only->user_only)
		return whole_name(only, word, "is for users only", err);
	if (tool_effect(only) == EFFECT_DESTROYS)
		return whole_name(only, word,
				  "may do what cannot be taken back", err);
	*out = only;
	return 0;
}

/* "set_volume" or "audio_speaker.set_volume" for a name that ends so. */
static const char *nearest_by_end(const char *const *names, size_t count,
				  const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < count; i++) {
		const char *last = last_bytes(names[i], len);

		if (last && text_same(last, name))
			return names[i];
	}
	return NULL;
}

const char *tool_name_nearest(const char *const *names, size_t count,
			      const char *name)
{
	const char *nearest = nearest_by_end(names, count, name);
	const char **candidates;
	size_t fit = 0;

	if (nearest || count == 0 || strlen(name) > NEAREST_LENGTH_MAX)
		return nearest;
	candidates = mem_alloc(count * sizeof(*candidates));
	for (size_t i = 0; i < count; i++)
		if (strlen(names[i]) <= NEAREST_LENGTH_MAX)
			candidates[fit++] = names[i];
	nearest = text_nearest(name, candidates, fit);
	mem_free(candidates);
	return nearest;
}

const char *tool_list_nearest(const struct tool_list *l, const char *name)
{
	const char **names;
	const char *nearest;

	if (l->count == 0)
		return NULL;
	names = mem_alloc(l->count * sizeof(*names));
	for (size_t i = 0; i < l->count; i++)
		names[i] = l->tool[i].name;
	nearest = tool_name_nearest(names, l->count, name);
	mem_free(names);
	return nearest;
}

/* Sorting members by name. */

struct placed {
	const cJSON *member;
	size_t position;
};

static int by_name(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = strcmp(x->member->string, y->member->string);

	if (order != 0)
		return order;
	return x->position < y->position ? -1 : 1;
}

void tool_members_of(struct tool_members *out, const cJSON *object)
{
	size_t count =
		cJSON_IsObject(object) ? (size_t)cJSON_GetArraySize(object) : 0;
	struct placed *sorted = mem_alloc((count + 1) * sizeof(*sorted));
	const cJSON *member = count ? object->child : NULL;

	*out = (struct tool_members){ 0 };
	out->item = mem_alloc((count + 1) * sizeof(cJSON *));
	for (size_t i = 0; i < count; i++, member = member->next)
		sorted[i] = (struct placed){ member, i };
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (size_t i = 0; i < count; i++) {
		if (i == 0 || strcmp(sorted[i].member->string,
				     sorted[i - 1].member->string) != 0)
			out->item[out->count++] = sorted[i].member;
	}
	mem_free(sorted);
}

void tool_members_done(struct tool_members *m)
{
	mem_free(m->item);
	*m = (struct tool_members){ 0 };
}

void tool_names_add(struct name_set *out, const cJSON *from)
{
	const cJSON *each;

	cJSON_ArrayForEach(each, from) {
		const char *name = cJSON_IsObject(from) ?
					   each->string :
					   cJSON_GetStringValue(each);

		if (name)
			name_set_add(out, name, 0);
	}
}
