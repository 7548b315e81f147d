/* SPDX-License-Identifier: MIT */
/* prompts, resources, templates: lists of what a server offers beside tools. */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/catalog_file.h"
#include "cli/cmd_items.h"
#include "cli/commands.h"
#include "cli/schema_cache.h"
#include "cli/target_text.h"
#include "mcp/tools.h"
#include "out/alike.h"
#include "out/wrap.h"

/*
 * The lists behind read, prompt and complete. It never shows them.
 */

static void drop(struct connection *c, enum list_kind kind)
{
	page_list_done(&c->items[kind]);
	c->has_items[kind] = false;
}

void items_cache_drop(struct connection *c)
{
	for (size_t i = 0; i < COUNT(c->items); i++)
		drop(c, (enum list_kind)i);
}

char *items_cache_key(const char *target, enum list_kind kind)
{
	CLEANUP(mem_free_ptr) char *key = target_key(target, NULL);

	return *key ? mem_printf("%s %ss", key, list_noun(kind)) : TAKE(key);
}

/* As the tools that they are seen as. That it fails is no failure of the command. */
static void keep(struct connection *c, enum list_kind kind)
{
	const struct page_list *list = &c->items[kind];
	const struct scheme *scheme = c->endpoint.scheme;
	CLEANUP(mem_free_ptr)
	char *key = items_cache_key(c->endpoint.text, kind);
	CLEANUP(tool_list_done) struct tool_list tools = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	/* What serve holds are devices: they have none of these. */
	if (!*key || !scheme || scheme->kind == SCHEME_ATTACH)
		return;
	for (size_t i = 0; i < list->count; i++) {
		if (i > 0)
			buf_char(&text, ',');
		item_as_tool(&text, kind, &list->item[i]);
	}
	if (tool_list_add_text(&tools, buf_string(&text), text.len, NULL) == 0)
		schema_cache_write(key, &tools, NULL);
}

/*
 * Ask now; a list that came whole is also written to a file, for completion
 * (cli/catalog_file.h). -1: as client_list; what came before the failure is in
 * c->items[kind] all the same, but is not taken for the whole list.
 */
static int items_cache_refresh(struct connection *c, enum list_kind kind,
			       struct error *err)
{
	drop(c, kind);
	int status = client_list(&c->client, kind, &c->items[kind], err);
	c->items[kind].kind = kind;
	c->has_items[kind] = status == 0;
	if (status == 0)
		keep(c, kind);
	return status;
}

static int no_such(const struct connection *c, enum list_kind kind,
		   const char *key, struct error *err)
{
	const struct page_list *list = &c->items[kind];
	const char *nearest = page_list_nearest(list, key);

	error_set(err, ERR_USAGE, "no %s '%s'", list_noun(kind), key);
	if (nearest)
		return error_hint(err,
				  "did you mean '%s'? '%ss' lists them all",
				  nearest, list_noun(kind));
	return error_hint(err, "the peer has %zu: '%ss' lists them",
			  list->count, list_noun(kind));
}

int items_cache_find(struct connection *c, enum list_kind kind, const char *key,
		     const struct list_item **out, struct error *err)
{
	struct page_list *list = &c->items[kind];

	*out = c->has_items[kind] ? page_list_find(list, key) : NULL;
	if (*out)
		return 0;
	int status = items_cache_refresh(c, kind, err);
	*out = page_list_find(list, key);
	if (*out) {
		error_reset(err);
		return 0;
	}
	return status == 0 ? no_such(c, kind, key, err) : -1;
}

/*
 * A list of the peer's, asked anew: a line each, the count, and then why it
 * ended early, if it did.
 */

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

static const char *name_at(const void *list, size_t i, bool *shown)
{
	const struct items_record *end = list;
	const struct list_item *item = &end->list->item[i];

	*shown = matches(item, end->filter);
	return item->key;
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
	alike_tell(r, end, end->list->count, name_at);
}

/* An empty list is an answer; a search that finds nothing is not. */
static int nothing_shown(struct renderer *r, const struct items_record *end,
			 struct error *err)
{
	const char *noun = list_noun(end->list->kind);
	const char *nearest;

	if (end->list->count == 0 && !end->filter) {
		render_note(r, "the peer lists no %ss", noun);
		return 0;
	}
	if (end->list->count == 0)
		return error_set(err, ERR_UNMET, "the peer lists no %ss", noun);
	nearest = page_list_nearest(end->list, end->filter);
	error_set(err, ERR_UNMET, "no %s matches '%s'", noun, end->filter);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(
		err,
		"names and descriptions were searched; with * ? or [ only whole names");
}

static enum list_kind kind_of(const struct command *c)
{
	return c->operand == OPERAND_PROMPT   ? LIST_PROMPTS :
	       c->operand == OPERAND_RESOURCE ? LIST_RESOURCES :
						LIST_TEMPLATES;
}

/* argv[0], if there is one: WORD|GLOB. -1: what the listing says, or
   ERR_UNMET: nothing was found. */
static int items_run(const struct invocation *in, struct error *err)
{
	struct connection *c = in->connection;
	enum list_kind kind = kind_of(in->command);
	struct items_record end = { .list = &c->items[kind],
				    .filter = in->argv[0] };
	int status = client_require(
		&c->client, kind == LIST_PROMPTS ? "prompts" : "resources",
		err);

	if (status != 0)
		return -1;
	status = items_cache_refresh(c, kind, err);
	end.broke = status != 0 ? err : NULL;
	show(&c->app->out, &end);
	if (status != 0)
		return -1;
	return end.shown > 0 ? 0 : nothing_shown(&in->app->out, &end, err);
}

/*
 * prompts: what a server has prepared to be said to a model.
 */

static const struct example prompts_examples[] = {
	{ "sim:llm prompts", "entity_extraction_prompt", 0 }, { NULL, NULL, 0 }
};

const struct command cmd_prompts = {
	.name = "prompts",
	.args = "[WORD|GLOB]",
	.brief = "the prompts of a server, a line each",
	.text = "Asks for all pages of prompts/list and prints the name, the arguments ('city=' is required, '[state=]' is not), and what is said of it. "
		"WORD and GLOB are as for 'resources'; nothing found is status 7. 'prompt NAME' fills one in.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR | CMD_PAGED | CMD_ANSWERS,
	.max = 1,
	.operand = OPERAND_PROMPT,
	.examples = prompts_examples,
	.run = items_run
};

/*
 * resources: what a server offers to be read.
 */

static const struct example resources_examples[] = {
	{ "sim:llm resources", "prompt://", 0 },
	{ "sim:llm resources nothing-like-this", NULL, 7 },
	{ NULL, NULL, 0 }
};

const struct command cmd_resources = {
	.name = "resources",
	.args = "[WORD|GLOB]",
	.brief = "the resources of a server, a line each",
	.text = "Asks for all pages of resources/list and prints the URI, the type, and what is said of it. "
		"A WORD is searched in URIs, names, titles and descriptions, without case; a GLOB (with * ? or [) must match a whole URI or name. "
		"Nothing found is status 7, and so is a server that has no resources (a device answers with an error: status 1). "
		"'read URI' shows one; 'templates' are URIs with parts to fill in.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR | CMD_PAGED | CMD_ANSWERS,
	.max = 1,
	.operand = OPERAND_RESOURCE,
	.examples = resources_examples,
	.run = items_run
};

/*
 * templates: URIs with parts to be filled in.
 */

static const struct example templates_examples[] = {
	{ "sim:llm templates", NULL, 0 }, { NULL, NULL, 0 }
};

const struct command cmd_templates = {
	.name = "templates",
	.args = "[WORD|GLOB]",
	.brief = "the resource templates of a server, a line each",
	.text = "Asks for all pages of resources/templates/list. "
		"A template is a URI with parts in braces, as 'file:///logs/{day}': fill them in and 'read' the URI. 'complete TEMPLATE PART=' asks the server which values a part can have. "
		"WORD and GLOB are as for 'resources'; nothing found is status 7.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR | CMD_PAGED | CMD_ANSWERS,
	.max = 1,
	.operand = OPERAND_TEMPLATE,
	.examples = templates_examples,
	.run = items_run
};
