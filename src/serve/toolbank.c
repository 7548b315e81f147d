/* SPDX-License-Identifier: MIT */
/*
 * Lists of tools as text, each content once. Its name is a hash of the
 * content; what has the same hash is compared, since devices are strangers.
 */
#include "serve/toolbank.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "mcp/types.h"

enum { SLOTS_FIRST = 16 };

/* One tool on its way into a list. */
struct item {
	struct span text;
	char *name;
	size_t position;
};

static void list_free(struct banked *list)
{
	mem_free(list->text);
	mem_free(list->at);
	mem_free(list);
}

void toolbank_done(struct toolbank *b)
{
	struct banked *next;

	for (size_t i = 0; i < b->slots; i++) {
		for (struct banked *list = b->slot[i]; list; list = next) {
			next = list->next;
			list_free(list);
		}
	}
	mem_free(b->slot);
	*b = (struct toolbank){ 0 };
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

static struct banked *list_new(const struct tool_list *list)
{
	struct banked *new = mem_zalloc(sizeof(*new));
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

static struct banked **slot_of(const struct toolbank *b, const char *id)
{
	uint64_t hash = strtoull(id, NULL, 16);

	return &b->slot[hash & (b->slots - 1)];
}

static void put_in_slot(struct toolbank *b, struct banked *list)
{
	struct banked **slot = slot_of(b, list->id);

	list->next = *slot;
	*slot = list;
}

static void grow(struct toolbank *b)
{
	struct toolbank old = *b;
	struct banked *next;

	b->slots = old.slots ? old.slots * 2 : SLOTS_FIRST;
	b->slot = mem_zalloc(b->slots * sizeof(struct banked *));
	for (size_t i = 0; i < old.slots; i++) {
		for (struct banked *list = old.slot[i]; list; list = next) {
			next = list->next;
			put_in_slot(b, list);
		}
	}
	mem_free(old.slot);
}

struct banked *toolbank_find(const struct toolbank *b, const char *id)
{
	struct banked *list = b->slots ? *slot_of(b, id) : NULL;

	while (list && strcmp(list->id, id) != 0)
		list = list->next;
	return list;
}

static bool same_content(const struct banked *a, const struct banked *b)
{
	return a->count == b->count && a->user == b->user && a->len == b->len &&
	       memcmp(a->text, b->text, a->len) == 0;
}

struct banked *toolbank_hold(struct toolbank *b, const struct tool_list *list)
{
	struct banked *new = list_new(list), *known;
	uint64_t hash = text_hash(new->text, new->len);

	print_id(new->id, hash);
	while ((known = toolbank_find(b, new->id))) {
		if (same_content(known, new)) {
			list_free(new);
			known->holders++;
			return known;
		}
		print_id(new->id, ++hash);
	}
	if (b->count >= b->slots)
		grow(b);
	put_in_slot(b, new);
	b->count++;
	new->holders = 1;
	return new;
}

void toolbank_release(struct toolbank *b, struct banked *list)
{
	struct banked **link;

	if (!list || --list->holders > 0)
		return;
	link = slot_of(b, list->id);
	while (*link != list)
		link = &(*link)->next;
	*link = list->next;
	b->count--;
	list_free(list);
}

struct span banked_text(const struct banked *list, size_t i)
{
	return (struct span){ list->text + list->at[i],
			      list->at[i + 1] - list->at[i] };
}

char *banked_name(const struct banked *list, size_t i)
{
	return name_of(banked_text(list, i));
}

size_t banked_find(const struct banked *list, const char *name)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		CLEANUP(mem_free_ptr) char *found = banked_name(list, middle);

		if (strcmp(found, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool banked_tool(const struct banked *list, const char *name, struct span *out)
{
	size_t i = banked_find(list, name);
	CLEANUP(mem_free_ptr) char *found = NULL;

	if (i == list->count)
		return false;
	found = banked_name(list, i);
	if (strcmp(found, name) != 0)
		return false;
	*out = banked_text(list, i);
	return true;
}

char *banked_nearest(const struct banked *list, const char *name)
{
	CLEANUP(words_done) struct words names = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		CLEANUP(mem_free_ptr) char *found = banked_name(list, i);

		words_add(&names, found);
	}
	return mem_strdup(tool_name_nearest((const char *const *)names.word,
					    names.count, name));
}
