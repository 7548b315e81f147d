/* SPDX-License-Identifier: MIT */
/*
 * The list that the shell's session has asked for. Where it has none, and for
 * devices, what a command line would know.
 */
#include <stdlib.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/app.h"
#include "cli/item_schema.h"
#include "cli/named_target.h"
#include "cli/schema_source.h"

struct live {
	const struct app *app;
	struct schema_source other;
};

static bool is_listed(const struct live *l)
{
	return l->app->has_tools && session_is_open(l->app->session);
}

static void each_tool(void *owner, const char *prefix, schema_each *each,
		      void *to)
{
	struct live *l = owner;
	const struct tool_list *list = &l->app->tools;
	CLEANUP(mem_free_ptr) const struct tool **sorted = NULL;
	size_t count = 0;

	if (!is_listed(l)) {
		l->other.tools(l->other.owner, prefix, each, to);
		return;
	}
	sorted = mem_alloc((list->count + 1) * sizeof(struct tool *));
	for (size_t i = 0; i < list->count; i++) {
		if (text_starts(list->tool[i].name, prefix))
			sorted[count++] = &list->tool[i];
	}
	if (count > 0)
		qsort(sorted, count, sizeof(struct tool *), tool_by_name);
	for (size_t i = 0; i < count; i++)
		each(to, sorted[i]->name, sorted[i]->description);
}

static bool find_tool(void *owner, const char *name, struct buf *out)
{
	struct live *l = owner;
	const struct tool *tool;
	struct span text;

	if (!is_listed(l))
		return l->other.tool(l->other.owner, name, out);
	tool = tool_list_find(&l->app->tools, name);
	if (!tool)
		return false;
	text = tool_text(tool);
	buf_add(out, text.text, text.len);
	return true;
}

static void each_device(void *owner, const char *prefix, schema_each *each,
			void *to)
{
	struct live *l = owner;

	l->other.devices(l->other.owner, prefix, each, to);
}

static bool has_items(const struct live *l, enum list_kind kind)
{
	return l->app->has_items[kind] && session_is_open(l->app->session);
}

static bool each_item(void *owner, enum list_kind kind, const char *prefix,
		      schema_each *each, void *to)
{
	struct live *l = owner;
	const struct page_list *list = &l->app->items[kind];

	if (!has_items(l, kind))
		return l->other.items(l->other.owner, kind, prefix, each, to);
	for (size_t i = 0; i < list->count; i++) {
		const struct list_item *item = &list->item[i];
		const char *brief =
			item->description ? item->description : item->name;

		if (text_starts(item->key, prefix))
			each(to, item->key, brief ? brief : "");
	}
	return true;
}

static bool find_item(void *owner, enum list_kind kind, const char *key,
		      struct buf *out)
{
	struct live *l = owner;
	const struct list_item *item;

	if (!has_items(l, kind))
		return l->other.item(l->other.owner, kind, key, out);
	item = page_list_find(&l->app->items[kind], key);
	if (item)
		item_as_tool(out, kind, item);
	return item != NULL;
}

static bool is_known(void *owner)
{
	struct live *l = owner;

	return is_listed(l) || l->other.known(l->other.owner);
}

static void release(void *owner)
{
	struct live *l = owner;

	schema_source_close(&l->other);
	mem_free(l);
}

void schema_source_session(struct schema_source *out, struct app *app)
{
	struct live *l = mem_zalloc(sizeof(*l));
	const struct config *c = &app->config;
	const struct named_search search = { .config_file = c->config_file,
					     .trust = c->trust };
	CLEANUP(mem_free_ptr)
	char *target = named_target_text(c->target, &search);

	l->app = app;
	schema_source_open(&l->other, target, c->device, c->socket,
			   SCHEMA_SOURCE_MS);
	*out = (struct schema_source){ .tools = each_tool,
				       .tool = find_tool,
				       .devices = each_device,
				       .items = each_item,
				       .item = find_item,
				       .known = is_known,
				       .release = release,
				       .owner = l };
}
