/* SPDX-License-Identifier: MIT */
/*
 * tools: all pages of the list, asked anew each time, or as it was kept. What
 * came before a failure is shown, then the failure.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/catalog_file.h"
#include "cli/cmd_tools.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/every.h"
#include "cli/named.h"
#include "cli/round_trip.h"
#include "cli/serve_client.h"
#include "mcp/tools.h"
#include "net/control_client.h"
#include "out/alike.h"
#include "out/text_device.h"
#include "out/wrap.h"

struct tools_options {
	bool no_user, cached, tree, all_targets;
	const char *diff;
};

static const struct option_row tools_options[] = {
	{ .name = "tree",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tools_options, tree),
	  .brief = "grouped by the parts of their names" },
	{ .name = "diff",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct tools_options, diff),
	  .brief = "what is not as in FILE, which '-o json tools' wrote" },
	{ .name = "cached",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tools_options, cached),
	  .brief = "as they were listed last, without a connection" },
	{ .name = "all-targets",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tools_options, all_targets),
	  .brief = "those of each server that 'targets' names" },
	{ .name = "no-user",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct tools_options, no_user),
	  .brief = "as a backend asks: without user-only tools" },
	{ .name = NULL }
};

/* How many will be shown, and how wide their names are. */
static void measure(struct tools_record *record)
{
	for (size_t i = 0; i < record->list->count; i++) {
		const struct tool *t = &record->list->tool[i];
		if (!tool_matches(t, record->filter))
			continue;
		size_t columns = wrap_columns(t->name);
		record->shown++;
		if (columns > record->name_width)
			record->name_width = columns;
	}
}

static void show_lines(struct renderer *r, const struct tools_record *record)
{
	for (size_t i = 0; r->ops->tool && i < record->list->count; i++) {
		const struct tool *t = &record->list->tool[i];
		if (tool_matches(t, record->filter))
			r->ops->tool(r, t, record);
	}
}

static const char *name_at(const void *list, size_t i, bool *shown)
{
	const struct tools_record *record = list;
	const struct tool *t = &record->list->tool[i];

	*shown = tool_matches(t, record->filter);
	return t->name;
}

static void show(struct renderer *r, struct tools_record *record, bool tree)
{
	measure(record);
	if (tree && r->ops->tree)
		r->ops->tree(r, record);
	else
		show_lines(r, record);
	/* A count of nothing before an error would only be noise. */
	if (r->ops->tools_end && (record->list->count > 0 || !record->broke))
		r->ops->tools_end(r, record);
	alike_tell(r, record, record->list->count, name_at);
}

#define LATE \
	"if that is wrong, ask again in a moment: some boards add theirs late in their start"

/* An empty list is an answer; a search that finds nothing is not. */
static int nothing_shown(struct renderer *r, const struct tools_record *record,
			 struct error *err)
{
	const char *whose = record->kept ? "kept list has" : "peer lists";

	if (record->list->count == 0 && !record->filter) {
		render_note(r, "the %s no tools; " LATE, whose);
		return 0;
	}
	if (record->list->count == 0) {
		error_set(err, ERR_UNMET, "the %s no tools", whose);
		return error_hint(err, LATE);
	}
	const char *nearest = tool_list_nearest(record->list, record->filter);
	error_set(err, ERR_UNMET, "no tool matches '%s'", record->filter);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(
		err,
		"names, descriptions and arguments were searched; with * ? or [ only whole names");
}

/* Where the list is, besides connection->tools. */
struct source {
	struct tool_list own; /* as a backend asks */
	struct kept_list kept;
};

/* -1: err; record has what came all the same. */
static int get_list(const struct invocation *in, struct source *s,
		    struct tools_record *record, struct error *err)
{
	const struct tools_options *o = in->options;
	struct connection *c = in->connection;
	if (o->cached) {
		record->list = &s->kept.tools;
		if (kept_list_open(&s->kept, c, err))
			return -1;
		record->kept = s->kept.from;
		record->age = s->kept.age;
		return 0;
	}
	record->list = o->no_user ? &s->own : &c->tools;
	if (connection_open(c, err))
		return -1;
	record->device = c->client.device;
	if (o->no_user)
		return client_list_tools(&c->client, true, &s->own, err);
	return tools_cache_refresh(c, err);
}

static int list_and_show(const struct invocation *in, struct source *s,
			 struct error *err)
{
	const struct tools_options *o = in->options;
	struct tools_record record = { .filter = in->argv[0],
				       .backend_view = o->no_user };
	int status = get_list(in, s, &record, err);
	record.broke = status != 0 ? err : NULL;
	show(&in->app->out, &record, o->tree);
	if (status != 0)
		return -1;
	if (record.shown > 0)
		return 0;
	return nothing_shown(&in->app->out, &record, err);
}

static int tell_changes(struct renderer *r, const struct tools_record *record,
			const struct tool_changes *c, struct error *err)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	size_t same = 0;
	for (size_t i = 0; i < c->count; i++)
		r->ops->change(r, &c->item[i]);
	if (c->count > 0)
		return error_set(
			err, ERR_UNMET,
			"the tools are not the same: %zu added, %zu removed, %zu changed",
			c->added, c->removed, c->changed);
	for (size_t i = 0; i < record->list->count; i++)
		same += tool_matches(&record->list->tool[i], record->filter);
	if (record->filter && !same)
		return nothing_shown(r, record, err);
	wrap_count(&count, same, "tool");
	render_note(r, "no difference: %s", buf_string(&count));
	return 0;
}

static int list_and_compare(const struct invocation *in, struct source *s,
			    struct error *err)
{
	const struct tools_options *o = in->options;
	CLEANUP(tool_list_done) struct tool_list saved = { 0 };
	CLEANUP(tool_changes_done) struct tool_changes changes = { 0 };
	struct tools_record record = { .filter = in->argv[0] };
	/* A wrong file is told before a device is waited for. */
	if (saved_list_read(&saved, in->app, o->diff, err) ||
	    get_list(in, s, &record, err))
		return -1;
	tool_changes_find(&changes, &saved, record.list, record.filter);
	return tell_changes(&in->app->out, &record, &changes, err);
}

/* ---- --all-targets ---- */

struct gathered { /* what one target has; owned */
	char *name;
	struct tool_list tools;
};

struct all_gathered {
	const struct invocation *in;
	struct words names;
	struct gathered *item;
	size_t count;
	struct tools_record record;
};

static void add_target(void *owner, const struct named_entry *e)
{
	struct all_gathered *g = owner;

	if (every_dials(e))
		words_add(&g->names, e->name);
}

static int gather(void *owner, const char *name, struct connection *c,
		  struct error *err)
{
	struct all_gathered *g = owner;
	const struct tools_options *o = g->in->options;
	struct gathered *to = &g->item[g->count++];

	to->name = mem_strdup(name);
	return client_list_tools(&c->client, o->no_user, &to->tools, err);
}

/* Which one failed, and why; what came of it before is shown all the same. */
static void tell_failed(void *owner, const char *name, int64_t took_us,
			const struct error *failure)
{
	struct all_gathered *g = owner;
	CLEANUP(mem_free_ptr) char *line = NULL;

	(void)took_us;
	if (!failure)
		return;
	line = every_why(failure);
	render_note(&g->in->app->out, "%s: %s", name, line);
}

static void show_gathered(struct all_gathered *g)
{
	struct tools_record *record = &g->record;

	for (size_t i = 0; i < g->count; i++) {
		size_t width = wrap_columns(g->item[i].name);

		if (width > record->target_width)
			record->target_width = width;
		record->list = &g->item[i].tools;
		measure(record);
	}
	for (size_t i = 0; i < g->count; i++) {
		record->target = g->item[i].name;
		record->list = &g->item[i].tools;
		show_lines(&g->in->app->out, record);
	}
}

static int nothing_gathered(const struct all_gathered *g, struct error *err)
{
	if (!g->names.count) {
		error_set(err, ERR_UNMET,
			  "no file names a server that can be dialled");
		return error_hint(
			err, "'mcpctl targets' says which there are, and why");
	}
	if (g->record.filter && !g->record.shown)
		return error_set(err, ERR_UNMET,
				 "no tool of %zu targets matches '%s'",
				 g->names.count, g->record.filter);
	return 0;
}

static void gathering_done(struct all_gathered *g)
{
	for (size_t i = 0; i < g->count; i++) {
		mem_free(g->item[i].name);
		tool_list_done(&g->item[i].tools);
	}
	mem_free(g->item);
	words_done(&g->names);
}

static int check_all_targets(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	const char *option = o->cached		 ? "--cached" :
			     o->tree		 ? "--tree" :
			     o->diff		 ? "--diff" :
			     in->app->config.all ? "--all" :
						   NULL;

	if (option)
		return error_set(
			err, ERR_USAGE,
			"options '%s' and '--all-targets' do not go together",
			option);
	if (in->app->config.target)
		return error_set(
			err, ERR_USAGE,
			"option '--all-targets' asks all, and one target was given: '%s' (from %s)",
			in->app->config.target, in->app->target_source);
	return 0;
}

static int tools_of_targets(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	const struct named_search search = {
		.config_file = in->app->config.config_file,
		.trust = in->app->config.trust
	};
	CLEANUP(gathering_done)
	struct all_gathered g = { .in = in,
				  .record = { .filter = in->argv[0],
					      .backend_view = o->no_user } };
	const struct every_order order = { .up = gather,
					   .told = tell_failed,
					   .owner = &g };
	int status;

	if (check_all_targets(in, err))
		return -1;
	named_targets(&search, add_target, &g);
	g.item = mem_zalloc((g.names.count + 1) * sizeof(*g.item));
	status = every_run(in->app, &g.names, &order, err);
	if (status != 0 && err->kind != ERR_UNMET)
		return -1;
	show_gathered(&g);
	return status != 0 ? -1 : nothing_gathered(&g, err);
}

static int check_options(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	if (o->cached && o->no_user) {
		error_set(
			err, ERR_USAGE,
			"option '--no-user' asks the peer, and '--cached' does not");
		return error_hint(err, "leave out one of them");
	}
	if (o->tree && o->diff)
		return error_set(
			err, ERR_USAGE,
			"options '--tree' and '--diff' do not go together");
	if (o->diff && in->app->out.table)
		return error_set(
			err, ERR_USAGE,
			"option '--diff' and '-o table' do not go together");
	if (o->tree && !in->app->out.ops->tree) {
		error_set(err, ERR_USAGE, "option '--tree' is for text");
		return error_hint(
			err,
			"leave out '-o': the names in the other forms can be split at their dots");
	}
	return 0;
}

static int tools_run(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	struct source s = { 0 };
	if (o->all_targets)
		return tools_of_targets(in, err);
	int status = check_options(in, err);
	if (status == 0)
		status = o->diff ? list_and_compare(in, &s, err) :
				   list_and_show(in, &s, err);
	if (status)
		silence_ask(in->connection, err);
	tool_list_done(&s.own);
	kept_list_done(&s.kept);
	return status;
}

static int tools_all(const struct invocation *in, struct error *err)
{
	const struct tools_options *o = in->options;
	if (o->all_targets)
		return check_all_targets(in, err);
	if (o->cached || o->tree || o->diff) {
		error_set(err, ERR_USAGE,
			  "option '--%s' is for one device, and '--all' is not",
			  o->cached ? "cached" :
			  o->tree   ? "tree" :
				      "diff");
		return error_hint(err, "name one with -d/--device");
	}
	return all_tools_run(in->app, in->argv[0], o->no_user, err);
}

static const struct example tools_examples[] = {
	{ "sim: tools", "self.audio_speaker.set_volume", 0 },
	{ "sim: tools volume", "self.audio_speaker.set_volume", 0 },
	{ "sim: tools 'self.screen.*' --no-user", "self.screen.set_theme", 0 },
	{ "sim: tools --tree", "  audio_speaker.set_volume", 0 },
	{ "sim: tools --diff saved.jsonl", NULL, 2 },
	{ "sim: tools nothing-like-this", NULL, 7 },
	{ NULL, NULL, 0 }
};

const struct command cmd_tools = {
	.name = "tools",
	.args = "[WORD|GLOB]",
	.brief = "the tools of the peer, a line each",
	.text = "Asks for all pages of the list and prints a line for each tool: its name and the first line of its description. "
		"A WORD is searched in names, descriptions and names of arguments, without case; a GLOB (with * ? or [) must match the whole name. Nothing found is status 7.\n"
		"\n"
		"To a device withUserTools is sent on every page, so that user-only tools are listed too; they are marked. So it is to a board that is dialled at its own door (ws://BOARD:8080/ws), which its first page tells. "
		"--no-user leaves that out and shows what a backend is told. "
		"The count, as '29 tools + 7 user-only, 2 pages', goes to stderr, and which names look alike, as with letters of another alphabet; what nobody would see in a name is shown as \\u200b, in a description as [1 invisible]. When the listing breaks on its way, what came so far is shown before the error.\n"
		"\n"
		"--tree groups names by their parts between dots. "
		"--diff FILE compares with a list that 'mcpctl -o json tools >FILE' saved, for example of the last firmware: '+ NAME' was added, '- NAME' removed, '~ NAME' changed, with what changed below it, old -> new. "
		"The order of tools and of members does not count. The status is 7 if anything differs, 0 if nothing does. "
		"FILE may also be a JSON array of tools or a result of tools/list; - is stdin.\n"
		"\n"
		"Each complete list is kept in mcpctl/tools in XDG_CACHE_HOME (~/.cache), one file a target, for completion. "
		"--cached shows that list without a connection, by name, and on stderr how old it is; without a target that of the device of the running serve, else what a serve showed last.\n"
		"\n"
		"With --all a row for each device of the running serve tells how many tools it has, or which of them match. "
		"With --all-targets each server that files name (mcpctl targets) is dialled, 16 at once, if its file is trusted: a line for each tool, the target before it. Which one failed is told on stderr, and the status is 7; so it is where a WORD is found nowhere.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_OPENS | CMD_PAGED,
	.max = 1,
	.operand = OPERAND_TOOL,
	.options = tools_options,
	.options_size = sizeof(struct tools_options),
	.examples = tools_examples,
	.run = tools_run,
	.all = tools_all
};

/*
 * Help must come at once: few questions, little patience, no complaints.
 */

enum {
	PATIENCE_MS = 300,
	NAME_WIDTH_MAX = 36,
	SHOWN = 4, /* devices with a line of their own */
	ASKED = 50 /* of more only their number is told */
};

struct brief {
	struct app *app;
	struct control_line *serve;
	int64_t deadline;
	struct control_answer first[SHOWN];
	size_t count; /* of the devices */
	struct buf text;
	size_t name_width;
};

/* One that is longer shifts its own line, not all of them. */
static void widen(struct brief *b, const cJSON *device)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	size_t width;

	wrap_name(&name, render_device_name(device));
	width = text_width(buf_string(&name), name.len);
	if (width > NAME_WIDTH_MAX)
		width = NAME_WIDTH_MAX;
	if (width > b->name_width)
		b->name_width = width;
}

static void add_device(struct brief *b, const cJSON *device)
{
	static const char *const members[] = { "board", "version", "state" };
	CLEANUP(buf_done) struct buf name = { 0 };
	struct buf *out = &b->text;

	wrap_name(&name, render_device_name(device));
	buf_printf(out, "  %s", buf_string(&name));
	wrap_pad(out, text_width(buf_string(&name), name.len), b->name_width);
	for (size_t i = 0; i < COUNT(members); i++) {
		const char *text = json_string(device, members[i]);

		if (!text || !*text)
			continue;
		buf_text(out, "  ");
		wrap_name(out, text);
	}
	buf_char(out, '\n');
}

static void take_device(void *owner, struct control_answer *a)
{
	struct brief *b = owner;
	const cJSON *device = json_object(a->json, "device");

	if (!device || b->count++ >= SHOWN)
		return;
	widen(b, device);
	control_answer_take(&b->first[b->count - 1], a);
}

static int add_devices(struct brief *b)
{
	const struct serve_question q = { .op = "devices" };
	int status = control_line_ask(b->serve, &q, b->deadline, take_device, b,
				      NULL);

	for (size_t i = 0; i < b->count && i < SHOWN; i++) {
		add_device(b, json_object(b->first[i].json, "device"));
		control_answer_done(&b->first[i]);
	}
	if (b->count > SHOWN)
		buf_printf(&b->text, "  and %zu more: mcpctl devices\n",
			   b->count - SHOWN);
	return status;
}

static int describe(struct brief *b)
{
	const struct serve_question q = { .op = "status" };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	int64_t pid = 0, devices = 0;

	if (control_line_ask(b->serve, &q, b->deadline, control_answer_take,
			     &answer, NULL))
		return -1;
	json_integer(answer.json, "pid", &pid);
	json_integer(answer.json, "devices", &devices);
	buf_printf(&b->text, "\nA serve is running (pid %" PRId64 "), with ",
		   pid);
	if (devices <= 0) {
		buf_text(
			&b->text,
			"no device now: 'mcpctl devices' tells the next step\n");
		return 0;
	}
	wrap_count(&b->text, (uint64_t)devices, "device");
	if (devices > ASKED) {
		buf_text(&b->text, ": mcpctl devices\n");
		return 0;
	}
	buf_text(&b->text, ":\n");
	return add_devices(b);
}

static bool has_socket(const struct app *app)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	bool exists = false;

	return serve_target_path(app, &path, NULL) == 0 &&
	       control_path_check(path, &exists, NULL) == 0 && exists;
}

void brief_devices(struct app *app)
{
	struct brief b = { .app = app };

	if (!has_socket(app) || serve_client_open(&b.serve, app, false, NULL))
		return;
	b.deadline = loop_now() + PATIENCE_MS;
	if (describe(&b) == 0)
		fputs(buf_string(&b.text), app->out.out);
	buf_done(&b.text);
	control_line_close(b.serve);
}
