/* SPDX-License-Identifier: MIT */
/*
 * One call to many devices: devices with the same list of tools get the same
 * bytes, all lists are under way at once.
 */
#include "cli/all_call.h"

#include <string.h>

#include "base/mem.h"
#include "cli/all.h"
#include "cli/expect_option.h"
#include "cli/operand.h"
#include "mcp/arguments.h"

#define AT_ONCE 32 /* lists, each with a connection to serve */

struct calling {
	struct app *app;
	const struct all_call *call;
	struct all all;
	struct serve_client *serve; /* for questions about tools */
	struct words words; /* the arguments; stdin is read into them */
	struct buf warned; /* warnings so far */
	struct all_fan fan[AT_ONCE];
	size_t fans;
};

/* ---- what came back ---- */

static void expect(struct all_row *row, const struct result *result,
		   const cJSON *expected)
{
	CLEANUP(buf_done) struct buf difference = { 0 };

	if (result->is_error && expect_wants_error(expected))
		error_reset(&row->error);
	if (row->error.kind != ERR_NONE || !expected ||
	    expect_met(result, expected, &difference))
		return;
	error_set(&row->error, ERR_UNMET, "not as expected: %s",
		  buf_string(&difference));
}

static bool judge(void *owner, struct all_row *row)
{
	const struct calling *c = owner;
	const struct all_call *call = c->call;
	CLEANUP(result_done) struct result result = { 0 };

	/* device.md 3.9: firmware restarts instead of an answer. */
	if (row->error.kind == ERR_CONNECT && row->took_us > 0 &&
	    strcmp(call->name, "self.reboot") == 0) {
		error_reset(&row->error);
		buf_text(&row->summary, "the device restarts");
	}
	if (row->reply.kind == MESSAGE_RESULT) {
		result_decode_take(&result, &row->reply);
		if (result.is_error)
			client_tool_error(&result, &row->error);
		expect(row, &result, call->expected);
		message_take(&row->reply, &result.message);
	}
	if (row->error.kind != ERR_NONE)
		call->explain(&row->error);
	return true;
}

/* ---- what is sent ---- */

static int send_call(struct calling *c, const char *list, const char *arguments,
		     struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct all_request rq = { .list = list, .method = "tools/call" };
	struct all_fan *f = &c->fan[c->fans++];

	buf_text(&params, "{\"name\":");
	buf_json_string(&params, c->call->name, strlen(c->call->name));
	buf_printf(&params, ",\"arguments\":%s}", arguments);
	rq.params = buf_string(&params);
	*f = (struct all_fan){ .judge = judge, .owner = c };
	return all_start(&c->all, f, &rq, err);
}

static void warn(struct calling *c, const struct buf *warnings)
{
	const char *line = buf_string(warnings);

	while (*line) {
		size_t len = strcspn(line, "\n");
		CLEANUP(mem_free_ptr) char *one = mem_strndup(line, len);

		/* Lists of other firmware may give the same ones. */
		if (!strstr(buf_string(&c->warned), one))
			render_note(&c->app->out, "warning: %s", one);
		buf_printf(&c->warned, "%s\n", one);
		line += len + (line[len] == '\n');
	}
}

static int build(struct calling *c, const struct tool *tool, struct buf *out,
		 struct error *err)
{
	CLEANUP(buf_done) struct buf warnings = { 0 };
	const struct arguments_options how = {
		.tool = tool,
		.no_validate = c->call->no_validate,
		.device = true,
		.stdin_taken = true,
	};
	int status = arguments_build(out, c->words.word, c->words.count, &how,
				     &warnings, err);

	warn(c, &warnings);
	return status;
}

static int no_such_tool(const struct calling *c,
			const struct serve_answer *answer, struct error *err)
{
	const char *nearest = json_string(answer->json, "nearest");

	error_set(err, ERR_USAGE, "no tool '%s'%s%s%s", c->call->name,
		  nearest ? ": did you mean '" : "", nearest ? nearest : "",
		  nearest ? "'?" : "");
	return -1;
}

/* One tool as a list of its own, for which texts and trees are kept. */
static int decode_tool(const struct serve_answer *answer, struct tool_list *out,
		       struct error *err)
{
	CLEANUP(buf_done) struct buf page = { 0 };
	struct span tool = serve_answer_member(answer, "tool");
	struct message m;

	buf_printf(&page, "{\"result\":{\"tools\":[%.*s]}}", (int)tool.len,
		   tool.text);
	if (message_decode_take(&m, NULL, page.data, page.len, err) != 0 ||
	    tool_list_add_take(out, &m, NULL, err) != 0)
		return -1;
	if (out->count == 1)
		return 0;
	return error_set(err, ERR_PROTOCOL, "serve's tool is none");
}

/* The arguments for one list of tools. */
static int prepare(struct calling *c, const char *list, struct buf *out,
		   struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list tools = { 0 };
	CLEANUP(serve_answer_done) struct serve_answer answer = { 0 };
	CLEANUP(buf_done) struct buf json = { 0 };

	buf_text(&json, "{\"op\":\"tool\"");
	json_add_text(&json, "name", c->call->name);
	json_add_text(&json, "list", list);
	buf_char(&json, '}');
	if (serve_client_ask(c->serve, &json, &answer, err) != 0)
		return -1;
	if (!serve_answer_member(&answer, "tool").text)
		return no_such_tool(c, &answer, err);
	if (decode_tool(&answer, &tools, err) != 0)
		return -1;
	return build(c, &tools.tool[0], out, err);
}

/* ---- the lists ---- */

static bool same_list(const struct all_device *d, const char *list)
{
	if (!d->list || !list)
		return d->list == list;
	return strcmp(d->list, list) == 0;
}

/* The rows of devices to which nothing was sent. */
static void refuse(struct calling *c, const char *list, const struct error *why)
{
	for (size_t i = 0; i < c->all.count; i++) {
		struct all_device *d = &c->all.device[i];
		struct all_row row = { .device = d, .took_us = -1 };
		const char *state = json_string(d->json, "state");
		const char *reason = json_string(d->json, "reason");

		if (d->shown || !same_list(d, list))
			continue;
		if (why)
			error_copy(&row.error, why);
		else
			error_set(&row.error, ERR_CONNECT,
				  "its tools are not listed: it is %s%s%s",
				  state ? state : "not ready",
				  reason ? ": " : "", reason ? reason : "");
		all_show(&c->all, &row);
	}
}

static bool is_first(const struct all *a, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (same_list(&a->device[i], a->device[index].list))
			return false;
	}
	return true;
}

static int finish_all(struct calling *c, struct error *err)
{
	int status = 0;

	for (size_t i = 0; i < c->fans; i++) {
		if (status == 0)
			status = all_finish(&c->all, &c->fan[i], err);
		else
			serve_client_free(TAKE(c->fan[i].serve));
	}
	c->fans = 0;
	return status;
}

static int call_list(struct calling *c, const char *list, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf arguments = { 0 };

	if (prepare(c, list, &arguments, &why) == 0)
		return send_call(c, list, buf_string(&arguments), err);
	/* An answer that comes late would be taken for the next one's. */
	if (why.kind == ERR_INTERRUPTED || why.kind == ERR_TIMEOUT) {
		error_copy(err, &why);
		return -1;
	}
	refuse(c, list, &why);
	return 0;
}

/*
 * Rows of a later batch come behind, so what is refused may come first. But
 * what has no list yet may get one, and be called, until the others are done.
 */
static int call_lists(struct calling *c, struct error *err)
{
	size_t listed = c->all.count;
	int status = 0;

	if (serve_client_open(&c->serve, c->app, err) != 0)
		return -1;
	for (size_t i = 0; i < listed && status == 0; i++) {
		if (c->all.device[i].list && is_first(&c->all, i))
			status = call_list(c, c->all.device[i].list, err);
		if (status == 0 && c->fans == AT_ONCE)
			status = finish_all(c, err);
	}
	if (status == 0)
		status = finish_all(c, err);
	if (status == 0)
		refuse(c, NULL, NULL);
	return status;
}

static int call_blindly(struct calling *c, struct error *err)
{
	CLEANUP(buf_done) struct buf arguments = { 0 };

	if (build(c, NULL, &arguments, err) != 0)
		return -1;
	return send_call(c, NULL, buf_string(&arguments), err);
}

/* stdin can be read once only, whatever the number of lists. */
static int take_words(struct calling *c, struct error *err)
{
	const struct all_call *call = c->call;

	for (size_t i = 0; i < call->count; i++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		const char *word = call->word[i];

		if (strcmp(word, "-") == 0 && call->count == 1) {
			if (operand_json(c->app, word, "standard input", &text,
					 err) != 0)
				return -1;
			word = buf_string(&text);
		}
		words_add(&c->words, word);
	}
	return 0;
}

static int run(struct calling *c, struct error *err)
{
	int status;

	if (take_words(c, err) != 0 || all_open(&c->all, c->app, err) != 0)
		return -1;
	status = c->call->no_validate ? call_blindly(c, err) :
					call_lists(c, err);
	if (status == 0)
		return finish_all(c, err) != 0 ? -1 : all_outcome(&c->all, err);
	for (size_t i = 0; i < c->fans; i++)
		serve_client_free(c->fan[i].serve);
	return -1;
}

int all_call_run(struct app *app, const struct all_call *call,
		 struct error *err)
{
	struct calling c = { .app = app, .call = call };
	int status = run(&c, err);

	serve_client_free(c.serve);
	words_done(&c.words);
	buf_done(&c.warned);
	all_done(&c.all);
	return status;
}
