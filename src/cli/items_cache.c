/* SPDX-License-Identifier: MIT */
/*
 * The lists behind read, prompt and complete. It never shows them.
 */
#include "cli/items_cache.h"

#include <string.h>

#include "base/mem.h"
#include "cli/item_schema.h"
#include "cli/schema_cache.h"

static void drop(struct app *app, enum list_kind kind)
{
	page_list_done(&app->items[kind]);
	app->has_items[kind] = false;
}

void items_cache_drop(struct app *app)
{
	for (size_t i = 0; i < COUNT(app->items); i++)
		drop(app, (enum list_kind)i);
}

char *items_cache_key(const char *target, enum list_kind kind)
{
	CLEANUP(mem_free_ptr) char *key = schema_cache_key(target, NULL);

	return *key ? mem_printf("%s %ss", key, list_noun(kind)) : TAKE(key);
}

/* As the tools that they are seen as. That it fails is no failure of the command. */
static void keep(struct app *app, enum list_kind kind)
{
	const struct page_list *list = &app->items[kind];
	const char *scheme = app->endpoint.scheme;
	CLEANUP(mem_free_ptr)
	char *key = items_cache_key(app->endpoint.text, kind);
	CLEANUP(tool_list_done) struct tool_list tools = { 0 };
	CLEANUP(message_done) struct message m = { 0 };
	CLEANUP(buf_done) struct buf page = { 0 };

	/* What serve holds are devices: they have none of these. */
	if (!*key || !scheme || strcmp(scheme, "attach") == 0)
		return;
	buf_text(&page, "{\"result\":{\"tools\":[");
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0)
			buf_char(&page, ',');
		item_as_tool(&page, kind, &list->item[i]);
	}
	buf_text(&page, "]}}");
	if (message_decode_take(&m, NULL, page.data, page.len, NULL) == 0 &&
	    tool_list_add_take(&tools, &m, NULL, NULL) == 0)
		schema_cache_write(key, &tools, NULL);
}

int items_cache_refresh(struct app *app, enum list_kind kind, struct error *err)
{
	drop(app, kind);
	int status = client_list(&app->client, kind, &app->items[kind], err);
	app->items[kind].kind = kind;
	app->has_items[kind] = status == 0;
	if (status == 0)
		keep(app, kind);
	return status;
}

static int no_such(const struct app *app, enum list_kind kind, const char *key,
		   struct error *err)
{
	const struct page_list *list = &app->items[kind];
	const char *nearest = page_list_nearest(list, key);

	error_set(err, ERR_USAGE, "no %s '%s'", list_noun(kind), key);
	if (nearest)
		return error_hint(err,
				  "did you mean '%s'? '%ss' lists them all",
				  nearest, list_noun(kind));
	return error_hint(err, "the peer has %zu: '%ss' lists them",
			  list->count, list_noun(kind));
}

int items_cache_find(struct app *app, enum list_kind kind, const char *key,
		     const struct list_item **out, struct error *err)
{
	struct page_list *list = &app->items[kind];

	*out = app->has_items[kind] ? page_list_find(list, key) : NULL;
	if (*out)
		return 0;
	int status = items_cache_refresh(app, kind, err);
	*out = page_list_find(list, key);
	if (*out) {
		error_reset(err);
		return 0;
	}
	return status == 0 ? no_such(app, kind, key, err) : -1;
}
