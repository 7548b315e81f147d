/* SPDX-License-Identifier: MIT */
/*
 * Lists page by page, as a step machine. It sends nothing: the client
 * does, with the params from here.
 */
#include "mcp/listing.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

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

	if (!*cursor) {
		error_set(err, ERR_PROTOCOL,
			  "%s page %zu: nextCursor is an empty text", method,
			  page);
		return error_hint(err, "the last page must leave nextCursor "
				       "out; the list may be complete");
	}
	before = name_set_add(&l->seen, cursor, page);
	if (before == NAME_NONE)
		return 0;
	error_set(err, ERR_PROTOCOL,
		  "%s page %zu: cursor '%.100s' came before, on page %zu",
		  method, page, cursor, before);
	return error_hint(err, "following it would never end; the device or "
			       "server must give each page its own cursor");
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
		return error_hint(err,
				  "a page that is not the last must bring at "
				  "least one %s",
				  l->items ? list_noun(l->items->kind) :
					     "tool");
	}
	if (page >= LISTING_PAGES_MAX)
		return error_set(err, ERR_PROTOCOL,
				 "%s: not at an end after %d pages", method,
				 LISTING_PAGES_MAX);
	if (l->bytes > l->bytes_max)
		return error_set(err, ERR_PROTOCOL,
				 "%s page %zu: more than %zu MB in all", method,
				 page, l->bytes_max >> 20);
	return 0;
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
		return error_set(err, ERR_PROTOCOL,
				 "%s page %zu: nextCursor is no string, but "
				 "of type %s",
				 listing_method(l), page,
				 json_type_name(member));
	*out = member->valuestring;
	return 0;
}

int listing_feed_take(struct listing *l, struct message *reply,
		      struct error *err)
{
	size_t skipped = l->skipped;
	size_t elements = count_of(l);
	const char *cursor;

	l->bytes += reply->len;
	if (add_take(l, reply, err) < 0) {
		error_prefix(err, "page %zu", pages_of(l) + 1);
		return -1;
	}
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
		error_hint(err,
			   "firmware says this for a cursor that it does not "
			   "know: '%.100s'",
			   l->cursor ? l->cursor : "");
	else
		error_hint(err, "this tool is larger than a page of firmware "
				"(7959 bytes); shorten its description");
}

int listing_failed(const struct listing *l, struct error *err)
{
	size_t page = pages_of(l) + 1;

	if (!err)
		return -1;
	explain_size_limit(l, err);
	return page > 1 ? error_prefix(err, "page %zu", page) : -1;
}
