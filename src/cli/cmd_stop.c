/* SPDX-License-Identifier: MIT */
/*
 * stop: end the running serve, and be back when it has ended.
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/serve_client.h"

enum { END_MS = 10000 };

static int stop(struct app *app, struct control_line *serve, struct error *err)
{
	const struct serve_question q = { .op = "stop" };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	int64_t deadline = loop_now() + END_MS;

	if (control_line_send(serve, &q, err) ||
	    control_line_next(serve, serve_deadline(app), &answer, err))
		return -1;
	/* Its socket is closed when it has ended. */
	do
		control_answer_done(&answer);
	while (control_line_next(serve, deadline, &answer, err) == 0);
	if (err->kind != ERR_CONNECT)
		return -1;
	error_reset(err);
	render_note(&app->out, "the running serve has ended");
	return 0;
}

static int stop_run(const struct invocation *in, struct error *err)
{
	struct control_line *serve;
	int status = serve_client_open(&serve, in->app, true, err);

	if (status == 0)
		status = stop(in->app, serve, err);
	control_line_close(serve);
	return status;
}

static const struct example stop_examples[] = { { "stop", NULL, 3 },
						{ NULL, NULL, 0 } };

const struct command cmd_stop = {
	.name = "stop",
	.globals = "socket timeout",
	.args = "",
	.brief = "end the running serve",
	.text = "Asks the 'mcpctl serve' of this user to end, as SIGTERM does: it closes its devices properly and removes its socket. The command is back when that is done. Status 3: none was running.",
	.group = GROUP_START,
	.flags = CMD_SHELL | CMD_MINOR,
	.examples = stop_examples,
	.run = stop_run
};
