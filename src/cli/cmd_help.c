/* SPDX-License-Identifier: MIT */
/*
 * help: commands and topics from their tables.
 */
#include <stdio.h>

#include "cli/app.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/suggest.h"
#include "cli/topics.h"

static void show_topic(FILE *out, const struct topic *t, size_t width)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	t->write(&text);
	manual_print(out, buf_string(&text), width > 80 ? 80 : width);
}

static int help_run(const struct invocation *in, struct error *err)
{
	FILE *out = in->app->out.out;
	size_t width = in->app->out.width;

	if (in->argc == 0) {
		help_brief(&in->app->out);
		return 0;
	}

	const struct command *c = command_find(in->argv[0]);
	const struct topic *t = topic_find(in->argv[0]);

	if (!c && !t)
		return suggest_topic(in->argv[0], err);
	if (c)
		help_command(&in->app->out, c);
	/* "targets" is both. */
	if (c && t)
		fputc('\n', out);
	if (t)
		show_topic(out, t, width);
	return 0;
}

/* --all means all of it here. */
static int help_all_run(const struct invocation *in, struct error *err)
{
	if (in->argc > 0)
		return help_run(in, err);
	help_all(&in->app->out);
	return 0;
}

static const struct example help_examples[] = {
	{ "help --all", "--timeout", 0 },
	{ "help call", "usage: mcpctl", 0 },
	{ "help targets", "listen:", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_help = {
	.name = "help",
	.globals = "",
	.args = "[COMMAND|TOPIC]",
	.brief = "help on a command or a topic",
	.text = "Without an operand: the commands that one needs first, and the topics; with --all all commands, and the options that every command has. "
		"'mcpctl COMMAND --help' is the same as 'mcpctl help COMMAND'; 'mcpctl TARGET call TOOL --help' describes that tool.",
	.group = GROUP_PROGRAM,
	.flags = CMD_SHELL | CMD_PAGED,
	.max = 1,
	.operand = OPERAND_COMMAND_OR_TOPIC,
	.examples = help_examples,
	.run = help_run,
	.all = help_all_run
};
