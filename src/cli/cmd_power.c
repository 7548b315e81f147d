/* SPDX-License-Identifier: MIT */
/*
 * power: a board's power, switched by the command that serve was given.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/power_switch.h"
#include "cli/serve_client.h"

static int which(const struct invocation *in, struct serve_question *out,
		 struct error *err)
{
	const char *option = serve_target_device(in->app);

	out->action = in->argv[in->argc - 1];
	out->device = in->argc > 1 ? in->argv[0] : option;
	if (in->argc > 1 && option)
		return error_set(err, ERR_USAGE,
				 "two devices: '%s' and '%s' (option --device)",
				 in->argv[0], option);
	if (out->device)
		return 0;
	error_set(err, ERR_USAGE, "'power' needs DEVICE and on, off or cycle");
	return error_hint(err, "'mcpctl devices' shows who is there");
}

/* Line by line: what is not plain in it is shown as such. */
static void show_output(const struct invocation *in, const char *output)
{
	while (output && *output) {
		size_t len = strcspn(output, "\n");

		render_note(&in->app->out, "| %.*s", (int)len, output);
		output += len + (output[len] != '\0');
	}
}

/* Its status is ours: what it says of a board is for people. */
static int tell(const struct invocation *in, const struct serve_question *q,
		const cJSON *answer, struct error *err)
{
	const char *output = json_string(answer, "output");
	int64_t status = 0;

	json_integer(answer, "status", &status);
	if (json_true(answer, "over"))
		error_set(
			err, ERR_TIMEOUT,
			"the power command for '%s' (%s) took longer than 30 s and is being ended",
			q->device, q->action);
	if (status == 0 && err->kind == ERR_NONE) {
		render_note(&in->app->out,
			    "the power command for '%s' (%s) ended well",
			    q->device, q->action);
		return 0;
	}
	show_output(in, output);
	if (err->kind != ERR_NONE)
		return -1;
	render_note(&in->app->out,
		    "the power command for '%s' (%s) ended with status %d",
		    q->device, q->action, (int)status);
	in->app->status = status > 0 && status < 256 ? (int)status : 1;
	return 0;
}

static int power_run(const struct invocation *in, struct error *err)
{
	struct serve_question q = { .op = "power" };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	int64_t timeout = in->app->config.timeout;
	int64_t deadline = loop_now() + (timeout ? timeout : POWER_SWITCH_MS);

	if (which(in, &q, err) ||
	    serve_ask(in->app, &q, deadline, control_answer_take, &answer, err))
		return -1;
	return tell(in, &q, answer.json, err);
}

static const struct example power_examples[] = {
	{ "power kitchen cycle", NULL, 3 },
	{ "-d kitchen power off", NULL, 3 },
	{ NULL, NULL, 0 }
};

const struct command cmd_power = {
	.name = "power",
	.globals = "device socket timeout",
	.args = "[DEVICE] on|off|cycle",
	.brief = "switch the power of a board of the running serve",
	.text = "Has serve run the command of its --power-cmd for that board, which need not be connected: an alias, an enrolled board or an id will do. "
		"Where somebody else leased it (mcpctl lease), it is refused.\n"
		"\n"
		"  mcpctl serve --power-cmd '/usr/local/bin/rack-power {alias}'\n"
		"  mcpctl power kitchen cycle\n"
		"\n"
		"The words of --power-cmd are split as a shell splits them, and nothing else in them is a shell's: no variable, no pattern, no pipe. {device} is the id of the board, {alias} its name (else its id), and on, off or cycle is the last word, or stands where {action} does. "
		"The environment has MCPCTL_DEVICE and MCPCTL_POWER.\n"
		"\n"
		"The status is that of the command, and what it said is shown if it failed; status 4: it took longer than 30 s and is being ended, or serve said nothing in time. "
		"Status 0 says that the command ended well, not that the board is up: mcpctl -d kitchen --wait 60s info waits for that, since the connection that it had before is ended at off and cycle.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 2,
	.operand = OPERAND_DEVICE,
	.examples = power_examples,
	.run = power_run
};
