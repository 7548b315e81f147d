/* SPDX-License-Identifier: MIT */
/*
 * Lists page by page, as a step machine. It sends nothing: the client
 * does, with the params from here.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/listing.h"
#include "mcp/tools.h"
#include "mcp/types.h"

/* Nothing else is called like this, and it stands on the first page. */
#define FIRMWARE_TOOL "self.get_device_status"

void listing_init(struct listing *l, struct tool_list *list, bool user_tools)
{
	*l = (struct listing){ .list = list,
			       .user_tools = user_tools,
			       .bytes_max = LISTING_BYTES_MAX };
}

void listing_init_items(struct listing *l, struct page_list *items)
{
	*l = (struct listing){ .items = items, .bytes_max = LISTING_BYTES_MAX };
}

const char *listing_method(const struct listing *l)
{
	return l->items ? list_method(l->items->kind) : "tools/list";
}

static size_t pages_of(const struct listing *l)
{
	return l->items ? l->items->pages : l->list->pages;
}

static size_t count_of(const struct listing *l)
{
	return l->items ? l->items->count : l->list->count;
}

static int add_take(struct listing *l, struct message *reply, struct error *err)
{
	if (l->items)
		return page_list_add_take(l->items, reply, &l->skipped, err);
	return tool_list_add_take(l->list, reply, &l->skipped, err);
}

void listing_done(struct listing *l)
{
	mem_free(l->cursor);
	name_set_done(&l->seen);
	*l = (struct listing){ 0 };
}

void listing_params(const struct listing *l, struct buf *out)
{
	buf_reset(out);
	if (!l->cursor && !l->user_tools)
		return;
	buf_char(out, '{');
	if (l->cursor) {
		buf_text(out, "\"cursor\":");
		buf_json_string(out, l->cursor, strlen(l->cursor));
	}
	if (l->user_tools) {
		if (l->cursor)
			buf_char(out, ',');
		buf_text(out, "\"withUserTools\":true");
	}
	buf_char(out, '}');
}

static int guard_cursor(struct listing *l, const char *cursor,
			struct error *err)
{
	const char *method = listing_method(l);
	size_t page = pages_of(l);
	size_t before;

	if (!*cursor && !l->modern) {
		error_set(err, ERR_PROTOCOL,
			  "%s page %zu: nextCursor is an empty text", method,
			  page);
		return error_hint(
			err,
			"the last page must leave nextCursor out; the list may be complete");
	}
	before = name_set_add(&l->seen, cursor, page);
	if (before == NAME_NONE)
		return 0;
	error_set(err, ERR_PROTOCOL,
		  "%s page %zu: cursor '%.100s' came before, on page %zu",
		  method, page, cursor, before);
	error_finding(err, "D106");
	return error_hint(
		err,
		"following it would never end; the device or server must give each page its own cursor");
}

static int guard_size(const struct listing *l, size_t elements,
		      struct error *err)
{
	const char *method = listing_method(l);
	size_t page = pages_of(l);

	if (elements == 0) {
		error_set(err, ERR_PROTOCOL,
			  "%s page %zu: no %s, but a nextCursor", method, page,
			  l->items ? list_member(l->items->kind) : "tools");
		return error_hint(
			err,
			"a page that is not the last must bring at least one %s",
			l->items ? list_noun(l->items->kind) : "tool");
	}
	if (page >= LISTING_PAGES_MAX)
		return error_set(err, ERR_PROTOCOL,
				 "%s: not at an end after %d pages", method,
				 LISTING_PAGES_MAX);
	return 0;
}

/* Before it is kept: of a text full of small values the tree is much larger. */
static int guard_memory_take(struct listing *l, struct message *reply,
			     struct error *err)
{
	l->bytes +=
		reply->len + json_count_values(reply->result) * sizeof(cJSON);
	if (l->bytes <= l->bytes_max)
		return 0;
	message_done(reply);
	return error_set(err, ERR_PROTOCOL,
			 "%s page %zu: more than %zu MB of memory in all",
			 listing_method(l), pages_of(l) + 1,
			 l->bytes_max >> 20);
}

/* The cursor of the page that was added last; NULL: that was all. */
static int next_cursor(const struct listing *l, const char **out,
		       struct error *err)
{
	size_t page = pages_of(l);
	const struct message *last =
		l->items ? &l->items->page[page - 1] : &l->list->page[page - 1];
	const cJSON *member = json_member(last->result, "nextCursor");

	*out = NULL;
	if (!member || cJSON_IsNull(member))
		return 0;
	if (!cJSON_IsString(member))
		return error_set(
			err, ERR_PROTOCOL,
			"%s page %zu: nextCursor is no string, but of type %s",
			listing_method(l), page, json_type_name(member));
	*out = member->valuestring;
	return 0;
}

/* True: it has begun anew. */
static bool turns_out_board(struct listing *l)
{
	bool is_board = l->may_be_board && l->list->pages == 1 &&
			tool_list_find(l->list, FIRMWARE_TOOL);

	l->may_be_board = false;
	if (!is_board)
		return false;
	l->user_tools = true;
	l->skipped = 0;
	tool_list_done(l->list);
	return true;
}

int listing_feed_take(struct listing *l, struct message *reply,
		      struct error *err)
{
	size_t skipped = l->skipped;
	size_t elements = count_of(l);
	const char *cursor;

	if (guard_memory_take(l, reply, err) < 0)
		return -1;
	if (add_take(l, reply, err) < 0) {
		error_prefix(err, "page %zu", pages_of(l) + 1);
		return -1;
	}
	if (turns_out_board(l))
		return 0;
	elements = count_of(l) - elements + l->skipped - skipped;
	if (next_cursor(l, &cursor, err) < 0)
		return -1;
	if (cursor && (guard_cursor(l, cursor, err) < 0 ||
		       guard_size(l, elements, err) < 0))
		return -1;
	mem_free(l->cursor);
	l->cursor = mem_strdup(cursor);
	l->done = !cursor;
	return 0;
}

/* "Failed to add tool NAME because of payload size limit"; without a name the cursor was not known. */
static void explain_size_limit(const struct listing *l, struct error *err)
{
	if (!text_find(err->text, "Failed to add tool ") ||
	    !text_find(err->text, "payload size limit"))
		return;
	if (text_find(err->text, "Failed to add tool  because"))
		error_hint(
			err,
			"firmware says this for a cursor that it does not know: '%.100s'",
			l->cursor ? l->cursor : "");
	else
		error_hint(
			err,
			"this tool is larger than a page of firmware (7959 bytes); shorten its description");
}

int listing_failed(const struct listing *l, struct error *err)
{
	size_t page = pages_of(l) + 1;

	if (!err)
		return -1;
	explain_size_limit(l, err);
	return page > 1 ? error_prefix(err, "page %zu", page) : -1;
}

/*
 * Resources, templates and prompts of all pages of a listing. Asking for the
 * pages is listing.c's matter; tools have a list of their own.
 */

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
	struct span items = { .text = "" };
	const cJSON *json;
	size_t at = 0;

	json_span_member(page->result_text, list_member(l->kind), &items);
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

	/* An SDK for servers over MQTT calls them so (mcp-mqtt.md 7). */
	if (!array && l->kind == LIST_RESOURCES) {
		array = json_array(page->result, "contents");
		l->misnamed = l->misnamed || array;
	}
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
