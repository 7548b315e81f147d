/* SPDX-License-Identifier: MIT */
/*
 * An MCP client on a session: initialize, lists, calls, and what results are
 * made of.
 */
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "mcp/client.h"
#include "mcp/content.h"
#include "mcp/guard.h"
#include "mcp/initialize.h"
#include "mcp/rules.h"
#include "mcp/schema.h"
#include "rpc/session_calls.h"
#include "wire/llm.h"

/*
 * One request and its reply: with the guard around it, tried again, cancelled,
 * on a session that is opened anew where a server forgot it. Which requests
 * there are is client.c's matter.
 */

enum { URLS_MAX = 16, HTTP_NOT_FOUND = 404 };

/* Interrupted by the user. */
static void cancel(struct client *c, const struct call *call, struct error *err)
{
	if (call->done || !session_is_open(c->session))
		return;
	if (session_cancel(c->session, call, "interrupted by the user"))
		error_hint(err, "the peer was told to cancel it");
	else if (call->subject &&
		 session_link(c->session)->dialect != DIALECT_PLAIN)
		error_hint(
			err,
			"firmware has no cancel: the board may still be working on '%s'",
			call->subject);
}

/* ---- params ---- */

/*
 * The same object with _meta.progressToken as its last member. False: it is no
 * object, or has a _meta of its own.
 */
static bool add_token(struct buf *out, const char *params, int32_t token)
{
	struct span whole = { params, strlen(params) }, meta;
	const char *inside;

	if (json_check(params, whole.len, NULL) ||
	    json_span_member(whole, "_meta", &meta))
		return false;
	whole.len = text_trim(&whole.text, whole.len);
	if (*whole.text != '{')
		return false;
	inside = whole.text + 1;
	buf_add(out, whole.text, whole.len - 1);
	buf_printf(out, "%s\"_meta\":{\"progressToken\":%d}}",
		   text_trim(&inside, whole.len - 2) ? "," : "", (int)token);
	return true;
}

static int start(struct client *c, struct call *call,
		 const struct client_request *rq, struct error *err)
{
	CLEANUP(buf_done) struct buf with_token = { 0 };
	const char *params = rq->params;
	bool plain = session_link(c->session)->dialect == DIALECT_PLAIN;

	if (rq->progress && plain && params &&
	    add_token(&with_token, params, session_next_id(c->session)))
		params = buf_string(&with_token);
	return session_start(c->session, call, rq->method, params, 0, err);
}

/* ---- one try ---- */

/*
 * -32042: what is to be opened first stands in data.elicitations (mcp.md
 * 2025-11-25).
 */
static void list_urls(const struct call *call, struct error *err)
{
	const cJSON *data = json_object(call->reply.error, "data");
	CLEANUP(buf_done) struct buf lines = { 0 };
	const cJSON *each;
	size_t count = 0;

	cJSON_ArrayForEach(each, json_array(data, "elicitations")) {
		const char *url = json_string(each, "url");
		const char *message = json_string(each, "message");

		if (!url || ++count > URLS_MAX)
			continue;
		buf_printf(&lines, "%s%.2000s", lines.len ? "\n" : "", url);
		if (message)
			buf_printf(&lines, "  (%.500s)", message);
	}
	if (!lines.len)
		return;
	error_detail(err, buf_string(&lines), lines.len);
	error_hint(
		err,
		"the server wants this to be done in a browser first: if you trust it, open the address, then ask again");
}

static int try_once(struct client *c, struct call *call,
		    const struct client_request *rq, struct error *err)
{
	int status;

	if (start(c, call, rq, err))
		return -1;
	status = session_wait(c->session, call, err);
	if (status && err->kind == ERR_INTERRUPTED)
		cancel(c, call, err);
	if (status && err->kind == ERR_PEER &&
	    err->code == MCP_URL_ELICITATION_REQUIRED)
		list_urls(call, err);
	session_forget(c->session, call);
	return status;
}

/* 404 means start over with initialize (mcp.md 2025-03-26). */
static bool is_forgotten(const struct client *c, const struct error *err)
{
	return c->config && err->kind == ERR_CONNECT && err->has_code &&
	       err->code == HTTP_NOT_FOUND && session_is_open(c->session);
}

static int try_anew(struct client *c, struct call *call,
		    const struct client_request *rq, struct error *err)
{
	int status = try_once(c, call, rq, err);

	if (!status || !is_forgotten(c, err))
		return status;
	error_reset(err);
	if (client_reopen(c, err)) {
		if (err->kind == ERR_INTERRUPTED)
			return -1;
		return error_prefix(
			err,
			"the server forgot the session (404), and could not be started over");
	}
	return try_once(c, call, rq, err);
}

/* ---- all tries ---- */

/*
 * Firmware restarts before the answer is sent (device.md 3.9), also boards that
 * are dialled in plain JSON-RPC. Gives what that tells; NULL: it is a failure.
 */
static const char *client_dropped_as_told(const struct client *c,
					  const struct call *call)
{
	const struct silent_tool *silent = silent_tool(call->subject);

	if (!silent || !call->done || call->failure.kind != ERR_CONNECT ||
	    session_is_open(c->session))
		return NULL;
	return silent->ended;
}

/* -1: the wait ended early; err says so if it was the user. */
static int wait_for_next(struct client *c, int64_t ms, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!session_watch(c->session, NULL, loop_now() + ms, &why))
		return 0;
	if (why.kind == ERR_INTERRUPTED)
		error_copy(err, &why);
	return -1;
}

static int try_on(struct client *c, struct call *call,
		  const struct client_request *rq, const struct guard_ask *ask,
		  struct error *err)
{
	const struct client_guard *g = c->guard;
	unsigned tries = 0;

	for (;;) {
		int64_t pause;

		if (try_anew(c, call, rq, err) == 0)
			return 0;
		/* One connection, one session: it does not come back. */
		if (session_is_over(c->session) || err->kind == ERR_INTERRUPTED)
			return -1;
		pause = g->again(g->owner, ask, ++tries, err);
		if (pause < 0 || wait_for_next(c, pause, err))
			return -1;
		error_reset(err);
	}
}

static void add_marks(struct guard_ask *ask, const struct client *c)
{
	const char *tool = strcmp(ask->method, "tools/call") ?
				   ask->method + strlen("tools/") :
				   ask->subject;
	size_t hints = NAME_NONE;

	ask->names_passing = llm_is_service(c->server_name);
	if (!retry_is_call(ask->method)) {
		ask->idempotent = true;
		return;
	}
	if (tool)
		hints = name_set_find(&c->hints, tool);
	ask->known = hints != NAME_NONE;
	ask->idempotent = ask->known && (hints & HINT_REPEATABLE);
}

static int ask_guarded(struct client *c, struct call *call,
		       const struct client_request *rq, struct error *err)
{
	const struct client_guard *g = c->guard;
	struct guard_ask ask = { .method = rq->method,
				 .subject = call->subject };
	bool good;
	int status;

	add_marks(&ask, c);
	if (g->admit(g->owner, &ask, err))
		return -1;
	status = try_on(c, call, rq, &ask, err);
	good = status == 0 || client_dropped_as_told(c, call);
	g->settle(g->owner, &ask, good ? NULL : err);
	return status;
}

/* What firmware says to all of MCP but tools. */
static void hint_at_tools(const struct client *c, struct error *err)
{
	if (c->device && err->kind == ERR_PEER && !*err->hint &&
	    text_starts(err->text, "Method not implemented"))
		error_hint(
			err,
			"a device has tools, and nothing else of MCP: 'tools' lists them");
}

/* Start and wait, with all that client.h promises of requests; afterwards it is not in flight. */
static int client_ask(struct client *c, struct call *call,
		      const struct client_request *rq, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status = c->guard ? ask_guarded(c, call, rq, &why) :
				try_anew(c, call, rq, &why);

	if (status) {
		hint_at_tools(c, &why);
		error_copy(err, &why);
	}
	return status;
}

/*
 * list, call, ping over a session, each waiting for its answer; initialize is
 * in opening.c, how one is asked below. Shows nothing; dialects are
 * the link's matter.
 */

static void add_string(struct buf *out, const char *text)
{
	buf_json_string(out, text, strlen(text));
}

/* ---- lists ---- */

static int list_page(struct client *c, struct listing *listing,
		     struct buf *params, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	struct client_request rq = { .method = listing_method(listing) };

	listing_params(listing, params);
	rq.params = params->len ? buf_string(params) : NULL;
	if (client_ask(c, &call, &rq, err))
		return listing_failed(listing, err);
	return listing_feed_take(listing, &call.reply, err);
}

static int list_pages(struct client *c, struct listing *listing,
		      struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	int status = 0;

	while (!status && !listing->done)
		status = list_page(c, listing, &params, err);
	listing_done(listing);
	return status;
}

bool client_may_be_board(const struct client *c)
{
	const cJSON *tools = json_object(c->capabilities, "tools");

	if (c->device || !c->initialize.result)
		return !c->device;
	return c->revision && strcmp(c->revision, REVISION_FIRMWARE) == 0 &&
	       tools && !tools->child &&
	       cJSON_GetArraySize(c->capabilities) == 1;
}

int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err)
{
	struct listing listing;
	int status;

	*out = (struct tool_list){ 0 };
	listing_init(&listing, out, c->device && !backend_view);
	listing.may_be_board = !backend_view && client_may_be_board(c);
	status = list_pages(c, &listing, err);
	client_know_tools(c, out);
	return status;
}

int client_list(struct client *c, enum list_kind kind, struct page_list *out,
		struct error *err)
{
	struct listing listing;

	*out = (struct page_list){ .kind = kind };
	listing_init_items(&listing, out);
	return list_pages(c, &listing, err);
}

/* A name that stands twice: the first counts, as for tool_list_find. */
void client_know_tools(struct client *c, const struct tool_list *list)
{
	name_set_done(&c->hints);
	for (size_t i = 0; i < list->count; i++) {
		const struct tool *t = &list->tool[i];
		const cJSON *annotations = json_object(t->json, "annotations");
		const cJSON *execution = json_object(t->json, "execution");
		const char *task = json_string(execution, "taskSupport");
		size_t hints = 0;

		if (json_true(annotations, "idempotentHint") ||
		    json_true(annotations, "readOnlyHint"))
			hints |= HINT_REPEATABLE;
		if (task && strcmp(task, "required") == 0)
			hints |= HINT_TASK_ONLY;
		if (hints && !t->duplicate)
			name_set_add(&c->hints, t->name, hints);
	}
}

/* ---- calls ---- */

static const char *first_text(const struct result *r)
{
	for (size_t i = 0; i < r->count; i++) {
		if (r->content[i].kind == CONTENT_TEXT)
			return r->content[i].text;
	}
	return NULL;
}

static int tool_error(const struct result *r, struct error *err)
{
	const char *text = first_text(r);

	if (!text || !text[0])
		return error_set(err, ERR_PEER,
				 "the tool reported an error without a text");
	error_set(err, ERR_PEER, "%s", text);
	if (strlen(text) >= sizeof(err->text))
		error_detail(err, text, strlen(text));
	return -1;
}

int client_judge_result(const char *tool, struct result *r, struct error *err)
{
	const struct silent_tool *silent = silent_tool(tool);
	const char *text = first_text(r);

	if (r->is_error)
		return tool_error(r, err);
	if (!silent || !silent->failed || !text || strcmp(text, "true") != 0)
		return 0;
	if (!r->from_device) {
		r->note = silent->unknown;
		return 0;
	}
	error_set(err, ERR_PEER, "%s", silent->failed);
	return error_hint(
		err,
		"can the board reach that address, and is a firmware for it there? its own log (USB) tells why");
}

static int finish_tool_call(struct client *c, struct call *call, int status,
			    struct result *out, struct error *err)
{
	int64_t took = call->ended_us - call->started_us;

	const char *note = status ? client_dropped_as_told(c, call) : NULL;

	if (note) {
		error_reset(err);
		out->note = note;
		out->took_us = took;
		return 0;
	}
	if (status) {
		message_take(&out->message, &call->reply);
		out->took_us = took;
		return -1;
	}
	result_decode_take(out, &call->reply);
	out->from_device = c->device;
	out->took_us = took;
	return client_judge_result(call->subject, out, err);
}

static int refuse_task(const char *name, struct error *err)
{
	error_set(
		err, ERR_UNMET,
		"the tool '%.100s' can only be called as a task (execution.taskSupport is 'required'), and mcpctl speaks no tasks",
		name);
	return error_hint(
		err,
		"'request tools/call' sends params of your own, with \"task\" too");
}

int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request rq = { .method = "tools/call", .progress = true };
	size_t hints = name_set_find(&c->hints, name);
	int status;

	*out = (struct result){ 0 };
	if (hints != NAME_NONE && (hints & HINT_TASK_ONLY))
		return refuse_task(name, err);
	buf_text(&params, "{\"name\":");
	add_string(&params, name);
	buf_printf(&params, ",\"arguments\":%s}",
		   arguments && arguments[0] ? arguments : "{}");
	call.subject = mem_strdup(name);
	rq.params = buf_string(&params);
	status = client_ask(c, &call, &rq, err);
	return finish_tool_call(c, &call, status, out, err);
}

/* A reply whose JSON is broken is an answer too. */
static bool is_answer(const struct call *call)
{
	return call->done && (call->broken || call->failure.kind == ERR_PEER);
}

int client_ping(struct client *c, int64_t *took_us, bool *was_error,
		struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	const struct client_request rq = { .method = "ping" };
	int status = client_ask(c, &call, &rq, err);

	*took_us = call.ended_us - call.started_us;
	*was_error = status != 0;
	if (!status || !is_answer(&call))
		return status;
	error_reset(err);
	return 0;
}

/* ---- any ---- */

/* The tool that a tools/call names, for messages about it; NULL. */
static char *params_subject(const char *method, const char *params)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	if (!params || strcmp(method, "tools/call") != 0)
		return NULL;
	tree = json_parse(params, strlen(params), &ignored);
	return mem_strdup(json_string(tree, "name"));
}

int client_request(struct client *c, const char *method, const char *params,
		   struct message *out, int64_t *took_us, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	struct client_request rq = { .method = method, .params = params };
	int status;

	rq.progress = strcmp(method, "resources/read") == 0 ||
		      strcmp(method, "prompts/get") == 0;
	call.subject = params_subject(method, params);
	status = client_ask(c, &call, &rq, err);
	*took_us = call.ended_us - call.started_us;
	message_take(out, &call.reply);
	return status;
}

/*
 * structuredContent of a result against the tool's outputSchema (mcp.md
 * 2025-06-18: servers must conform, clients should check).
 */

static int refuse(const struct tool *t, const struct schema_report *report,
		  struct error *err)
{
	CLEANUP(buf_done) struct buf why = { 0 };
	const char *path = buf_string(&report->path);

	schema_explain(report, &why);
	error_set(
		err, ERR_PROTOCOL,
		"structuredContent of '%.80s' does not fit its outputSchema: %s%.80s%s%.250s",
		t->name, *path ? "'" : "", path, *path ? "': " : "",
		buf_string(&why));
	return error_hint(
		err,
		"the server breaks its own promise; --no-validate does not check");
}

int client_check_output(const struct tool *t, const struct result *r,
			struct error *err)
{
	const cJSON *schema = t ? json_object(t->json, "outputSchema") : NULL;
	const cJSON *value =
		json_member(r->message.result, "structuredContent");
	struct schema_report report = { 0 };
	int status = 0;

	/* A device that restarted as told sent no result at all. */
	if (!schema || r->is_error || !r->message.result)
		return 0;
	if (!value) {
		error_set(
			err, ERR_PROTOCOL,
			"the result of '%.80s' has no structuredContent, but the tool has an outputSchema",
			t->name);
		return error_hint(err, "--no-validate does not check");
	}
	if (!schema_check(schema, value, &report))
		status = refuse(t, &report, err);
	schema_report_done(&report);
	return status;
}

/*
 * What a server said of itself: its parts. Asks nothing.
 */

/* A device, or no initialize: nothing is known. */
static bool is_silent(const struct client *c)
{
	return c->device || !c->initialize.text;
}

static bool has(const cJSON *object, const char *name)
{
	const cJSON *member = json_member(object, name);

	return member && !cJSON_IsNull(member) && !cJSON_IsFalse(member);
}

bool client_offers(const struct client *c, const char *name)
{
	/* The first revision has completion, but no word for it. */
	if (strcmp(name, "completions") == 0 && c->revision &&
	    strcmp(c->revision, "2024-11-05") == 0)
		return true;
	return is_silent(c) || has(c->capabilities, name);
}

static int hint_at_parts(const cJSON *parts, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, parts) {
		if (!has(parts, each->string) || list.len > 300)
			continue;
		buf_printf(&list, "%s%.60s", list.len ? ", " : "",
			   each->string);
	}
	if (!list.len)
		return error_hint(
			err,
			"it offers nothing at all; 'info' shows what it said of itself");
	return error_hint(err, "it offers: %s", buf_string(&list));
}

static const char *name_of(const struct client *c)
{
	return c->server_name ? c->server_name : "the peer";
}

int client_require(const struct client *c, const char *name, struct error *err)
{
	if (client_offers(c, name))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers no %s",
		  name_of(c), name);
	return hint_at_parts(c->capabilities, err);
}

int client_require_part(const struct client *c, const char *name,
			const char *part, struct error *err)
{
	if (client_require(c, name, err))
		return -1;
	if (is_silent(c) || has(json_object(c->capabilities, name), part))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers %s without '%s'",
		  name_of(c), name, part);
	return hint_at_parts(c->capabilities, err);
}
