/* SPDX-License-Identifier: MIT */
/*
 * kick: end the connection of a device that the running serve holds.
 */
#include "cli/commands.h"
#include "cli/serve_client.h"
#include "out/wrap.h"

static void take_count(void *owner, struct control_answer *a)
{
	json_integer(a->json, "count", owner);
}

/* -1: none is named, or two. MCPCTL_DEVICE names who is asked, not who is to go. */
static int which(const struct invocation *in, const char **out,
		 struct error *err)
{
	const char *option = serve_target_device(in->app);
	const char *word = in->argc > 0 ? in->argv[0] : NULL;

	*out = word ? word : option;
	if (word && option)
		return error_set(err, ERR_USAGE,
				 "two devices: '%s' and '%s' (option --device)",
				 word, option);
	if (*out)
		return 0;
	error_set(err, ERR_USAGE, "'kick' needs DEVICE");
	return error_hint(err, "'mcpctl devices' shows who is there");
}

static int kick_run(const struct invocation *in, struct error *err)
{
	struct serve_question q = { .op = "kick" };
	CLEANUP(buf_done) struct buf words = { 0 };
	int64_t count = 0;

	if (which(in, &q.device, err))
		return -1;
	if (serve_ask(in->app, &q, serve_deadline(in->app), take_count, &count,
		      err))
		return -1;
	if (count <= 0) {
		error_set(err, ERR_CONNECT,
			  "no device of the running serve fits '%s'", q.device);
		return error_hint(err, "'mcpctl devices' shows who is there");
	}
	wrap_count(&words, (uint64_t)count, "connection");
	render_note(&in->app->out, "ended %s", buf_string(&words));
	return 0;
}

static const struct example kick_examples[] = { { "kick kitchen", NULL, 3 },
						{ "kick 'aa:bb:*'", NULL, 3 },
						{ NULL, NULL, 0 } };

const struct command cmd_kick = {
	.name = "kick",
	.globals = "device socket timeout",
	.args = "[DEVICE]",
	.brief = "end the connection of a device of the running serve",
	.text = "DEVICE (or -d DEVICE) is an id, a client id, an alias, or a glob over these: then all that fit are meant. "
		"A board at a broker that is in a voice session is told goodbye first, or it would go on listening. "
		"A board connects again by itself when it is used next, or by MQTT after some seconds. Commands attached to it are told.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.max = 1,
	.operand = OPERAND_DEVICE,
	.examples = kick_examples,
	.run = kick_run
};
