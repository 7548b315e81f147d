/* SPDX-License-Identifier: MIT */
/*
 * Lists of tools as text, each content once. Its name is a hash of the
 * content; what has the same hash is compared, since devices are strangers.
 */
#include "serve/tool_lists.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "mcp/tools.h"
#include "mcp/types.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One tool on its way into a list. */
struct item {
	struct span text;
	char *name;
	size_t position;
};

static void list_free(struct shared_list *list)
{
	mem_free(list->text);
	mem_free(list->at);
	mem_free(list);
}

void tool_lists_done(struct tool_lists *b)
{
	struct shared_list *list;
	size_t at = 0;

	while ((list = map_each(&b->lists, &at)))
		list_free(list);
	map_done(&b->lists);
	*b = (struct tool_lists){ 0 };
}

/* Of a tool's text, decoded; yours. */
static char *name_of(struct span tool)
{
	struct span name;
	char *text = json_span_member(tool, "name", &name) ?
			     json_span_string(name) :
			     NULL;

	return text ? text : mem_strdup("");
}

/* By name; those of the same name as they were listed. */
static int compare_items(const void *a, const void *b)
{
	const struct item *left = a, *right = b;
	int order = strcmp(left->name, right->name);

	if (order)
		return order;
	return left->position < right->position ? -1 : 1;
}

static struct item *sort_items(const struct tool_list *list)
{
	struct item *item = mem_alloc((list->count + 1) * sizeof(*item));

	for (size_t i = 0; i < list->count; i++) {
		item[i].text = tool_text(&list->tool[i]);
		item[i].name = name_of(item[i].text);
		item[i].position = i;
	}
	if (list->count)
		qsort(item, list->count, sizeof(*item), compare_items);
	return item;
}

static struct shared_list *list_new(const struct tool_list *list)
{
	struct shared_list *new = mem_zalloc(sizeof(*new));
	struct item *item = sort_items(list);
	struct buf text = { 0 };

	new->count = list->count;
	new->user = list->user_only;
	new->at = mem_alloc((list->count + 1) * sizeof(*new->at));
	for (size_t i = 0; i < list->count; i++) {
		new->at[i] = text.len;
		json_minify(&text, item[i].text.text, item[i].text.len);
		mem_free(item[i].name);
	}
	new->at[list->count] = new->len = text.len;
	mem_free(item);
	new->text = mem_realloc(buf_take(&text), new->len + 1);
	return new;
}

static void print_id(char out[17], uint64_t hash)
{
	snprintf(out, 17, "%016llx", (unsigned long long)hash);
}

struct shared_list *tool_lists_find(const struct tool_lists *b, const char *id)
{
	uint64_t hash = map_hash_text(id);
	struct shared_list *list;
	size_t at = 0;

	while ((list = map_find(&b->lists, hash, &at))) {
		if (strcmp(list->id, id) == 0)
			break;
	}
	return list;
}

static bool same_content(const struct shared_list *a,
			 const struct shared_list *b)
{
	return a->count == b->count && a->user == b->user && a->len == b->len &&
	       memcmp(a->text, b->text, a->len) == 0;
}

struct shared_list *tool_lists_hold(struct tool_lists *b,
				    const struct tool_list *list)
{
	struct shared_list *new = list_new(list), *known;
	uint64_t hash = text_hash(new->text, new->len);

	print_id(new->id, hash);
	while ((known = tool_lists_find(b, new->id))) {
		if (same_content(known, new)) {
			list_free(new);
			known->holders++;
			return known;
		}
		print_id(new->id, ++hash);
	}
	map_add(&b->lists, map_hash_text(new->id), new);
	new->holders = 1;
	return new;
}

void tool_lists_release(struct tool_lists *b, struct shared_list *list)
{
	if (!list || --list->holders > 0)
		return;
	map_remove(&b->lists, map_hash_text(list->id), list);
	list_free(list);
}

struct span shared_list_text(const struct shared_list *list, size_t i)
{
	return (struct span){ list->text + list->at[i],
			      list->at[i + 1] - list->at[i] };
}

char *shared_list_name(const struct shared_list *list, size_t i)
{
	return name_of(shared_list_text(list, i));
}

size_t shared_list_find(const struct shared_list *list, const char *name)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		CLEANUP(mem_free_ptr)
		char *found = shared_list_name(list, middle);

		if (strcmp(found, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool shared_list_tool(const struct shared_list *list, const char *name,
		      struct span *out)
{
	size_t i = shared_list_find(list, name);
	CLEANUP(mem_free_ptr) char *found = NULL;

	if (i == list->count)
		return false;
	found = shared_list_name(list, i);
	if (strcmp(found, name) != 0)
		return false;
	*out = shared_list_text(list, i);
	return true;
}

int shared_list_meant(const struct shared_list *list, const char *word,
		      struct span *out, struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list few = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	const struct tool *tool;

	*out = (struct span){ 0 };
	if (shared_list_tool(list, word, out))
		return 0;
	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(mem_free_ptr) char *name = shared_list_name(list, i);
		struct span one = shared_list_text(list, i);

		if (!tool_name_ends(name, word))
			continue;
		buf_text(&text, text.len ? "," : "");
		buf_add(&text, one.text, one.len);
	}
	if (tool_list_add_text(&few, buf_string(&text), text.len, err) ||
	    tool_list_meant(&few, word, &tool, err))
		return -1;
	if (tool)
		shared_list_tool(list, tool->name, out);
	return 0;
}

char *shared_list_nearest(const struct shared_list *list, const char *name)
{
	CLEANUP(words_done) struct words names = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(mem_free_ptr) char *found = shared_list_name(list, i);

		words_add(&names, found);
	}
	return mem_strdup(tool_name_nearest((const char *const *)names.word,
					    names.count, name));
}
