/* SPDX-License-Identifier: MIT */
/*
 * ping: is it there, and how fast. Any answer counts.
 */
#include "cli/all.h"
#include "cli/commands.h"
#include "cli/connection.h"

static int ping_run(const struct invocation *in, struct error *err)
{
	struct app *app = in->app;
	struct ping_record record = { .device = in->connection->client.device };
	if (client_ping(&in->connection->client, &record.took_us,
			&record.was_error, err) != 0)
		return -1;
	if (app->out.ops->ping)
		app->out.ops->ping(&app->out, &record);
	return 0;
}

/* Any answer counts. */
static bool judge(void *owner, struct all_row *row)
{
	(void)owner;
	if (row->reply.text) {
		error_reset(&row->error);
		buf_text(&row->summary, "alive");
	}
	return true;
}

static int ping_all(const struct invocation *in, struct error *err)
{
	const struct all_request rq = { .method = "ping" };
	return all_run(in->app, &rq, judge, NULL, err);
}

static const struct example ping_examples[] = { { "sim: ping", "alive, ", 0 },
						{ NULL, NULL, 0 } };

const struct command cmd_ping = {
	.name = "ping",
	.args = "",
	.brief = "one round trip: 'alive, 4 ms'",
	.text = "Sends MCP's ping and waits for the answer. Firmware has no ping and answers with an error; it is alive all the same, so any answer counts (-v mentions the error).",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_SHELL,
	.examples = ping_examples,
	.run = ping_run,
	.all = ping_all
};
