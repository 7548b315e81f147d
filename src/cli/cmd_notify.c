/* SPDX-License-Identifier: MIT */
/*
 * notify: a JSON-RPC notification, which nobody answers.
 */
#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/operand.h"
#include "rpc/session_calls.h"

static int notify_run(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct app *app = in->app;
	if (in->argc > 1 &&
	    operand_json(app, in->argv[1], "PARAMS", &params, err))
		return -1;
	if (session_notify(in->connection->session, in->argv[0],
			   in->argc > 1 ? buf_string(&params) : NULL, err))
		return -1;
	render_note(&app->out, "sent '%s'; a notification is not answered",
		    in->argv[0]);
	return 0;
}

static int notify_all(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct all_request rq = { .notify = in->argv[0] };
	if (in->argc > 1 &&
	    operand_json(in->app, in->argv[1], "PARAMS", &params, err))
		return -1;
	rq.params = in->argc > 1 ? buf_string(&params) : NULL;
	return all_run(in->app, &rq, all_sent, NULL, err);
}

static const struct example notify_examples[] = {
	{ "sim: notify notifications/cancelled '{\"requestId\":3}'", NULL, 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_notify = {
	.name = "notify",
	.args = "METHOD [PARAMS]",
	.brief = "send a notification",
	.text = "PARAMS is JSON, @FILE, or - for stdin. There is no answer: status 0 says that it was sent.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 2,
	.operand = OPERAND_METHOD,
	.examples = notify_examples,
	.run = notify_run,
	.all = notify_all
};
