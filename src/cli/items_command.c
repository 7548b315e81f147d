/* SPDX-License-Identifier: MIT */
/*
 * A list of the peer's, asked anew: a line each, the count, and then why it
 * ended early, if it did.
 */
#include "cli/items_command.h"

#include "base/text.h"
#include "cli/items_cache.h"
#include "out/alike.h"
#include "out/wrap.h"

static bool contains(const char *text, const char *word)
{
	return text && text_find(text, word);
}

static bool matches(const struct list_item *item, const char *filter)
{
	if (!filter)
		return true;
	if (text_has_glob(filter))
		return text_glob(filter, item->key) ||
		       (item->name && text_glob(filter, item->name));
	return contains(item->key, filter) || contains(item->name, filter) ||
	       contains(item->title, filter) ||
	       contains(item->description, filter);
}

static void measure(const struct items_record *end, struct item_record *line,
		    size_t *shown)
{
	for (size_t i = 0; i < end->list->count; i++) {
		const struct list_item *item = &end->list->item[i];

		if (!matches(item, end->filter))
			continue;
		size_t columns = wrap_columns(item->key);

		(*shown)++;
		if (columns > line->key_width)
			line->key_width = columns;
	}
}

static void tell_alike(struct renderer *r, const struct items_record *end)
{
	CLEANUP(alike_done) struct alike alike = { .renderer = r };

	for (size_t i = 0; i < end->list->count; i++) {
		const struct list_item *item = &end->list->item[i];

		alike_add(&alike, item->key, matches(item, end->filter));
	}
	alike_end(&alike);
}

static void show(struct renderer *r, struct items_record *end)
{
	struct item_record line = { .list = end->list };

	measure(end, &line, &end->shown);
	for (size_t i = 0; r->ops->item && i < end->list->count; i++) {
		line.item = &end->list->item[i];
		if (matches(line.item, end->filter))
			r->ops->item(r, &line);
	}
	/* A count of nothing before an error would only be noise. */
	if (r->ops->items_end && (end->list->count > 0 || !end->broke))
		r->ops->items_end(r, end);
	tell_alike(r, end);
}

static int nothing_found(const struct items_record *end, struct error *err)
{
	const char *noun = list_noun(end->list->kind);
	const char *nearest;

	if (end->list->count == 0)
		return error_set(err, ERR_UNMET, "the peer lists no %ss", noun);
	nearest = page_list_nearest(end->list, end->filter);
	error_set(err, ERR_UNMET, "no %s matches '%s'", noun, end->filter);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(err, "names and descriptions were searched; with * "
			       "? or [ only whole names");
}

int items_command(const struct invocation *in, enum list_kind kind,
		  struct error *err)
{
	struct app *app = in->app;
	struct items_record end = { .list = &app->items[kind],
				    .filter = in->argv[0] };
	int status = client_require(
		&app->client, kind == LIST_PROMPTS ? "prompts" : "resources",
		err);

	if (status != 0)
		return -1;
	status = items_cache_refresh(app, kind, err);
	end.broke = status != 0 ? err : NULL;
	show(&app->out, &end);
	if (status != 0)
		return -1;
	return end.shown > 0 ? 0 : nothing_found(&end, err);
}
