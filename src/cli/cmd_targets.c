/* SPDX-License-Identifier: MIT */
/*
 * targets: the names that mcp.json files give to servers. Reads files, and
 * starts or dials nothing.
 */
#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/named.h"
#include "out/wrap.h"

struct row {
	char *name, *file, *peer,
		*problem; /* owned; name, problem may be NULL */
	bool hidden, untrusted;
};

struct targets {
	struct row *item;
	size_t count, capacity;
	size_t name_width, peer_width;
};

static void widen(size_t *width, const char *text)
{
	size_t columns = wrap_columns(text);

	if (columns > *width)
		*width = columns;
}

/* All that are there, since the columns must be known before the first. */
static void collect(void *owner, const struct named_entry *e)
{
	struct targets *t = owner;
	struct row row = { .hidden = e->hidden, .untrusted = e->untrusted };

	row.name = mem_strdup(e->name);
	row.file = mem_strdup(e->file);
	row.peer = mem_strdup(e->peer);
	row.problem = mem_strdup(e->problem);
	t->item = mem_grow(t->item, &t->capacity, t->count, sizeof(*t->item));
	t->item[t->count++] = row;
	widen(&t->name_width, row.name ? row.name : "");
	widen(&t->peer_width, row.peer);
}

static void show(struct renderer *r, const struct targets *t)
{
	for (size_t i = 0; i < t->count && r->ops->target; i++) {
		const struct row *row = &t->item[i];
		const struct target_record record = {
			.name = row->name,
			.file = row->file,
			.peer = row->peer,
			.problem = row->problem,
			.hidden = row->hidden,
			.untrusted = row->untrusted,
			.name_width = t->name_width,
			.peer_width = t->peer_width,
		};

		r->ops->target(r, &record);
	}
}

static void targets_done(struct targets *t)
{
	for (size_t i = 0; i < t->count; i++) {
		mem_free(t->item[i].name);
		mem_free(t->item[i].file);
		mem_free(t->item[i].peer);
		mem_free(t->item[i].problem);
	}
	mem_free(t->item);
}

/* The file that was given is not there, or is none: its only row says so. */
static int check_given(const struct app *app, const struct targets *t,
		       struct error *err)
{
	if (!app->config.config_file || t->count != 1 || t->item[0].name)
		return 0;
	return error_set(err, ERR_USAGE, "%s", t->item[0].problem);
}

static int targets_run(const struct invocation *in, struct error *err)
{
	struct app *app = in->app;
	const struct named_search search = { .config_file =
						     app->config.config_file,
					     .trust = app->config.trust };
	CLEANUP(targets_done) struct targets t = { 0 };

	named_targets(&search, collect, &t);
	if (check_given(app, &t, err))
		return -1;
	show(&app->out, &t);
	if (t.count == 0)
		render_note(
			&app->out,
			"no mcp.json names a server: neither mcp.json in the configuration folder, nor .mcp.json or mcp.json here or above (mcpctl targets --help)");
	return 0;
}

static const struct example targets_examples[] = { { "targets", NULL, 0 },
						   { NULL, NULL, 0 } };

const struct command cmd_targets = {
	.name = "targets",
	.globals = "config trust",
	.args = "",
	.brief = "the servers that mcp.json files name",
	.text = "A line for each server that can be named as -t NAME: its name, what it is as a target, and the file that says so. Nothing is started or dialled.\n"
		"\n"
		"The files are those of other MCP clients: mcp.json in $XDG_CONFIG_HOME/mcpctl (~/.config/mcpctl), which is your own, then .mcp.json and mcp.json in the current folder and in each one above it. "
		"The first that has a name counts; a later one is marked. --config FILE reads that file alone. "
		"A file that was found, and belongs to neither the user nor root, is not used.\n"
		"\n"
		"A file of a folder may have come with it, and can name any program. So its names are used only after you trusted what it holds: mcpctl trust, or the question when one is used first.\n"
		"\n"
		"An entry of \"mcpServers\" (or \"servers\") is {\"command\", \"args\", \"env\", \"cwd\"} or {\"url\", \"headers\"}; its \"type\" may be stdio, http, sse or ws; \"url\" may be any target. ${VAR} and ${VAR:-default} stand for variables of the environment. "
		"Comments are allowed. A program of a file above the current folder runs in that file's folder, unless \"cwd\" says otherwise. "
		"Options of the command line count more than the entry.\n"
		"\n"
		"Secrets are shown as ***. What is wrong with an entry or a file stands behind it and hides no other; the status is 0 all the same, but for a file that was given and cannot be read.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR | CMD_PAGED,
	.examples = targets_examples,
	.run = targets_run
};
