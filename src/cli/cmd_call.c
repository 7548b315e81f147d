/* SPDX-License-Identifier: MIT */
/*
 * call: arguments are checked before anything is sent; then the result is
 * shown, saved, compared.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/catalog_file.h"
#include "cli/cmd_serve.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/expect_option.h"
#include "cli/operand.h"
#include "cli/save.h"
#include "cli/show.h"
#include "cli/silence.h"
#include "mcp/arguments.h"
#include "mcp/content.h"

struct call_options {
	bool no_validate;
	const char *expect, *save, *upload;
};

static const struct option_row call_options[] = {
	{ .name = "no-validate",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct call_options, no_validate),
	  .brief = "send as it is: no listing, no check against the schema" },
	{ .name = "expect",
	  .word = "JSON",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct call_options, expect),
	  .brief = "what the result must contain (or @FILE); else status 7" },
	{ .name = "save",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct call_options, save),
	  .brief = "write images and audio to FILE, FILE-2, …; - is stdout" },
	{ .name = "upload",
	  .word = "ARG",
	  .type = OPTION_TEXT,
	  .offset = offsetof(struct call_options, upload),
	  .brief =
		  "give the argument ARG an address of serve, listen: or sim: that takes one picture" },
	{ .name = NULL }
};

static void show_warnings(struct renderer *r, const struct buf *warnings)
{
	const char *line = buf_string(warnings);
	while (*line) {
		size_t len = strcspn(line, "\n");
		render_note(r, "warning: %.*s", (int)len, line);
		line += len + (line[len] == '\n');
	}
}

/* ARG=ADDRESS, which stands in no command line. */
static int add_upload(const struct connection *c, const char *name,
		      struct words *words, struct error *err)
{
	CLEANUP(mem_free_ptr) char *url = NULL;
	CLEANUP(mem_free_ptr) char *word = NULL;
	if (upload_address(c, &url, err))
		return -1;
	word = mem_printf("%s=%s", name, url);
	words_add(words, word);
	return 0;
}

/* *tool stays NULL with --no-validate. */
static int build_arguments(const struct invocation *in, struct buf *out,
			   const struct tool **tool, struct error *err)
{
	const struct call_options *o = in->options;
	struct app *app = in->app;
	CLEANUP(buf_done) struct buf warnings = { 0 };
	struct arguments_options how = { .no_validate = o->no_validate,
					 .device =
						 in->connection->client.device,
					 .stdin_taken = app->stdin_taken };
	if (!o->no_validate && tools_cache_find(in->connection, in->argv[0],
						false, &how.tool, err))
		return -1;
	for (int i = 1; i < in->argc; i++)
		app->stdin_taken |= strcmp(in->argv[i], "-") == 0;
	CLEANUP(words_done) struct words words = { 0 };
	for (int i = 1; i < in->argc; i++)
		words_add(&words, in->argv[i]);
	if (o->upload && add_upload(in->connection, o->upload, &words, err))
		return -1;
	int status = arguments_build(out, words.word, words.count, &how,
				     &warnings, err);
	show_warnings(&app->out, &warnings);
	*tool = how.tool;
	return status;
}

static int read_expected(const struct invocation *in, cJSON **out,
			 struct error *err)
{
	const struct call_options *o = in->options;
	CLEANUP(buf_done) struct buf text = { 0 };
	if (!o->expect)
		return 0;
	if (operand_json(in->app, o->expect, "--expect", &text, err))
		return -1;
	*out = json_parse(buf_string(&text), text.len, err);
	return *out ? 0 : -1;
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
static int show_and_save(const struct invocation *in,
			 const struct result *result, const struct error *why,
			 struct error *err)
{
	const struct call_options *o = in->options;
	struct renderer *r = &in->app->out;
	bool to_stdout = o->save && strcmp(o->save, "-") == 0;
	struct render_place place = { 0 };
	if (to_stdout)
		place = render_divert(r);
	show(r, result, why);
	if (to_stdout)
		render_restore(r, &place);
	if (!o->save || !result->message.result)
		return 0;
	return save_result(in->app, result, o->save, false, err);
}

static int check(const struct result *result, const cJSON *expected,
		 struct error *err)
{
	CLEANUP(buf_done) struct buf difference = { 0 };
	if (!expected || expect_met(result, expected, &difference))
		return 0;
	error_set(err, ERR_UNMET, "the result is not as expected");
	return error_detail(err, buf_string(&difference), difference.len);
}

static int finish(const struct invocation *in, const struct result *result,
		  const cJSON *expected, int status, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int saved = show_and_save(in, result, err, &why);
	if (status != 0) {
		if (!result->is_error)
			return -1;
		/* A failure that was asked for is none. */
		if (!expect_wants_error(expected))
			return tell_tool_error(&in->app->out, in->argv[0],
					       result, err);
		error_reset(err);
	}
	if (check(result, expected, err))
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

static int call_run(const struct invocation *in, struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *expected = NULL;
	CLEANUP(buf_done) struct buf arguments = { 0 };
	CLEANUP(result_done) struct result result = { 0 };
	const struct tool *tool = NULL;
	if (read_expected(in, &expected, err))
		return -1;
	if (build_arguments(in, &arguments, &tool, err)) {
		silence_ask(in->connection, err);
		return -1;
	}
	words_done(&in->connection->pictures);
	int status = client_call_tool(&in->connection->client,
				      tool ? tool->name : in->argv[0],
				      buf_string(&arguments), &result, err);
	result.pictures = &in->connection->pictures;
	hint_at_vision(err);
	if (status)
		silence_ask(in->connection, err);
	status = finish(in, &result, expected, status, err);
	tell_took(&in->app->out, result.took_us);
	/* Shown all the same: whoever looks into it needs to see it. */
	if (status == 0 && tool)
		status = client_check_output(tool, &result, err);
	return status;
}

static int call_all(const struct invocation *in, struct error *err)
{
	const struct call_options *o = in->options;
	CLEANUP(json_free_ptr) cJSON *expected = NULL;
	struct all_call call = { .name = in->argv[0],
				 .word = in->argv + 1,
				 .count = (size_t)in->argc - 1,
				 .no_validate = o->no_validate,
				 .explain = hint_at_vision };
	if (o->upload) {
		error_set(err, ERR_USAGE,
			  "option '--upload' is for one device");
		return error_hint(
			err,
			"each address is for one picture of one device: pick it with -d");
	}
	if (o->save) {
		error_set(err, ERR_USAGE, "option '--save' is for one device");
		return error_hint(
			err, "with --all, '-o json' has the bytes of each");
	}
	if (read_expected(in, &expected, err))
		return -1;
	call.expected = expected;
	return all_call_run(in->app, &call, err);
}

static const struct example call_examples[] = {
	{ "sim: call self.audio_speaker.set_volume volume=50", "true", 0 },
	{ "sim: call self.screen.set_theme '{\"theme\":\"dark\"}'", "true", 0 },
	{ "sim: call self.get_device_status --expect '{\"audio_speaker\":{\"volume\":70}}'",
	  "\"volume\":70", 0 },
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
		"Of a tool with an outputSchema the structured content is checked too, after it was shown: what does not fit is status 5.\n"
		"\n"
		"The result goes to stdout. "
		"On a terminal JSON inside a text is laid out and images are described; in a pipe a single text is exactly that text, so that '| jq' works. "
		"An error of the peer, also one by isError, is status 1.\n"
		"\n"
		"--expect compares: objects as subsets, a text that is JSON as JSON. It looks at each text and at structuredContent; an object with \"content\", \"isError\" or \"structuredContent\" is compared with the whole result, and one that asks for \"isError\":true makes such a failure a success.\n"
		"\n"
		"A device of the running serve, of listen: or of sim: can be told to upload a picture there, to an address that is made for this one call:\n"
		"\n"
		"  mcpctl call self.screen.snapshot --upload url\n"
		"\n"
		"Pictures that come are kept in the folder of --save-images (of serve, where one runs); a line on stderr says in which file, and with -o json the member \"pictures\" of the result.\n"
		"\n"
		"A call that the firmware answers only by going away (self.reboot, self.upgrade_firmware) is a success when the connection drops; whether another firmware was installed, 'info' tells when the board is back. A board that answers 'true' to self.upgrade_firmware has failed to: status 1.\n"
		"\n"
		"Where no answer comes in time (--timeout) the layers of the connection are asked for at most 1 s more: TCP, a WebSocket Ping, and, of a board, its main loop by a request that it answers with an error. The error then ends with what that means and its code ('explain CODE' tells more); where a layer cannot be asked (MQTT has no Ping to a board) it is no more than what is known.\n"
		"\n"
		"With --all every device of the running serve is called at once (-d picks some): a row for each, and the highest status of them. "
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
