/* SPDX-License-Identifier: MIT */
/*
 * prompt: fill in a prompt's arguments and print its messages. The arguments
 * are checked as those of a tool whose arguments are all strings.
 */
#include <string.h>

#include "cli/catalog_file.h"
#include "cli/cmd_items.h"
#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/expect.h"
#include "cli/show.h"
#include "mcp/arguments.h"
#include "mcp/content.h"

struct prompt_options {
	bool no_validate;
	const char *save, *expect_jq;
};

static const struct option_row prompt_options[] = {
	{ .name = "no-validate",
	  .type = OPTION_FLAG,
	  .offset = offsetof(struct prompt_options, no_validate),
	  .brief = "send it as it is: no listing, no check" },
	{ .name = "save",
	  .word = "FILE",
	  .type = OPTION_FILE,
	  .offset = offsetof(struct prompt_options, save),
	  .brief = "write images, audio and resources to FILE, FILE-2, …" },
	EXPECT_JQ_ROW(struct prompt_options, expect_jq),
	{ .name = NULL }
};

/* "prompt NAME city=TEXT [state=TEXT]", and what each argument is. */
static void add_usage(struct buf *out, const struct list_item *prompt)
{
	const cJSON *argument;

	buf_text(out, "prompt ");
	words_quote(out, prompt->key);
	cJSON_ArrayForEach(argument, json_array(prompt->json, "arguments")) {
		const char *name = json_string(argument, "name");
		bool required = json_true(argument, "required");

		if (name)
			buf_printf(out, required ? " %s=TEXT" : " [%s=TEXT]",
				   name);
	}
	cJSON_ArrayForEach(argument, json_array(prompt->json, "arguments")) {
		const char *name = json_string(argument, "name");
		const char *text = json_string(argument, "description");

		if (name && text && *text)
			buf_printf(out, "\n  %s: %s", name, text);
	}
}

static int explain(const struct list_item *prompt, struct error *err)
{
	CLEANUP(buf_done) struct buf usage = { 0 };

	if (prompt)
		add_usage(&usage, prompt);
	else
		buf_text(&usage, "prompt NAME [ARG=TEXT]...");
	return error_detail(err, buf_string(&usage), usage.len);
}

static int build(const struct invocation *in, struct buf *out,
		 const struct list_item *prompt, struct error *err)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = item_schema(LIST_PROMPTS, prompt);
	CLEANUP(buf_done) struct buf ignored = { 0 };
	const struct tool tool = { .name = in->argv[0],
				   .description = "",
				   .schema = schema };
	const struct arguments_options how = { .tool = &tool,
					       .device = prompt != NULL,
					       .stdin_taken =
						       in->app->stdin_taken };

	for (int i = 1; i < in->argc; i++)
		in->app->stdin_taken |= strcmp(in->argv[i], "-") == 0;
	if (arguments_build(out, in->argv + 1, (size_t)in->argc - 1, &how,
			    &ignored, err) == 0)
		return 0;
	return explain(prompt, err);
}

static int get(const struct invocation *in, const struct buf *arguments,
	       const struct expectation *expected, struct error *err)
{
	const struct prompt_options *o = in->options;
	const char *name = in->argv[0];
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(message_done) struct message reply = { 0 };
	CLEANUP(result_done) struct result messages = { 0 };
	struct answer_record record = { .kind = ANSWER_MESSAGES, .of = name };

	buf_text(&params, "{\"name\":");
	buf_json_string(&params, name, strlen(name));
	if (strcmp(buf_string(arguments), "{}") != 0)
		buf_printf(&params, ",\"arguments\":%s", buf_string(arguments));
	buf_char(&params, '}');
	if (client_request(&in->connection->client, "prompts/get",
			   buf_string(&params), &reply, &record.took_us, err)) {
		show_error_reply(&in->app->out, &reply, err);
		return -1;
	}
	if (messages_decode_take(&messages, &reply, err))
		return -1;
	record.reply = &messages.message;
	record.contents = &messages;
	if (answer_show(in->app, &record, o->save, err))
		return -1;
	return expectation_check_reply(expected, record.reply, err);
}

static int prompt_run(const struct invocation *in, struct error *err)
{
	const struct prompt_options *o = in->options;
	struct connection *c = in->connection;
	const struct list_item *prompt = NULL;
	CLEANUP(buf_done) struct buf arguments = { 0 };
	CLEANUP(expectation_done) struct expectation expected = { 0 };

	if (expectation_open(&expected, in->app, NULL, o->expect_jq, err))
		return -1;
	if (client_require(&c->client, "prompts", err))
		return -1;
	if (!o->no_validate &&
	    items_cache_find(c, LIST_PROMPTS, in->argv[0], &prompt, err))
		return -1;
	if (build(in, &arguments, prompt, err))
		return -1;
	return get(in, &arguments, &expected, err);
}

static const struct example prompt_examples[] = {
	{ "sim:llm prompt entity_extraction_prompt text='Maria ligou ontem'",
	  "Maria ligou", 0 },
	{ "sim:llm prompt entity_extraction_prompt", NULL, 2 },
	{ NULL, NULL, 0 }
};

const struct command cmd_prompt = {
	.name = "prompt",
	.args = "NAME [ARG=VALUE]...",
	.brief = "fill in a prompt and print its messages",
	.text = "The arguments are checked against the list of prompts before anything is sent; a missing or unknown one is status 2 and shows them all. Values are strings. "
		"As with 'call', a value may come from a file (ARG=@FILE), and all of them from one JSON object ('{...}', @FILE or -).\n"
		"\n"
		"Each message has its role above it; in a pipe a prompt of one text is exactly that text. "
		"--expect-jq asks a jq expression of the whole result, as --jq does.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_MINOR | CMD_PAGED,
	.min = 1,
	.max = -1,
	.operand = OPERAND_PROMPT_CALL,
	.options = prompt_options,
	.options_size = sizeof(struct prompt_options),
	.examples = prompt_examples,
	.run = prompt_run
};
