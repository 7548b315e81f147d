/* SPDX-License-Identifier: MIT */
/*
 * kick: end the connection of a device that the running serve holds.
 */
#include "cli/commands.h"
#include "cli/serve_client.h"
#include "out/wrap.h"

static int kick(struct app *app, struct serve_client *serve, const char *device,
		struct error *err)
{
	CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 }, words = { 0 };
	int64_t count = 0;

	buf_text(&json, "{\"op\":\"kick\"");
	json_add_text(&json, "device", device);
	buf_char(&json, '}');
	if (serve_client_ask(serve, &json, &answer, err))
		return -1;
	json_integer(answer.json, "count", &count);
	if (count <= 0) {
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", device);
		return error_hint(err, "'mcpctl devices' shows who is there");
	}
	wrap_count(&words, (uint64_t)count, "connection");
	render_note(&app->out, "ended %s", buf_string(&words));
	return 0;
}

static int kick_run(const struct invocation *in, struct error *err)
{
	struct serve_client *serve;
	int status;

	if (serve_client_open(&serve, in->app, err))
		return -1;
	status = kick(in->app, serve, in->argv[0], err);
	serve_client_free(serve);
	return status;
}

static const struct example kick_examples[] = { { "kick kitchen", NULL, 3 },
						{ "kick 'aa:bb:*'", NULL, 3 },
						{ NULL, NULL, 0 } };

const struct command cmd_kick = {
	.name = "kick",
	.args = "DEVICE",
	.brief = "end the connection of a device of the running serve",
	.text = "DEVICE is an id, a client id, an alias, or a glob over these: then all that fit are meant. "
		"A board connects again by itself when it is used next, or by MQTT after some seconds. Commands attached to it are told.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_DEVICE,
	.examples = kick_examples,
	.run = kick_run
};
