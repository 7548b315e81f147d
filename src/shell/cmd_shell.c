/* SPDX-License-Identifier: MIT */
/*
 * shell: commands on one open session, from a terminal or as a script.
 */
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "out/term.h"
#include "shell/shell.h"
#include "shell/shell_peer.h"
#include "shell/shell_run.h"

struct shell_options {
	bool keep_going, no_history;
};

static const struct option_row shell_options[] = {
	{ .letter = 'k',
	  .name = "keep-going",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct shell_options, keep_going),
	  .brief = "a script goes on after a line that failed" },
	{ .name = "no-history",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct shell_options, no_history),
	  .brief = "neither read nor write the file of lines typed before" },
	{ .name = NULL }
};

/* What it lent to the application is its own. */
static void shell_done(struct shell *s, const struct config *before)
{
	struct app *app = s->app;

	connection_close(s->connection);
	shell_list_stop(s);
	app->config.target = before->target;
	app->config.device = before->device;
	s->connection->on_event = NULL;
	app->out.ops = s->inner;
	app->out.begin = app->out.end = NULL;
	shell_last_done(&s->last);
	mem_free(s->line);
	mem_free(s->target);
	mem_free(s->device);
	mem_free(s->name);
	mem_free(s->prompt);
	mem_free(s->told);
}

static int shell_run(const struct invocation *in, struct error *err)
{
	const struct shell_options *o = in->options;
	struct app *app = in->app;
	const struct config before = app->config;
	struct shell s = { .app = app,
			   .connection = in->connection,
			   .keep_going = o->keep_going };
	int status;

	in->connection->goes_on = true;
	shell_dress(&s);
	if (term_is_terminal(stdin) &&
	    (app->out.err_terminal || app->out.out_terminal))
		status = shell_interact(&s, !o->no_history, err);
	else
		status = shell_script(&s, err);
	shell_done(&s, &before);
	return status;
}

static const struct example shell_examples[] = { { "sim: shell", NULL, 0 },
						 { NULL, NULL, 0 } };

const struct command cmd_shell = {
	.name = "shell",
	.args = "",
	.brief = "explore a device: commands on one open session",
	.text = "Every command that makes sense on an open session, without 'mcpctl' and the target; the name of a tool with a dot alone calls it:\n"
		"\n"
		"  self.audio_speaker.set_volume volume=50\n"
		"  call self.get_device_status | jq .battery\n"
		"\n"
		"TAB completes commands, options, tools, arguments and their values; on an empty word it shows which arguments are missing. JSON needs no quotes. "
		"A line is a command, or the name of a tool where that has a dot; other tools by 'call'. Besides:\n"
		"\n"
		"use [DEVICE|TARGET]\tanother device of serve, another target; alone: which there are\n"
		"reconnect\topen the target again\n"
		"set [NAME [VALUE]]\ttimeout, wait, output, verbose, quiet, color\n"
		"last [-o FORM|--save FILE]\tthe last result once more, in another form; its images and audio into a file\n"
		"run [-k] FILE\tthe lines of a file\n"
		"help [WORD]\ton a command, a tool or a topic\n"
		"LINE | CMD\twhat LINE prints goes to the command CMD of sh\n"
		"! CMD\ta command of sh\n"
		"quit\tor exit, or Ctrl-D: leave\n"
		"\n"
		"What the device says meanwhile stands above the line that is typed, at most ten messages a second; the others are counted. "
		"When the device is lost, the shell says so and stays: with listen: and with a running serve it waits for the device to come back, else the next command, or 'reconnect', opens the target again. "
		"Ctrl-C ends a call or drops the line.\n"
		"\n"
		"The keys are those of readline (~/.inputrc). "
		"Lines are kept in mcpctl/history in $XDG_STATE_HOME (~/.local/state), but not those with a token, a password or another secret, nor those that begin with a space.\n"
		"\n"
		"Where stdin is no terminal it is a script: the first line that fails ends it, and its status is that of the whole; with --keep-going the rest is run too.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_OPENS,
	.options = shell_options,
	.options_size = sizeof(struct shell_options),
	.examples = shell_examples,
	.run = shell_run
};
