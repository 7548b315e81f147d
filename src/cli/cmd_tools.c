/* SPDX-License-Identifier: MIT */
/*
 * tools: all pages of the list, asked anew each time. What came before a
 * failure is shown, then the failure.
 */
#include "base/text.h"
#include "cli/all_call.h"
#include "cli/commands.h"
#include "cli/tools_cache.h"
#include "out/lines.h"

struct tools_options {
	bool no_user;
};

static const struct option_row tools_options[] = {
	{ .name = "no-user",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tools_options, no_user),
	  .brief = "as a backend asks: without user-only tools" },
	{ .name = NULL }
};

static size_t columns_of(const struct tool *t)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	lines_safe(&name, t->name);
	return text_width(buf_string(&name), name.len);
}

/* How many will be shown, and how wide their names are. */
static void measure(struct tools_record *record)
{
	for (size_t i = 0; i < record->list->count; i++) {
		const struct tool *t = &record->list->tool[i];
		if (!tool_matches(t, record->filter))
			continue;
		size_t columns = columns_of(t);
		record->shown++;
		if (columns > record->name_width)
			record->name_width = columns;
	}
}

static void show(struct renderer *r, struct tools_record *record)
{
	measure(record);
	for (size_t i = 0; r->ops->tool && i < record->list->count; i++) {
		const struct tool *t = &record->list->tool[i];
		if (tool_matches(t, record->filter))
			r->ops->tool(r, t, record);
	}
	/* A count of nothing before an error would only be noise. */
	if (r->ops->tools_end && (record->list->count > 0 || !record->broke))
		r->ops->tools_end(r, record);
}

static int nothing_found(const struct tools_record *record, struct error *err)
{
	if (record->list->count == 0) {
		error_set(err, ERR_UNMET, "the peer lists no tools");
		return error_hint(err, "if that is wrong, ask again in a "
				       "moment: some boards add theirs late "
				       "in their start");
	}
	const char *nearest = tool_list_nearest(record->list, record->filter);
	error_set(err, ERR_UNMET, "no tool matches '%s'", record->filter);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(err, "names, descriptions and arguments were "
			       "searched; with * ? or [ only whole names");
}

static int list_and_show(const struct invocation *in, struct tool_list *own,
			 struct error *err)
{
	const struct tools_options *o = in->options;
	struct app *app = in->app;
	CLEANUP(error_reset) struct error broke = { 0 };
	struct tools_record record = { .list = o->no_user ? own : &app->tools,
				       .filter = in->argv[0],
				       .backend_view = o->no_user,
				       .device = app->client.device };
	int status = o->no_user ? client_list_tools(&app->client, true, own,
						    &broke) :
				  tools_cache_refresh(app, &broke);
	record.broke = status != 0 ? &broke : NULL;
	show(&app->out, &record);
	if (status != 0) {
		error_copy(err, &broke);
		return -1;
	}
	return record.shown > 0 ? 0 : nothing_found(&record, err);
}

static int tools_run(const struct invocation *in, struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list own = { 0 };
	return list_and_show(in, &own, err);
}

static int tools_all(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	return all_tools_run(in->app, in->argv[0], o->no_user, err);
}

static const struct example tools_examples[] = {
	{ "sim: tools", "self.audio_speaker.set_volume", 0 },
	{ "sim: tools volume", "self.audio_speaker.set_volume", 0 },
	{ "sim: tools 'self.screen.*' --no-user", "self.screen.set_theme", 0 },
	{ "sim: tools nothing-like-this", NULL, 7 },
	{ NULL, NULL, 0 }
};

const struct command cmd_tools = {
	.name = "tools",
	.args = "[WORD|GLOB]",
	.brief = "the tools of the peer, a line each",
	.text = "Asks for all pages of the list and prints a line for each "
		"tool: its name and the first line of its description. A WORD "
		"is searched in names, descriptions and names of arguments, "
		"without case; a GLOB (with * ? or [) must match the whole "
		"name. Nothing found is status 7.\n"
		"\n"
		"To a device withUserTools is sent on every page, so that "
		"user-only tools are listed too; they are marked. --no-user "
		"leaves that out and shows what a backend is told. The count, "
		"as '29 tools + 7 user-only, 2 pages', goes to stderr. When "
		"the listing breaks on its way, what came so far is shown "
		"before the error.\n"
		"\n"
		"With --all a row for each device of the running serve tells "
		"how many tools it has, or which of them match.",
	.group = GROUP_TOOLS,
	.flags = CMD_SESSION | CMD_SHELL,
	.max = 1,
	.options = tools_options,
	.options_size = sizeof(struct tools_options),
	.examples = tools_examples,
	.run = tools_run,
	.all = tools_all
};
