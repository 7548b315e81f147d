/* SPDX-License-Identifier: MIT */
/*
 * loglevel: from which level on the server logs. tail --level does the same.
 */
#include <string.h>

#include "base/text.h"
#include "cli/cmd_loglevel.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/show.h"
#include "mcp/rules.h"

int log_level_check(const char *level, struct error *err)
{
	const char *nearest;

	if (log_level_rank(level) > 0)
		return 0;
	nearest = text_nearest(level, log_levels, COUNT(log_levels) - 1);
	error_set(err, ERR_USAGE, "'%s' is no level", level);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	return error_hint(
		err,
		"levels are debug, info, notice, warning, error, critical, alert, emergency");
}

int log_level_set(struct connection *c, const char *level, struct error *err)
{
	CLEANUP(message_done) struct message reply = { 0 };
	int rank = log_level_rank(level);

	if (client_require(&c->client, "logging", err))
		return -1;
	if (client_set_log_level(&c->client, log_levels[rank - 1], &reply,
				 err) == 0) {
		c->app->out.log_from = rank;
		return 0;
	}
	show_error_reply(&c->app->out, &reply, err);
	return -1;
}

static int loglevel_run(const struct invocation *in, struct error *err)
{
	const char *level = in->argv[0];

	if (log_level_check(level, err) ||
	    connection_open(in->connection, err) ||
	    log_level_set(in->connection, level, err))
		return -1;
	render_note(&in->app->out, "the server logs from '%s' on", level);
	return 0;
}

static const struct example loglevel_examples[] = {
	{ "sim:llm loglevel warning", NULL, 0 },
	{ "sim:llm loglevel loud", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_loglevel = {
	.name = "loglevel",
	.args = "LEVEL",
	.brief = "from which level on the server logs",
	.text = "LEVEL is debug, info, notice, warning, error, critical, alert or emergency. It holds as long as the connection: of use in the shell and in run. "
		"What is logged from there on stands on stderr while other commands run; without it, only what is a warning or worse (with -v all). "
		"For one command there is 'tail --level LEVEL', which also shows what is logged.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_OPENS | CMD_MINOR,
	.min = 1,
	.max = 1,
	.operand = OPERAND_LEVEL,
	.examples = loglevel_examples,
	.run = loglevel_run
};
