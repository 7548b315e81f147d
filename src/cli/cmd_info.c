/* SPDX-License-Identifier: MIT */
/*
 * info: who is there, and how it came to be there.
 */
#include "cli/cmd_info.h"

#include "base/mem.h"
#include "cli/app.h"
#include "cli/commands.h"
#include "cli/each.h"
#include "cli/show.h"
#include "cli/target_text.h"
#include "net/http.h"

/* What the HTTP of it came to be. */
static const char *spoken(const struct connection *c)
{
	const struct transport *t = session_transport(c->session);
	const struct http_table *http = http_table_of(t);

	return http ? http->spoken(t) : NULL;
}

/* Without its secrets; NULL: there is none. Yours. */
static char *target_shown(const struct app *app)
{
	const char *target = app->config.target;

	return target ? target_key(target, NULL) : NULL;
}

static void show(const struct connection *c, struct renderer *r, bool another)
{
	CLEANUP(mem_free_ptr) char *target = target_shown(c->app);
	const struct info_record record = {
		.target = target,
		.client = &c->client,
		.peer = session_peer(c->session),
		.link = session_link(c->session),
		.times = session_times(c->session),
		.diag = &c->diag,
		.spoken = spoken(c),
		.another = another,
	};
	if (r->ops->info)
		r->ops->info(r, &record);
}

void info_show(const struct connection *c, struct renderer *r)
{
	show(c, r, false);
}

static int info_run(const struct invocation *in, struct error *err)
{
	if (client_describe(&in->connection->client, err))
		return -1;
	info_show(in->connection, &in->app->out);
	return 0;
}

static int show_one(void *owner, struct connection *c, struct error *err)
{
	size_t *shown = owner;

	(void)err;
	show(c, &c->app->out, (*shown)++ > 0);
	return 0;
}

static int info_all(const struct invocation *in, struct error *err)
{
	size_t shown = 0;
	const struct each_order order = { .up = show_one, .owner = &shown };

	return each_run(in->app, &order, err);
}

static const char *const info_aliases[] = { "hello", NULL };
static const struct example info_examples[] = {
	{ "sim: info", "pretend-esp32s3 2.4.2", 0 },
	{ "-o json sim: info", "\"timing_ms\":{", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_info = {
	.name = "info",
	.aliases = info_aliases,
	.args = "",
	.brief = "who the peer is, what it told, and how long each step took",
	.text = "Shows the server's name and version, its revision of MCP and its capabilities, and which era of MCP it speaks (modern: from 2026-07-28 on; legacy: before) and how that was found out; of a device also the headers of its connection, its hello with features and audio parameters, what it told when it asked the OTA address (firmware, compile time, board, chip, network), and when each step was reached since the target was opened.\n"
		"\n"
		"With --all the same of each device of the running serve (-d picks some), its name first; what failed is a row, and the status.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_ANSWERS | CMD_PAGED,
	.examples = info_examples,
	.run = info_run,
	.all = info_all
};
