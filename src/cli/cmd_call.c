/* SPDX-License-Identifier: MIT */
/*
 * call: arguments are checked before anything is sent; then the result is
 * shown, saved, compared.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/all_ask.h"
#include "cli/call_times.h"
#include "cli/cmd_call.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/expect.h"
#include "cli/round_trip.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/task_wait.h"
#include "cli/tool_call.h"
#include "mcp/arguments.h"
#include "mcp/content.h"

struct call_options {
	bool no_validate, fill_defaults, task, detach;
	const char *expect, *expect_jq, *save, *upload;
	int64_t repeat;
};

static const struct option_row call_options[] = {
	{ .name = "no-validate",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct call_options, no_validate),
	  .brief = "send as it is: no listing, no check against the schema" },
	{ .name = "fill-defaults",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct call_options, fill_defaults),
	  .brief =
		  "send what is left out with the schema's default, for servers that want every argument" },
	{ .name = "expect",
	  .word = "JSON",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct call_options, expect),
	  .brief = "what the result must contain (or @FILE); else status 7" },
	{ .name = "expect-jq",
	  .word = "EXPR",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct call_options, expect_jq),
	  .brief =
		  "a jq expression that must be true of the tool's value; else status 7" },
	{ .name = "repeat",
	  .word = "N",
	  .type = OPTION_NUMBER,
	  .offset = offsetof(struct call_options, repeat),
	  .min = 1,
	  .max = 1000000,
	  .brief =
		  "call N times, one after the other; then how many failed, and how long they took" },
	{ .name = "save",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct call_options, save),
	  .brief = "write images and audio to FILE, FILE-2, …; - is stdout" },
	{ .name = "task",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct call_options, task),
	  .brief =
		  "run it as a task, and wait for that; Ctrl-C and --timeout cancel it" },
	{ .name = "detach",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct call_options, detach),
	  .brief =
		  "the same, but print the task's id and do not wait ('task wait ID')" },
	{ .name = "upload",
	  .word = "ARG",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct call_options, upload),
	  .brief =
		  "give the argument ARG an address of serve, listen: or sim: that takes one picture" },
	{ .name = NULL }
};

static int read_expected(const struct invocation *in, struct expectation *out,
			 struct error *err)
{
	const struct call_options *o = in->options;
	return expectation_open(out, in->app, o->expect, o->expect_jq, err);
}

/* The text is a part of what was shown: it need not come twice. */
static int tell_tool_error(struct renderer *r, const char *name,
			   const struct result *result, const struct error *err)
{
	for (size_t i = 0; i < result->count; i++) {
		const struct content *c = &result->content[i];
		if (c->kind == CONTENT_TEXT && c->text && *c->text) {
			render_told_error(r, name, err);
			break;
		}
	}
	return -1;
}

static void show(struct renderer *r, const struct result *result,
		 const struct error *why)
{
	if (!show_error_reply(r, &result->message, why) && r->ops->result)
		r->ops->result(r, result);
}

/* With --save - the bytes have stdout for themselves. */
static int show_and_save(const struct call_shown *s,
			 const struct result *result, const struct error *why,
			 struct error *err)
{
	struct renderer *r = &s->app->out;
	bool to_stdout = s->save && strcmp(s->save, "-") == 0;
	struct render_place place = { 0 };
	if (to_stdout)
		place = render_divert(r);
	show(r, result, why);
	if (to_stdout)
		render_restore(r, &place);
	if (!s->save || !result->message.result)
		return 0;
	return save_result(s->app, result, s->save, false, err);
}

int call_show(const struct call_shown *s, const struct result *result,
	      int status, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int saved = show_and_save(s, result, err, &why);
	if (status != 0) {
		if (!result->is_error)
			return -1;
		/* A failure that was asked for is none. */
		if (!expect_wants_error(s->expected->json))
			return tell_tool_error(&s->app->out, s->name, result,
					       err);
		error_reset(err);
	}
	if (expectation_check(s->expected, result, err))
		return -1;
	if (saved == 0)
		return 0;
	error_copy(err, &why);
	return -1;
}

/* Messages of firmware whose cause is on this side (device.md 3.10, 6). */
static void hint_at_vision(struct error *err)
{
	static const char *const messages[][2] = {
		{ "Image explain URL or token is not set",
		  "serve and listen: take its pictures when it dials in there; or give it a vision service: --vision-url http://… (its token by --vision-token-file or MCPCTL_VISION_TOKEN)" },
		{ "Failed to connect to explain URL",
		  "the board cannot reach the address that it was given for pictures: that of --vision-url, else of serve or listen: (--advertise names another)" },
		{ "Failed to upload photo",
		  "what takes the pictures did not answer 200; with --vision-url: is its token right, and does it take chunked requests?" },
	};

	if (err->kind != ERR_PEER || *err->hint)
		return;
	for (size_t i = 0; i < COUNT(messages); i++) {
		if (text_find(err->text, messages[i][0]))
			error_hint(err, "%s", messages[i][1]);
	}
}

/*
 * Espressif's mcp-c-sdk wants what its schema does not require (espressif.md 4).
 * Whether this server does is not known: it names no argument.
 */
static void hint_at_defaults(struct connection *c, const struct tool_call *call,
			     struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	if (err->kind != ERR_PEER || !err->has_code || err->code != -32602 ||
	    *err->hint || !call->tool ||
	    !arguments_left_out(call->tool, buf_string(&call->arguments),
				&names))
		return;
	error_hint(
		err,
		"left out, as the schema allows: %.150s; some servers want every argument all the same: --fill-defaults sends the defaults (explain P725)",
		buf_string(&names));
	c->worded = true;
	diag_found(&c->diag, P725, (struct span){ 0 }, "%.60s: without %s",
		   call->name, buf_string(&names));
	session_drain(c->session);
	c->worded = false;
}

/* It may be meant so. Long texts end like that in mcp-c-sdk (espressif.md 3). */
static void tell_empty(struct renderer *r, const struct result *result)
{
	const cJSON *content = json_member(result->message.result, "content");

	if (cJSON_IsArray(content) && !content->child && !result->is_error &&
	    !result->message.error &&
	    !json_member(result->message.result, "structuredContent"))
		render_note(
			r,
			"empty result: no content; Espressif's mcp-c-sdk sends that in place of a text above 8192 bytes (explain P726)");
}

/* On a terminal -v tells it with the frame. */
static void tell_took(struct renderer *r, int64_t took_us)
{
	bool framed = r->verbose && r->err_terminal && !r->raw_frames;
	char took[32];

	if (framed || took_us <= 0 ||
	    !(r->verbose || (r->err_terminal && took_us > 1000000)))
		return;
	render_note(r, "took %s",
		    text_microseconds(took_us, took, sizeof(took)));
}

/* As a task, too, where the tool can only be that. */
static int ask(const struct invocation *in, const struct tool_call *call,
	       struct result *result, bool *detached, struct error *err)
{
	const struct call_options *o = in->options;
	struct connection *c = in->connection;
	const struct task_order order = { call->name,
					  buf_string(&call->arguments),
					  o->detach };

	if (o->task || o->detach || client_must_be_task(&c->client, call->name))
		return task_call(c, &order, result, detached, err);
	if (!client_call_tool(&c->client, call->name, order.arguments, result,
			      err))
		return 0;
	if (!client_wanted_task(&c->client, &result->message))
		return -1;
	error_reset(err);
	result_done(result);
	return task_call(c, &order, result, detached, err);
}

static int call_once(const struct invocation *in, const struct tool_call *call,
		     const struct expectation *expected, int64_t *took_us,
		     struct error *err)
{
	CLEANUP(result_done) struct result result = { 0 };
	const struct call_options *o = in->options;
	const struct call_shown shown = { in->app, in->argv[0], o->save,
					  expected };
	bool detached = false;
	words_done(&in->connection->pictures);
	int status = ask(in, call, &result, &detached, err);
	if (detached)
		return 0;
	result.pictures = &in->connection->pictures;
	*took_us = result.took_us;
	hint_at_vision(err);
	hint_at_defaults(in->connection, call, err);
	if (status)
		silence_ask(in->connection, err);
	status = call_show(&shown, &result, status, err);
	tell_empty(&in->app->out, &result);
	tell_took(&in->app->out, result.took_us);
	/* Shown all the same: whoever looks into it needs to see it. */
	if (status == 0 && call->tool)
		status = client_check_output(call->tool, &result, err);
	return status;
}

/* What fails does not end it, unless the connection does. */
static int call_again(const struct invocation *in, const struct tool_call *call,
		      const struct expectation *expected,
		      struct call_times *times, struct error *err)
{
	const struct call_options *o = in->options;
	for (int64_t i = 0; i < o->repeat && !ferror(in->app->out.out); i++) {
		CLEANUP(error_reset) struct error why = { 0 };
		int64_t took_us = 0;
		int status = call_once(in, call, expected, &took_us, &why);

		if (why.kind != ERR_INTERRUPTED)
			call_times_add(times, took_us, &why);
		if (status == 0)
			continue;
		if (why.kind == ERR_INTERRUPTED ||
		    session_is_over(in->connection->session)) {
			error_copy(err, &why);
			return -1;
		}
		render_error(&in->app->out, &why);
	}
	return 0;
}

static int call_repeated(const struct invocation *in,
			 const struct tool_call *call,
			 const struct expectation *expected, struct error *err)
{
	CLEANUP(call_times_done) struct call_times times = { 0 };
	call_times_begin(&times);
	int status = call_again(in, call, expected, &times, err);
	if (times.made)
		call_times_tell(&times, &in->app->out, false);
	if (status)
		return -1;
	return call_times_outcome(&times, err);
}

/* There is nothing yet that they could be used on. */
static int check_detach(const struct invocation *in, struct error *err)
{
	const struct call_options *o = in->options;
	if (!o->detach)
		return 0;
	if (o->expect || o->expect_jq || o->save || o->repeat)
		return error_set(
			err, ERR_USAGE,
			"option '--detach': --expect, --expect-jq, --save and --repeat want a result");
	return task_may_detach(in->connection, err);
}

/* The defaults stand in the list, which the other does not ask for. */
static int check_words(const struct call_options *o, struct error *err)
{
	if (!o->no_validate || !o->fill_defaults)
		return 0;
	return error_set(
		err, ERR_USAGE,
		"option '--fill-defaults': with --no-validate nothing is known of the schema");
}

static int call_run(const struct invocation *in, struct error *err)
{
	const struct call_options *o = in->options;
	const struct tool_call_how how = { o->no_validate, o->upload,
					   o->fill_defaults };
	CLEANUP(expectation_done) struct expectation expected = { 0 };
	CLEANUP(tool_call_done) struct tool_call call = { 0 };
	int64_t took_us;
	if (o->repeat > 1 && (o->save || o->upload))
		return error_set(
			err, ERR_USAGE,
			"option '--repeat': --save and --upload are for one call");
	if (check_words(o, err) || check_detach(in, err) ||
	    read_expected(in, &expected, err))
		return -1;
	if (tool_call_build(in, &how, &call, err)) {
		silence_ask(in->connection, err);
		return -1;
	}
	if (o->repeat)
		return call_repeated(in, &call, &expected, err);
	return call_once(in, &call, &expected, &took_us, err);
}

static int call_all(const struct invocation *in, struct error *err)
{
	const struct call_options *o = in->options;
	CLEANUP(expectation_done) struct expectation expected = { 0 };
	struct all_call call = { .name = in->argv[0],
				 .word = in->argv + 1,
				 .count = (size_t)in->argc - 1,
				 .no_validate = o->no_validate,
				 .fill_defaults = o->fill_defaults,
				 .explain = hint_at_vision };
	if (o->task || o->detach)
		return error_set(err, ERR_USAGE,
				 "option '--%s' is for one server",
				 o->detach ? "detach" : "task");
	if (o->upload) {
		error_set(err, ERR_USAGE,
			  "option '--upload' is for one device");
		return error_hint(
			err,
			"each address is for one picture of one device: pick it with -d");
	}
	if (o->repeat)
		return error_set(err, ERR_USAGE,
				 "option '--repeat' is for one device");
	if (o->save) {
		error_set(err, ERR_USAGE, "option '--save' is for one device");
		return error_hint(
			err, "with --all, '-o json' has the bytes of each");
	}
	if (check_words(o, err) || read_expected(in, &expected, err))
		return -1;
	call.expected = &expected;
	return all_call_run(in->app, &call, err);
}

static const struct example call_examples[] = {
	{ "sim: call self.audio_speaker.set_volume volume=50", "true", 0 },
	{ "sim: call self.screen.set_theme '{\"theme\":\"dark\"}'", "true", 0 },
	{ "sim: call self.get_device_status --expect '{\"audio_speaker\":{\"volume\":70}}'",
	  "\"volume\":70", 0 },
	{ "sim: call self.get_device_status --jq .audio_speaker.volume", "70",
	  0 },
	{ "sim: call self.get_device_status --expect-jq '.audio_speaker.volume > 90'",
	  NULL, 7 },
	{ "sim: call self.audio_speaker.set_volume volume=101", NULL, 2 },
	{ "'sim:?fault=no-reply' call self.get_device_status --timeout 200ms",
	  NULL, 4 },
	{ "sim: call self.audio_speaker.set_volume --help", "integer 0..100",
	  0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_call = {
	.name = "call",
	.args = "TOOL [ARG]...",
	.brief = "call a tool and print its result",
	.text = "TOOL may be the last part of a name (set_volume) where only one tool ends so; what is for users only, or cannot be taken back (self.reboot), needs the whole name. The word 'call' may be left out before a name with a dot.\n"
		"\n"
		"ARG is one of these; they can be mixed, but for the first three, which are the whole arguments object:\n"
		"\n"
		"'{...}'\tthe object as JSON\n"
		"@FILE\tthe object from a file\n"
		"-\tthe object from stdin\n"
		"KEY=VALUE\ttyped by the tool's schema: volume=50 is a number where the schema says so\n"
		"KEY:=JSON\tany JSON value\n"
		"KEY=@FILE\tthe text of a file\n"
		"\n"
		"The arguments are checked against the tool's schema before anything is sent; what does not fit is status 2 and names the argument, the rule and the value. "
		"--no-validate asks for no list and sends what was given. "
		"--fill-defaults sends what is left out with the default that the schema has for it: Espressif's mcp-c-sdk refuses calls that leave out any argument, whatever its schema says. "
		"Of a tool with an outputSchema the structured content is checked too, after it was shown: what does not fit is status 5.\n"
		"\n"
		"The result goes to stdout. "
		"On a terminal JSON inside a text is laid out and images are shown (below); in a pipe a single text is exactly that text, so that '| jq' works. "
		"An error of the peer, also one by isError, is status 1.\n"
		"\n"
		"--expect compares: objects as subsets, a text that is JSON as JSON. It looks at each text and at structuredContent; an object with \"content\", \"isError\" or \"structuredContent\" is compared with the whole result, and one that asks for \"isError\":true makes such a failure a success. "
		"--expect-jq asks a jq expression of the tool's value; --jq prints what one makes of it (help json).\n"
		"\n"
		"--repeat calls one after the other, shows each result, and ends with how many failed and how long they took: that is the status, too. Calls that overlap: watch --load.\n"
		"\n"
		"--task runs the tool as a task, where the server has tasks: it is asked how that is as often as the server wants (between 0.1 s and 60 s), lines on stderr tell what changed, what the task waits for is answered as --elicit, --sampling and --root say, and the result is printed as ever. Here --timeout is for the whole task, and without it a task may take as long as it likes. A tool that can only be a task is called as one without the option. "
		"--detach prints the task's id and ends; it is refused where the task would end with the command: 'open' keeps such a server. Then: 'help task'.\n"
		"\n"
		"A device of the running serve, of listen: or of sim: can be told to upload a picture there, to an address that is made for this one call:\n"
		"\n"
		"  mcpctl call self.screen.snapshot --upload url\n"
		"\n"
		"Pictures that come are kept in the folder of --save-images (of serve, where one runs); a line on stderr says in which file, and with -o json the member \"pictures\" of the result.\n"
		"\n"
		"On a terminal such a file, and a picture in the result, is drawn: by graphics (kitty, iTerm, sixel) where the environment (TERM and the like) tells of a terminal that has them, else in blocks of two colours, as always inside tmux. --image names another way, or off. JPEG and PNG up to 40 megapixels are, 8 of a result.\n"
		"\n"
		"A call that the firmware answers only by going away (self.reboot, self.upgrade_firmware) is a success when the connection drops; whether another firmware was installed, 'info' tells when the board is back. A board that answers 'true' to self.upgrade_firmware has failed to: status 1.\n"
		"\n"
		"Where no answer comes in time (--timeout) the layers of the connection are asked for at most 1 s more: TCP, a WebSocket Ping, and, of a board, its main loop by a request that it answers with an error. The error then ends with what that means and its code ('explain CODE' tells more); where a layer cannot be asked (MQTT has no Ping to a board) it is no more than what is known.\n"
		"\n"
		"With --all every device of the running serve is called at once (-d picks some): a row for each, and the highest status of them; with -o table devices with equal answers are one row. "
		"The arguments are checked against the tool as each device has it; where they do not fit, nothing is sent to it.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL,
	.min = 1,
	.max = -1,
	.operand = OPERAND_TOOL_CALL,
	.options = call_options,
	.options_size = sizeof(struct call_options),
	.examples = call_examples,
	.run = call_run,
	.all = call_all
};
