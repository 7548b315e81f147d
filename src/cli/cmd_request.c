/* SPDX-License-Identifier: MIT */
/*
 * request: any JSON-RPC method, as it is.
 */
#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/expect.h"
#include "cli/operand.h"
#include "cli/round_trip.h"
#include "cli/show.h"

struct request_options {
	const char *expect_jq;
};

static const struct option_row request_options[] = {
	EXPECT_JQ_ROW(struct request_options, expect_jq), { .name = NULL }
};

/* What is sent, and what is expected then. */
static int read_words(const struct invocation *in, struct buf *params,
		      struct expectation *expected, struct error *err)
{
	const struct request_options *o = in->options;

	if (expectation_open(expected, in->app, NULL, o->expect_jq, err))
		return -1;
	return in->argc > 1 ? operand_json(in->app, in->argv[1], "PARAMS",
					   params, err) :
			      0;
}

static int request_run(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(expectation_done) struct expectation expected = { 0 };
	CLEANUP(message_done) struct message reply = { 0 };
	struct app *app = in->app;
	int64_t took_us;

	if (read_words(in, &params, &expected, err))
		return -1;
	int status = client_request(&in->connection->client, in->argv[0],
				    in->argc > 1 ? buf_string(&params) : NULL,
				    &reply, &took_us, err);
	if (status)
		silence_ask(in->connection, err);
	if (!show_error_reply(&app->out, &reply, err) && reply.text &&
	    app->out.ops->reply)
		app->out.ops->reply(&app->out, &reply);
	return status ? status :
			expectation_check_reply(&expected, &reply, err);
}

static bool judge(void *owner, struct all_row *row)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (row->error.kind == ERR_NONE &&
	    expectation_check_reply(owner, &row->reply, &why))
		expectation_fail(&row->error, &why);
	return true;
}

static int request_all(const struct invocation *in, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(expectation_done) struct expectation expected = { 0 };
	struct all_request rq = { .method = in->argv[0] };

	if (read_words(in, &params, &expected, err))
		return -1;
	rq.params = in->argc > 1 ? buf_string(&params) : NULL;
	return all_run(in->app, &rq, judge, &expected, err);
}

static const struct example request_examples[] = {
	{ "sim: request tools/list", "self.get_device_status", 0 },
	{ "sim: request tools/call '{\"name\":\"self.get_device_status\"}'",
	  "audio_speaker", 0 },
	{ "sim: request tools/list --expect-jq '.tools | length > 99'", NULL,
	  7 },
	{ "sim: request resources/list", NULL, 1 },
	{ NULL, NULL, 0 }
};

const struct command cmd_request = {
	.name = "request",
	.args = "METHOD [PARAMS]",
	.brief = "send any request and print its result",
	.text = "PARAMS is JSON, @FILE, or - for stdin; without it no params are sent. "
		"Nothing is checked or added but the id, so this shows what a peer does with any method and any params. The firmware never answers params that are no object. "
		"--expect-jq asks a jq expression of the result, as --jq does; with --all of each device's.",
	.group = GROUP_DIAGNOSE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR,
	.min = 1,
	.max = 2,
	.operand = OPERAND_METHOD,
	.options = request_options,
	.options_size = sizeof(struct request_options),
	.examples = request_examples,
	.run = request_run,
	.all = request_all
};
