/* SPDX-License-Identifier: MIT */
/*
 * ping: is it there, and how fast. Any answer counts.
 */
#include "cli/app.h"
#include "cli/commands.h"

static int ping_run(const struct invocation *in, struct error *err)
{
	struct app *app = in->app;
	struct ping_record record = { .device = app->client.device };
	if (client_ping(&app->client, &record.took_us, &record.was_error,
			err) != 0)
		return -1;
	if (app->out.ops->ping)
		app->out.ops->ping(&app->out, &record);
	return 0;
}

static const struct example ping_examples[] = { { "sim: ping", "alive, ", 0 },
						{ NULL, NULL, 0 } };

const struct command cmd_ping = {
	.name = "ping",
	.args = "",
	.brief = "one round trip: 'alive, 4 ms'",
	.text = "Sends MCP's ping and waits for the answer. Firmware has no "
		"ping and answers with an error; it is alive all the same, so "
		"any answer counts (-v mentions the error).",
	.group = GROUP_DEVICE,
	.flags = CMD_SESSION | CMD_SHELL,
	.examples = ping_examples,
	.run = ping_run
};
