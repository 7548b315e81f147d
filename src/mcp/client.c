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
#include "mcp/client_start.h"
#include "mcp/content.h"
#include "mcp/guard.h"
#include "mcp/initialize.h"
#include "mcp/modern.h"
#include "mcp/opening.h"
#include "mcp/param_headers.h"
#include "mcp/revision.h"
#include "mcp/rounds.h"
#include "mcp/rules.h"
#include "mcp/schema.h"
#include "mcp/tools.h"
#include "net/why.h"
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

/* What is no result is not to be shown as one. */
static int drop_result(struct call *call, struct error *err)
{
	error_detail(err, call->reply.text, call->reply.len);
	message_done(&call->reply);
	return -1;
}

/* What came shows that the era is right, and whether it is as it must be. */
static int judge_modern(struct client *c, struct call *call,
			const struct client_request *rq, int status,
			struct error *err)
{
	const cJSON *result = call->reply.result;
	bool asks = false;

	if (status && err->has_code && modern_is_error(err->code)) {
		c->confirmed = true;
		modern_explain(err, call->reply.error);
	}
	if (status)
		return status;
	if (json_member(result, "resultType") || modern_server_info(result))
		c->confirmed = true;
	if (!modern_judge(rq->method, result, rq->tasks, &asks, err))
		return 0;
	return drop_result(call, err);
}

static int try_once(struct client *c, struct call *call,
		    const struct client_request *rq, struct error *err)
{
	int status;

	if (client_start(c, call, rq, err))
		return -1;
	status = session_wait(c->session, call, err);
	if (c->modern)
		status = judge_modern(c, call, rq, status, err);
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
	return c->config && !c->modern && err->kind == ERR_CONNECT &&
	       err->has_code && err->code == HTTP_NOT_FOUND &&
	       session_is_open(c->session);
}

/* -32022 names what the server speaks: that one, even if it is the same. */
static bool takes_other_revision(struct client *c, const struct call *call,
				 const struct error *err)
{
	const cJSON *data = json_object(call->reply.error, "data");
	const char *offered =
		revision_choose(ERA_MODERN, json_array(data, "supported"));

	if (!c->modern || !offered || err->kind != ERR_PEER ||
	    err->code != MODERN_UNSUPPORTED_VERSION)
		return false;
	c->era.revision = offered;
	return true;
}

bool client_era_is_old(const struct client *c)
{
	return c->modern && c->era.kept && !c->confirmed;
}

/* This failure may come from a server that is not modern any more. */
static bool is_of_other_era(struct client *c, const struct error *err)
{
	if (!client_era_is_old(c) || !session_is_open(c->session))
		return false;
	if (err->kind == ERR_TIMEOUT)
		client_forget_era(c);
	return era_may_be_other(err);
}

/* It is asked which it is; nothing was carried out yet. */
static int try_other_era(struct client *c, struct call *call,
			 const struct client_request *rq, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (client_find_era(c, &why)) {
		if (why.kind == ERR_INTERRUPTED)
			error_copy(err, &why);
		return -1;
	}
	if (c->modern)
		return -1;
	error_reset(err);
	return try_once(c, call, rq, err);
}

/* err has the 404: where there was no session, that tells more. */
static int not_reopened(const struct error *why, struct error *err)
{
	bool had_session = err->reason == WHY_SESSION_FORGOTTEN;

	if (had_session || why->kind == ERR_INTERRUPTED)
		error_copy(err, why);
	if (!had_session || why->kind == ERR_INTERRUPTED)
		return -1;
	return error_prefix(
		err,
		"the server forgot the session (404), and could not be started over");
}

static int try_anew(struct client *c, struct call *call,
		    const struct client_request *rq, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int status = try_once(c, call, rq, err);

	if (status && takes_other_revision(c, call, err)) {
		error_reset(err);
		status = try_once(c, call, rq, err);
	}
	if (status && is_of_other_era(c, err))
		return try_other_era(c, call, rq, err);
	if (!status || !is_forgotten(c, err))
		return status;
	if (client_reopen(c, &why))
		return not_reopened(&why, err);
	error_reset(err);
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

/*
 * -1: the wait ended early; err says why, unless it has the failure already
 * that this was waited for, and it was not the user.
 */
static int wait_for_next(struct client *c, int64_t ms, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!session_watch(c->session, NULL, loop_now() + ms, &why))
		return 0;
	if (why.kind == ERR_INTERRUPTED || (err && err->kind == ERR_NONE))
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
	ask->known = hints != NAME_NONE && hints != HINT_TASK_NEVER;
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

/* One round: started and waited for. */
static int ask_once(struct client *c, struct call *call,
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

/* ---- rounds ---- */

enum {
	STATE_PAUSE_MS = 250
}; /* of a server that asks nothing, and has no result */

static int not_answered(const struct round_ask *ask, const char *option,
			struct error *err)
{
	error_set(
		err, ERR_PROTOCOL,
		"the server asks '%.60s' of its client, which it was not told it may",
		ask->method);
	return option ? error_hint(err, "%s answers it", option) : -1;
}

static int begin_asks(struct client *c, struct rounds *r, struct error *err)
{
	for (size_t i = 0; i < r->asks; i++) {
		const char *option = NULL;

		if (!c->asker ||
		    !c->asker->ask(c->asker->owner, &r->ask[i], &option))
			return not_answered(&r->ask[i], option, err);
	}
	return 0;
}

int client_answer(struct client *c, struct rounds *r, struct error *err)
{
	const struct round_ask *refused;
	int status = begin_asks(c, r, err);

	if (status == 0 && !r->answered)
		status = session_watch(c->session, &r->answered, LOOP_FOREVER,
				       err);
	if (c->asker)
		c->asker->withdraw(c->asker->owner);
	refused = status ? NULL : rounds_refused(r);
	if (!refused)
		return status;
	return error_set(err, ERR_UNMET,
			 "what the server asks ('%.60s') was not answered: %s",
			 refused->method, refused->refused);
}

static bool asks_more(const struct client *c, const struct call *call,
		      const struct client_request *rq)
{
	bool asks = false;

	return c->modern &&
	       !modern_judge(rq->method, call->reply.result, rq->tasks, &asks,
			     NULL) &&
	       asks;
}

static int next_round(struct client *c, struct rounds *r, struct call *call,
		      struct error *err)
{
	if (rounds_take(r, &call->reply, err))
		return drop_result(call, err);
	message_done(&call->reply);
	if (!r->asks && r->count > 1 &&
	    wait_for_next(c, (int64_t)r->count * STATE_PAUSE_MS, err))
		return -1;
	return client_answer(c, r, err);
}

/* Start and wait, with all that client.h promises of requests; afterwards it is not in flight. */
static int client_ask(struct client *c, struct call *call,
		      const struct client_request *rq, struct error *err)
{
	CLEANUP(rounds_done) struct rounds rounds = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	struct client_request round = *rq;
	int status = ask_once(c, call, rq, err);

	while (status == 0 && asks_more(c, call, rq) &&
	       !rounds_are_users(rq->params)) {
		if (next_round(c, &rounds, call, err))
			return -1;
		buf_reset(&params);
		rounds_params(&params, rq->params, &rounds);
		round.params = buf_string(&params);
		status = ask_once(c, call, &round, err);
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

	while (!status && !listing->done) {
		listing->modern = c->modern;
		status = list_page(c, listing, &params, err);
	}
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

static bool can_be_called(void *owner, const struct tool *t)
{
	struct client *c = owner;
	CLEANUP(error_reset) struct error why = { 0 };
	size_t count;

	if (!param_headers_check(t->schema, &count, &why))
		return true;
	session_tell(c->session, NOTICE_OTHER,
		     "the tool '%.100s' is left out: %s", t->name, why.text);
	return false;
}

void client_leave_out(struct client *c, struct tool_list *list)
{
	if (c->modern && session_takes_headers(c->session))
		tool_list_filter(list, can_be_called, c);
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
	client_leave_out(c, out);
	client_know_tools(c, out);
	return status;
}

int client_list(struct client *c, enum list_kind kind, struct page_list *out,
		struct error *err)
{
	struct listing listing;
	int status;

	*out = (struct page_list){ .kind = kind };
	listing_init_items(&listing, out);
	status = list_pages(c, &listing, err);
	if (out->misnamed)
		session_tell(
			c->session, NOTICE_OTHER,
			"the answer to resources/list calls them 'contents', which MCP calls 'resources'");
	return status;
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
	if (r->message.result && !cJSON_IsObject(r->message.result))
		return error_set(
			err, ERR_PROTOCOL,
			"the tool's result is of type %s, and no object",
			json_type_name(r->message.result));
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
		"the tool '%.100s' can only be called as a task (execution.taskSupport is 'required')",
		name);
	return error_hint(
		err,
		"'call --task' does it, where the server has tasks; --no-validate calls it all the same");
}

/*
 * The headers that repeat arguments were not those of its schema, or what was
 * kept of the tools is wrong: they are listed again, as nothing was carried out
 * (modern.md 7, 12).
 */
static bool lists_anew(struct client *c, struct error *err)
{
	struct tool_list list;
	bool listed;
	bool old = c->tools_kept && err->code == JSONRPC_INVALID_PARAMS;

	if (!c->modern || err->kind != ERR_PEER || !err->has_code ||
	    (err->code != MODERN_HEADER_MISMATCH && !old))
		return false;
	c->tools_wrong = c->tools_kept;
	c->tools_kept = false;
	listed = !client_list_tools(c, false, &list, NULL);
	tool_list_done(&list);
	if (listed)
		error_reset(err);
	return listed;
}

/* task: it may become one. */
static int ask_tool(struct client *c, struct call *call, const char *arguments,
		    bool task, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	CLEANUP(buf_done) struct buf room = { 0 };
	struct client_request rq = { .method = "tools/call",
				     .progress = true,
				     .tasks = task };
	int status;

	rq.arguments = client_tool_arguments(
		c, call->subject, arguments && arguments[0] ? arguments : "{}",
		&room, err);
	if (!rq.arguments)
		return -1;
	buf_text(&params, "{\"name\":");
	add_string(&params, call->subject);
	buf_printf(&params, ",\"arguments\":%s%s}", rq.arguments,
		   task && !c->modern ? ",\"task\":{}" : "");
	rq.params = buf_string(&params);
	status = client_ask(c, call, &rq, err);
	return status && lists_anew(c, err) ? client_ask(c, call, &rq, err) :
					      status;
}

int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	size_t hints = name_set_find(&c->hints, name);
	int status;

	*out = (struct result){ 0 };
	if (hints != NAME_NONE && (hints & HINT_TASK_ONLY))
		return refuse_task(name, err);
	call.subject = mem_strdup(name);
	status = ask_tool(c, &call, arguments, false, err);
	return finish_tool_call(c, &call, status, out, err);
}

int client_ask_tool(struct client *c, const char *name, const char *arguments,
		    struct message *reply, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	int status;

	call.subject = mem_strdup(name);
	status = ask_tool(c, &call, arguments, true, err);
	message_take(reply, &call.reply);
	return status;
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
	const struct client_request rq = { .method = c->modern ?
							     "server/discover" :
						     c->kwargs ? "tools/list" :
								 "ping" };
	int status = client_ask(c, &call, &rq, err);

	*took_us = call.ended_us - call.started_us;
	*was_error = status != 0;
	if (!status || !is_answer(&call))
		return status;
	error_reset(err);
	return 0;
}

/* ---- what it says of itself, and logs ---- */

int client_describe(struct client *c, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	const struct client_request rq = { .method = "server/discover" };

	if (!c->modern || c->described)
		return 0;
	if (client_ask(c, &call, &rq, err))
		return -1;
	if (!c->modern)
		return 0;
	c->initialize_us = call.ended_us - call.started_us;
	client_take_description(c, &call.reply);
	return 0;
}

int client_set_log_level(struct client *c, const char *level,
			 struct message *reply, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	int64_t took_us;

	if (c->modern) {
		c->log_level = level;
		return 0;
	}
	buf_printf(&params, "{\"level\":\"%s\"}", level);
	return client_request(c, "logging/setLevel", buf_string(&params), reply,
			      &took_us, err);
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

static int hint_at_parts(const cJSON *parts, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	const cJSON *each;

	cJSON_ArrayForEach(each, parts) {
		if (!json_given(parts, each->string) || list.len > 300)
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

/* What was kept of it may be old: it is asked before the verdict. */
static bool may_offer_now(struct client *c)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	return c->modern && !c->described && !client_describe(c, &ignored);
}

int client_require(struct client *c, const char *name, struct error *err)
{
	if (client_offers(c, name) ||
	    (may_offer_now(c) && client_offers(c, name)))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers no %s",
		  name_of(c), name);
	return hint_at_parts(c->capabilities, err);
}

static bool has_part(const struct client *c, const char *name, const char *part)
{
	return client_is_silent(c) ||
	       json_given(json_object(c->capabilities, name), part);
}

int client_require_part(struct client *c, const char *name, const char *part,
			struct error *err)
{
	if (client_require(c, name, err))
		return -1;
	if (has_part(c, name, part) ||
	    (may_offer_now(c) && has_part(c, name, part)))
		return 0;
	error_set(err, ERR_UNMET, "the server '%.100s' offers %s without '%s'",
		  name_of(c), name, part);
	return hint_at_parts(c->capabilities, err);
}
