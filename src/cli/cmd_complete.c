/* SPDX-License-Identifier: MIT */
/*
 * complete: which values a server proposes for an argument. (What completion
 * scripts ask is complete.c.)
 */
#include <string.h>

#include "cli/commands.h"
#include "cli/connection.h"
#include "cli/show.h"

/* A template has parts, or at least a scheme. */
static bool is_uri(const char *ref)
{
	return strchr(ref, '{') || strstr(ref, "://");
}

static void add_string(struct buf *out, const char *text, size_t len)
{
	buf_json_string(out, text, len);
}

/* "NAME":"VALUE" of NAME=VALUE */
static void add_pair(struct buf *out, const char *word)
{
	size_t len = strcspn(word, "=");

	add_string(out, word, len);
	buf_char(out, ':');
	add_string(out, word + len + 1, strlen(word + len + 1));
}

static void add_ref(struct buf *out, const char *ref)
{
	bool uri = is_uri(ref);

	buf_printf(out, "{\"ref\":{\"type\":\"ref/%s\",\"%s\":",
		   uri ? "resource" : "prompt", uri ? "uri" : "name");
	add_string(out, ref, strlen(ref));
	buf_char(out, '}');
}

/* What the other arguments are, which 2025-06-18 brought. */
static void add_context(struct buf *out, const struct invocation *in)
{
	const char *revision = in->connection->client.revision;

	if (in->argc <= 2)
		return;
	if (revision && strcmp(revision, "2025-06-18") < 0) {
		render_note(
			&in->app->out,
			"the server speaks MCP %s, which does not tell the other arguments: they are left out",
			revision);
		return;
	}
	buf_text(out, ",\"context\":{\"arguments\":{");
	for (int i = 2; i < in->argc; i++) {
		if (i > 2)
			buf_char(out, ',');
		add_pair(out, in->argv[i]);
	}
	buf_text(out, "}}");
}

static void add_params(struct buf *out, const struct invocation *in)
{
	const char *argument = in->argv[1];
	size_t len = strcspn(argument, "=");

	add_ref(out, in->argv[0]);
	buf_text(out, ",\"argument\":{\"name\":");
	add_string(out, argument, len);
	buf_text(out, ",\"value\":");
	add_string(out, argument + len + 1, strlen(argument + len + 1));
	buf_char(out, '}');
	add_context(out, in);
	buf_char(out, '}');
}

static int check_words(const struct invocation *in, struct error *err)
{
	for (int i = 1; i < in->argc; i++) {
		const char *word = in->argv[i], *equals = strchr(word, '=');

		if (equals && equals != word)
			continue;
		error_set(err, ERR_USAGE, "'%s' is not ARG=%s", word,
			  i == 1 ? "PREFIX" : "VALUE");
		if (equals)
			return -1;
		return error_hint(
			err,
			"for any value of it: %s=; (the completion of bash, zsh and fish: mcpctl completion)",
			word);
	}
	return 0;
}

static int show(struct app *app, struct answer_record *record,
		struct error *err)
{
	const struct message *reply = record->reply;
	const cJSON *values =
		json_array(json_object(reply->result, "completion"), "values");

	if (!values) {
		error_set(
			err, ERR_PROTOCOL,
			"the result of completion/complete has no 'completion.values' array");
		return error_detail(err, reply->text, reply->len);
	}
	if (answer_show(app, record, NULL, err))
		return -1;
	if (values->child)
		return 0;
	return error_set(err, ERR_UNMET, "the server proposes no value of '%s'",
			 record->of);
}

static int complete_run(const struct invocation *in, struct error *err)
{
	struct app *app = in->app;
	CLEANUP(buf_done) struct buf params = { 0 }, name = { 0 };
	CLEANUP(message_done) struct message reply = { 0 };
	struct answer_record record = { .kind = ANSWER_VALUES,
					.reply = &reply };

	if (check_words(in, err) || connection_open(in->connection, err) ||
	    client_require(&in->connection->client, "completions", err))
		return -1;
	add_params(&params, in);
	buf_add(&name, in->argv[1], strcspn(in->argv[1], "="));
	record.of = buf_string(&name);
	if (client_request(&in->connection->client, "completion/complete",
			   buf_string(&params), &reply, &record.took_us, err)) {
		show_error_reply(&app->out, &reply, err);
		return -1;
	}
	return show(app, &record, err);
}

static const struct example complete_examples[] = {
	{ "sim:llm complete entity_extraction_prompt entity_types=t",
	  "telefone", 0 },
	{ NULL, NULL, 0 }
};

const struct command cmd_complete = {
	.name = "complete",
	.args = "NAME|URI ARG=PREFIX [ARG=VALUE]...",
	.brief = "the values that a server proposes for an argument",
	.text = "Asks completion/complete for values of ARG that begin with PREFIX ('ARG=' asks for any) and prints them, one a line. "
		"NAME is that of a prompt, URI that of a template, told by its '{' or '://'. The other ARG=VALUE are what is known already, for servers of 2025-06-18 and later. "
		"No value is status 7.",
	.group = GROUP_USE,
	.flags = CMD_SESSION | CMD_SHELL | CMD_OPENS | CMD_MINOR,
	.min = 2,
	.max = -1,
	.operand = OPERAND_COMPLETABLE,
	.examples = complete_examples,
	.run = complete_run
};
