/* SPDX-License-Identifier: MIT */
/* One command to many devices: a request, a call by each one's list, the lists. */
#include "cli/all_ask.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/all.h"
#include "cli/brokered_ask.h"
#include "cli/connection.h"
#include "cli/expect.h"
#include "cli/operand.h"
#include "mcp/arguments.h"
#include "mcp/client_start.h"
#include "mcp/content.h"
#include "mcp/listing.h"
#include "mcp/modern.h"
#include "mcp/name_set.h"
#include "mcp/result_value.h"
#include "mcp/rules.h"
#include "mcp/tools.h"
#include "out/text_device.h"
#include "out/wrap.h"
#include "rpc/session_calls.h"
#include "wire/control_frames.h"

#define SILENT_SHOWN 4

/* ---- a request ---- */

static int all_start(struct all *a, struct all_fan *f,
		     const struct all_request *rq, struct error *err)
{
	const struct serve_question q = {
		.op = "fan",
		.timeout = all_timeout(a->app),
		.device = rq->device ? rq->device : a->app->config.device,
		.list = rq->list,
		.method = rq->method,
		.notify = rq->notify,
		.message = rq->message,
		.params = rq->params
	};

	if (serve_client_open(&f->serve, a->app, false, err))
		return -1;
	return control_line_send(f->serve, &q, err);
}

/* The device as it was listed, or as the row tells it: it may be new. */
static struct all_device *device_of(struct all *a,
				    struct control_answer *answer)
{
	const char *id = json_string(json_object(answer->json, "device"), "id");
	struct all_device *d = id ? all_find(a, a->rows, id) : NULL;
	size_t before = a->count;

	if (d)
		return d;
	all_add(a, answer);
	return a->count > before ? &a->device[before] : NULL;
}

static void read_row(struct all_row *row, const struct control_answer *answer)
{
	struct span reply = control_answer_member(answer, "reply");
	const cJSON *error = json_object(answer->json, "error");

	if (json_integer(answer->json, "took_us", &row->took_us) != 0)
		row->took_us = -1;
	if (error)
		control_error_decode(&row->error, error);
	else if (reply.text)
		message_decode(&row->reply, reply.text, reply.len, &row->error);
	if (row->reply.kind == MESSAGE_ERROR)
		session_peer_error(&mcp_rules, &row->error, &row->reply);
}

static void take_row(struct all *a, const struct all_fan *f,
		     struct control_answer *answer)
{
	struct all_row row = { .took_us = -1 };

	read_row(&row, answer);
	row.device = device_of(a, answer);
	if (row.device && (!f->judge || f->judge(f->owner, &row)))
		all_show(a, &row);
	else
		all_row_done(&row);
}

/* Ctrl-C: whom it waited for is what was to be known. */
static void tell_silent(const struct all *a, struct error *err)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	size_t silent = 0;

	if (err->kind != ERR_INTERRUPTED)
		return;
	for (size_t i = 0; i < a->count; i++) {
		if (a->device[i].shown)
			continue;
		if (silent++ < SILENT_SHOWN) {
			buf_text(&names, silent > 1 ? ", " : "");
			wrap_name(&names,
				  render_device_name(a->device[i].json));
		}
	}
	if (silent > SILENT_SHOWN)
		buf_printf(&names, " and %zu more", silent - SILENT_SHOWN);
	if (silent > 0)
		error_hint(err, "no answer so far from %s", names.data);
}

/* Wait for all its rows and show them; releases f. */
static int all_finish(struct all *a, struct all_fan *f, struct error *err)
{
	bool end = false;
	int status = 0;

	while (!end && status == 0) {
		int64_t deadline =
			loop_now() + all_timeout(a->app) + ALL_MARGIN_MS;
		struct control_answer answer;

		status = control_line_next(f->serve, deadline, &answer, err);
		if (status != 0)
			break;
		end = strcmp(answer.op, "end") == 0;
		if (strcmp(answer.op, "row") == 0)
			take_row(a, f, &answer);
		control_answer_done(&answer);
	}
	if (status != 0)
		tell_silent(a, err);
	control_line_close(TAKE(f->serve));
	return status;
}

/* They were listed, and no row came: a success of the others hides none. */
static void tell_missed(struct all *a, const char *value)
{
	for (size_t i = 0; i < a->count; i++) {
		struct all_row row = { .device = &a->device[i], .took_us = -1 };

		if (row.device->shown)
			continue;
		error_set(
			&row.error, ERR_CONNECT,
			"it went meanwhile, or its tools were listed anew: nothing was sent");
		buf_text(&row.value, value);
		all_show(a, &row);
	}
}

bool all_sent(void *owner, struct all_row *row)
{
	(void)owner;
	buf_text(&row->summary, "sent");
	return true;
}

/* ---- of servers at a broker ---- */

struct brokered_fan {
	const struct all_request *rq;
	const struct all_fan *fan;
};

static int that_request(void *owner, struct connection *c,
			const struct tool_list *tools,
			struct brokered_question *q, struct error *err)
{
	const struct all_request *rq = ((struct brokered_fan *)owner)->rq;

	(void)tools;
	if (rq->message)
		return error_set(err, ERR_USAGE,
				 "only boards of a serve take such a message");
	/* Its SDK never answers a ping (mcp-mqtt.md 7). */
	q->method = c->client.kwargs && text_same(rq->method, "ping") ?
			    "tools/list" :
			    rq->method;
	q->notify = rq->notify;
	buf_text(&q->params, rq->params ? rq->params : "");
	return 0;
}

static bool that_judge(void *owner, struct all_row *row)
{
	const struct all_fan *fan = ((struct brokered_fan *)owner)->fan;

	return !fan->judge || fan->judge(fan->owner, row);
}

static int run_brokered(struct all *a, const struct all_request *rq,
			const struct all_fan *fan, struct error *err)
{
	struct brokered_fan that = { rq, fan };
	const struct brokered_ask ask = { .question = that_request,
					  .judge = that_judge,
					  .owner = &that };

	if (brokered_run(a, &ask, err))
		return -1;
	return all_outcome(a, err);
}

static int run_one(struct all *a, const struct all_request *rq,
		   struct all_fan *f, struct error *err)
{
	if (a->brokered)
		return run_brokered(a, rq, f, err);
	if (all_start(a, f, rq, err)) {
		control_line_close(f->serve);
		return -1;
	}
	if (all_finish(a, f, err))
		return -1;
	tell_missed(a, "");
	return all_outcome(a, err);
}

int all_run(struct app *app, const struct all_request *rq,
	    bool (*judge)(void *owner, struct all_row *row), void *owner,
	    struct error *err)
{
	struct all_fan f = { .judge = judge, .owner = owner };
	struct all a;
	int status = all_open(&a, app, err);

	if (status == 0)
		status = run_one(&a, rq, &f, err);
	all_done(&a);
	return status;
}

/*
 * One call to many devices: devices with the same list of tools get the same
 * bytes, all lists are under way at once.
 */

#define AT_ONCE 32 /* lists, each with a connection to serve */

struct calling {
	struct app *app;
	const struct all_call *call;
	struct all all;
	struct control_line *serve; /* for questions about tools */
	struct words words; /* the arguments; stdin is read into them */
	struct name_set warned; /* warnings so far */
	struct all_fan fan[AT_ONCE];
	size_t fans;
};

/* ---- what came back ---- */

/* A row has one line for it. */
static void expect(struct all_row *row, const struct result *result,
		   const struct expectation *expected)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (result->is_error && expect_wants_error(expected->json))
		error_reset(&row->error);
	if (row->error.kind != ERR_NONE ||
	    expectation_check(expected, result, &why) == 0)
		return;
	expectation_fail(&row->error, &why);
}

/* A kept server of 2026-07-28 may: that is no result. */
static bool asks_first(const struct result *r, struct error *err)
{
	bool asks = false;

	if (modern_judge("tools/call", r->message.result, false, &asks, err))
		return true;
	if (asks)
		error_set(
			err, ERR_UNMET,
			"it asks its user first, which nobody answers for many at once");
	return asks;
}

static bool judge_call(void *owner, struct all_row *row)
{
	const struct calling *c = owner;
	const struct all_call *call = c->call;
	const struct silent_tool *silent = silent_tool(call->name);
	CLEANUP(result_done) struct result result = { 0 };

	if (row->error.kind == ERR_CONNECT && row->took_us > 0 && silent &&
	    silent->ended) {
		error_reset(&row->error);
		buf_text(&row->summary, silent->summary);
	}
	if (row->reply.kind == MESSAGE_RESULT) {
		result_decode_take(&result, &row->reply);
		result.from_device = !c->all.brokered;
		if (!asks_first(&result, &row->error)) {
			client_judge_result(call->name, &result, &row->error);
			expect(row, &result, call->expected);
		}
		if (render_wants_value(&c->app->out))
			result_value(&row->value, &result);
		message_take(&row->reply, &result.message);
	}
	/* Of what failed there is none. */
	if (render_wants_value(&c->app->out) && row->value.len == 0)
		buf_text(&row->value, "null");
	if (row->error.kind != ERR_NONE)
		call->explain(&row->error);
	return true;
}

/* ---- what is sent ---- */

static int send_call(struct calling *c, const char *list, const char *name,
		     const char *arguments, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct all_request rq = { .list = list, .method = "tools/call" };
	struct all_fan *f = &c->fan[c->fans++];

	tool_call_params(&params, name, arguments);
	rq.params = buf_string(&params);
	*f = (struct all_fan){ .judge = judge_call, .owner = c };
	return all_start(&c->all, f, &rq, err);
}

static void warn(struct calling *c, const struct buf *warnings)
{
	const char *line = buf_string(warnings);

	while (*line) {
		size_t len = strcspn(line, "\n");
		CLEANUP(mem_free_ptr) char *one = mem_strndup(line, len);

		/* Lists of other firmware may give the same ones. */
		if (name_set_add(&c->warned, one, 0) == NAME_NONE)
			render_note(&c->app->out, "warning: %s", one);
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
		.fill_defaults = c->call->fill_defaults,
		.device = !c->all.brokered,
		.stdin_taken = true,
	};
	int status = arguments_build(out, c->words.word, c->words.count, &how,
				     &warnings, err);

	warn(c, &warnings);
	return status;
}

static int no_such_tool(const struct calling *c,
			const struct control_answer *answer, struct error *err)
{
	const char *nearest = json_string(answer->json, "nearest");

	error_set(err, ERR_USAGE, "no tool '%s'%s%s%s", c->call->name,
		  nearest ? ": did you mean '" : "", nearest ? nearest : "",
		  nearest ? "'?" : "");
	return -1;
}

/* One tool as a list of its own, for which texts and trees are kept. */
static int decode_tool(const struct control_answer *answer,
		       struct tool_list *out, struct error *err)
{
	struct span tool = control_answer_member(answer, "tool");

	if (tool_list_add_text(out, tool.text, tool.len, err))
		return -1;
	if (out->count == 1)
		return 0;
	return error_set(err, ERR_PROTOCOL, "serve's tool is none");
}

/* The tool's whole name (yours) and the arguments for one list of tools. */
static int prepare(struct calling *c, const char *list, char **name,
		   struct buf *out, struct error *err)
{
	CLEANUP(tool_list_done) struct tool_list tools = { 0 };
	CLEANUP(control_answer_done) struct control_answer answer = { 0 };
	const struct serve_question q = { .op = "tool",
					  .name = c->call->name,
					  .list = list };

	if (control_line_ask(c->serve, &q, serve_deadline(c->app),
			     control_answer_take, &answer, err))
		return -1;
	if (!control_answer_member(&answer, "tool").text)
		return no_such_tool(c, &answer, err);
	if (decode_tool(&answer, &tools, err))
		return -1;
	*name = mem_strdup(tools.tool[0].name);
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
		buf_text(&row.value,
			 render_wants_value(&c->app->out) ? "null" : "");
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
			control_line_close(TAKE(c->fan[i].serve));
	}
	c->fans = 0;
	return status;
}

static int call_list(struct calling *c, const char *list, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf arguments = { 0 };
	CLEANUP(mem_free_ptr) char *name = NULL;

	if (prepare(c, list, &name, &arguments, &why) == 0)
		return send_call(c, list, name, buf_string(&arguments), err);
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

	if (serve_client_open(&c->serve, c->app, false, err))
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

	if (build(c, NULL, &arguments, err))
		return -1;
	return send_call(c, NULL, c->call->name, buf_string(&arguments), err);
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
					 err))
				return -1;
			word = buf_string(&text);
		}
		words_add(&c->words, word);
	}
	return 0;
}

/* Of a server at a broker: its own list, and a call by what that says. */
static int call_question(void *owner, struct connection *connection,
			 const struct tool_list *tools,
			 struct brokered_question *q, struct error *err)
{
	struct calling *c = owner;
	CLEANUP(buf_done) struct buf arguments = { 0 };
	CLEANUP(buf_done) struct buf room = { 0 };
	const struct tool *tool = NULL;
	const char *name = c->call->name, *sent;

	if (tools && tool_list_meant(tools, name, &tool, err))
		return -1;
	if (tools && !tool) {
		const char *nearest = tool_list_nearest(tools, name);

		return error_set(err, ERR_USAGE, "no tool '%s'%s%s%s", name,
				 nearest ? ": did you mean '" : "",
				 nearest ? nearest : "", nearest ? "'?" : "");
	}
	name = tool ? tool->name : name;
	if (build(c, tool, &arguments, err))
		return -1;
	sent = client_tool_arguments(&connection->client, name,
				     buf_string(&arguments), &room, err);
	if (!sent)
		return -1;
	q->method = "tools/call";
	tool_call_params(&q->params, name, sent);
	return 0;
}

static int call_brokered(struct calling *c, struct error *err)
{
	const struct brokered_ask ask = { .lists = !c->call->no_validate,
					  .question = call_question,
					  .judge = judge_call,
					  .owner = c };

	if (brokered_run(&c->all, &ask, err))
		return -1;
	return all_outcome(&c->all, err);
}

static int run(struct calling *c, struct error *err)
{
	const char *none = render_wants_value(&c->app->out) ? "null" : "";
	int status;

	if (take_words(c, err) || all_open(&c->all, c->app, err))
		return -1;
	if (c->all.brokered)
		return call_brokered(c, err);
	status = c->call->no_validate ? call_blindly(c, err) :
					call_lists(c, err);
	if (status == 0)
		status = finish_all(c, err);
	if (status == 0) {
		tell_missed(&c->all, none);
		return all_outcome(&c->all, err);
	}
	for (size_t i = 0; i < c->fans; i++)
		control_line_close(c->fan[i].serve);
	return -1;
}

int all_call_run(struct app *app, const struct all_call *call,
		 struct error *err)
{
	struct calling c = { .app = app, .call = call };
	int status = run(&c, err);

	control_line_close(c.serve);
	words_done(&c.words);
	name_set_done(&c.warned);
	all_done(&c.all);
	return status;
}

/*
 * The tools of many devices: all that are to be asked the same next page are
 * asked at once, until each has told its last one.
 */

struct listed {
	char *id; /* owned */
	struct listing listing;
	struct tool_list tools;
	int64_t took_us;
	bool over; /* its row was shown */
};

struct tools_of_all {
	struct all all;
	const char *filter;
	struct listed *device;
	size_t count, shown;
	const char *list; /* of the page that is asked now */
	struct buf params;
};

static struct listed *find(struct tools_of_all *t, const char *id)
{
	for (size_t i = 0; i < t->count; i++) {
		if (strcmp(t->device[i].id, id) == 0)
			return &t->device[i];
	}
	return NULL;
}

/* ---- the row of a device ---- */

/* As if all had come in one page. */
static void join_pages(const struct tool_list *tools, struct message *out)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_text(&text,
		 "{\"jsonrpc\":\"2.0\",\"id\":null,\"result\":{\"tools\":[");
	for (size_t i = 0; i < tools->count; i++) {
		struct span tool = tool_text(&tools->tool[i]);

		if (i > 0)
			buf_char(&text, ',');
		buf_add(&text, tool.text, tool.len);
	}
	buf_text(&text, "]}}");
	message_done(out);
	message_decode(out, text.data, text.len, NULL);
}

static void summarize(struct tools_of_all *t, const struct tool_list *tools,
		      struct buf *out)
{
	for (size_t i = 0; t->filter && i < tools->count; i++) {
		if (!tool_matches(&tools->tool[i], t->filter))
			continue;
		buf_printf(out, "%s%s", out->len ? ", " : "",
			   tools->tool[i].name);
		t->shown++;
	}
	if (t->filter && out->len > 0)
		return;
	if (t->filter)
		buf_text(out, "none of ");
	wrap_count(out, tools->count - tools->user_only, "tool");
	if (tools->user_only > 0)
		buf_printf(out, " + %zu user-only", tools->user_only);
}

/* One page; true: it was the last, and the row tells all of them. */
static bool judge_tools(void *owner, struct all_row *row)
{
	struct tools_of_all *t = owner;
	struct listed *l = find(t, row->device->id);
	CLEANUP(buf_done) struct buf params = { 0 };

	if (!l || l->over)
		return false;
	listing_params(&l->listing, &params);
	if (strcmp(buf_string(&params), buf_string(&t->params)) != 0)
		return false;
	if (row->took_us > 0)
		l->took_us += row->took_us;
	if (row->error.kind != ERR_NONE)
		listing_failed(&l->listing, &row->error);
	else
		listing_feed_take(&l->listing, &row->reply, &row->error);
	l->over = l->listing.done || row->error.kind != ERR_NONE;
	if (!l->over)
		return false;
	row->took_us = l->took_us;
	if (row->error.kind == ERR_NONE) {
		join_pages(&l->tools, &row->reply);
		summarize(t, &l->tools, &row->summary);
	}
	listing_done(&l->listing);
	tool_list_done(&l->tools);
	return true;
}

/* ---- the rounds ---- */

static int ask_page(struct tools_of_all *t, struct listed *l, struct error *err)
{
	const struct all_device *d = all_find(&t->all, 0, l->id);
	struct all_request rq = { .method = "tools/list" };
	struct all_fan f = { .judge = judge_tools, .owner = t };

	listing_params(&l->listing, &t->params);
	rq.params = t->params.len ? buf_string(&t->params) : NULL;
	/* The first page is asked of all; the next of those that are alike. */
	if (l->tools.pages > 0 && d && d->list)
		rq.list = d->list;
	else if (l->tools.pages > 0)
		rq.device = l->id;
	if (all_start(&t->all, &f, &rq, err)) {
		control_line_close(f.serve);
		return -1;
	}
	return all_finish(&t->all, &f, err);
}

/* No row came for it. */
static void tell_gone(struct tools_of_all *t, struct listed *l)
{
	struct all_row row = { .device = all_find(&t->all, 0, l->id),
			       .took_us = -1 };

	l->over = true;
	error_set(&row.error, ERR_CONNECT, "the device went meanwhile");
	if (row.device)
		all_show(&t->all, &row);
}

static int ask_all(struct tools_of_all *t, struct error *err)
{
	for (size_t i = 0; i < t->count; i++) {
		struct listed *l = &t->device[i];

		while (!l->over) {
			size_t pages = l->tools.pages;

			if (ask_page(t, l, err))
				return -1;
			if (!l->over && l->tools.pages == pages)
				tell_gone(t, l);
		}
	}
	return 0;
}

static void listed_row(void *owner, const struct tool_list *tools,
		       struct all_row *row)
{
	join_pages(tools, &row->reply);
	summarize(owner, tools, &row->summary);
}

static int list_brokered(struct tools_of_all *t, struct error *err)
{
	const struct brokered_ask ask = { .lists = true,
					  .listed = listed_row,
					  .owner = t };

	return brokered_run(&t->all, &ask, err);
}

static int tools_outcome(const struct tools_of_all *t, struct error *err)
{
	if (all_outcome(&t->all, err))
		return -1;
	if (!t->filter || t->shown > 0)
		return 0;
	return error_set(err, ERR_UNMET,
			 "no device has a tool that matches '%s'", t->filter);
}

int all_tools_run(struct app *app, const char *filter, bool no_user,
		  struct error *err)
{
	struct tools_of_all t = { .filter = filter };
	int status = all_open(&t.all, app, err);

	t.count = t.all.count;
	t.device = mem_zalloc((t.count + 1) * sizeof(*t.device));
	for (size_t i = 0; i < t.count; i++) {
		t.device[i].id = mem_strdup(t.all.device[i].id);
		listing_init(&t.device[i].listing, &t.device[i].tools,
			     !no_user);
	}
	if (status == 0)
		status = t.all.brokered ? list_brokered(&t, err) :
					  ask_all(&t, err);
	if (status == 0)
		status = tools_outcome(&t, err);
	for (size_t i = 0; i < t.count; i++) {
		mem_free(t.device[i].id);
		listing_done(&t.device[i].listing);
		tool_list_done(&t.device[i].tools);
	}
	mem_free(t.device);
	buf_done(&t.params);
	all_done(&t.all);
	return status;
}
