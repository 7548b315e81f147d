/* SPDX-License-Identifier: MIT */
/*
 * Resources, templates and prompts of all pages of a listing. Asking for the
 * pages is listing.c's matter; tools have a list of their own.
 */
#include "mcp/page_list.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/types.h"

static const struct {
	const char *method, *member, *noun, *key;
} kinds[] = {
	[LIST_RESOURCES] = { "resources/list", "resources", "resource", "uri" },
	[LIST_TEMPLATES] = { "resources/templates/list", "resourceTemplates",
			     "template", "uriTemplate" },
	[LIST_PROMPTS] = { "prompts/list", "prompts", "prompt", "name" },
};

const char *list_method(enum list_kind kind)
{
	return kinds[kind].method;
}

const char *list_member(enum list_kind kind)
{
	return kinds[kind].member;
}

const char *list_noun(enum list_kind kind)
{
	return kinds[kind].noun;
}

void page_list_done(struct page_list *l)
{
	for (size_t i = 0; i < l->pages; i++)
		message_done(&l->page[i]);
	mem_free(l->page);
	mem_free(l->item);
	*l = (struct page_list){ .kind = l->kind };
}

static void add_item(struct page_list *l, const cJSON *json, struct span text)
{
	const char *key = json_string(json, kinds[l->kind].key);
	struct list_item *item;

	l->item = mem_grow(l->item, &l->capacity, l->count, sizeof(*l->item));
	item = &l->item[l->count++];
	*item = (struct list_item){
		.key = key ? key : "",
		.name = json_string(json, "name"),
		.title = json_string(json, "title"),
		.description = json_string(json, "description"),
		.mime = json_string(json, "mimeType"),
		.json = json,
		.text = text,
	};
}

/* The bytes of the array are walked beside its tree. */
static void add_items(struct page_list *l, const struct message *page,
		      const cJSON *array, size_t *skipped)
{
	struct span whole = { page->text, page->len };
	struct span result, items = { .text = "" };
	const cJSON *json;
	size_t at = 0;

	if (json_span_member(whole, "result", &result))
		json_span_member(result, list_member(l->kind), &items);
	cJSON_ArrayForEach(json, array) {
		struct span text = { .text = "" };

		json_span_next(items, &at, &text);
		if (cJSON_IsObject(json))
			add_item(l, json, text);
		else if (skipped)
			(*skipped)++;
	}
}

int page_list_add_take(struct page_list *l, struct message *page,
		       size_t *skipped, struct error *err)
{
	const cJSON *array = json_array(page->result, list_member(l->kind));
	struct message *kept;

	if (!array) {
		error_set(err, ERR_PROTOCOL,
			  "the answer to %s has no array '%s'",
			  list_method(l->kind), list_member(l->kind));
		error_detail(err, page->text ? page->text : "", page->len);
		message_done(page);
		return -1;
	}
	l->page = mem_grow(l->page, &l->pages_capacity, l->pages,
			   sizeof(*l->page));
	kept = &l->page[l->pages++];
	message_take(kept, page);
	add_items(l, kept, array, skipped);
	return 0;
}

const struct list_item *page_list_find(const struct page_list *l,
				       const char *key)
{
	for (size_t i = 0; i < l->count; i++) {
		if (*key && strcmp(l->item[i].key, key) == 0)
			return &l->item[i];
	}
	for (size_t i = 0; i < l->count; i++) {
		const char *name = l->item[i].name;

		if (name && *name && strcmp(name, key) == 0)
			return &l->item[i];
	}
	return NULL;
}

/* "demo://" alone makes no URI like another. */
static bool is_like(const char *nearest, const char *key)
{
	const char *rest = strstr(key, "://");
	size_t scheme = rest ? (size_t)(rest - key) + 3 : 0;

	return !scheme || strncmp(nearest, key, scheme) != 0 ||
	       text_nearest(key + scheme,
			    (const char *const[]){ nearest + scheme }, 1);
}

/* A wrong URI may be a name with a letter wrong. */
const char *page_list_nearest(const struct page_list *l, const char *key)
{
	const char **words;
	const char *nearest;

	if (l->count == 0)
		return NULL;
	words = mem_alloc(2 * l->count * sizeof(*words));
	for (size_t i = 0; i < l->count; i++) {
		words[i] = l->item[i].key;
		words[l->count + i] = l->item[i].name ? l->item[i].name : "";
	}
	nearest = tool_name_nearest(words, l->count, key);
	if (nearest && !is_like(nearest, key))
		nearest = NULL;
	if (!nearest)
		nearest = tool_name_nearest(words + l->count, l->count, key);
	mem_free(words);
	if (nearest && *nearest) {
		const struct list_item *item = page_list_find(l, nearest);

		return item && *item->key ? item->key : NULL;
	}
	return NULL;
}
