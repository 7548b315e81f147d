/* SPDX-License-Identifier: MIT */
/*
 * request: any JSON-RPC method, as it is.
 */
#include "cli/all.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/operand.h"
#include "cli/show.h"

static int request_run(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(message_done) struct message reply = { 0 };
	struct app *app = in->app;
	int64_t took_us;
	if (in->argc > 1 &&
	    operand_json(app, in->argv[1], "PARAMS", &params, err))
		return -1;
	int status = client_request(&in->connection->client, in->argv[0],
				    in->argc > 1 ? buf_string(&params) : NULL,
				    &reply, &took_us, err);
	if (!show_error_reply(&app->out, &reply, err) && reply.text &&
	    app->out.ops->reply)
		app->out.ops->reply(&app->out, &reply);
	return status;
}

static int request_all(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct all_request rq = { .method = in->argv[0] };
	if (in->argc > 1 &&
	    operand_json(in->app, in->argv[1], "PARAMS", &params, err))
		return -1;
	rq.params = in->argc > 1 ? buf_string(&params) : NULL;
	return all_run(in->app, &rq, NULL, NULL, err);
}

static const struct example request_examples[] = {
	{ "sim: request tools/list", "self.get_device_status", 0 },
	{ "sim: request tools/call '{\"name\":\"self.get_device_status\"}'",
	  "audio_speaker", 0 },
	{ "sim: request resources/list", NULL, 1 },
	{ NULL, NULL, 0 }
};

const struct command cmd_request = {
	.name = "request",
	.args = "METHOD [PARAMS]",
	.brief = "send any request and print its result",
	.text = "PARAMS is JSON, @FILE, or - for stdin; without it no params are sent. "
		"Nothing is checked or added but the id, so this shows what a peer does with any method and any params. The firmware never answers params that are no object.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 2,
	.operand = OPERAND_METHOD,
	.examples = request_examples,
	.run = request_run,
	.all = request_all
};
