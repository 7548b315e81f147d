/* SPDX-License-Identifier: MIT */
/*
 * One request and its reply: with the guard around it, tried again, cancelled,
 * on a session that is opened anew where a server forgot it. Which requests
 * there are is client.c's matter.
 */
#include <string.h>

#include "base/text.h"
#include "mcp/client_private.h"
#include "mcp/retry.h"

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
		error_hint(err,
			   "firmware has no cancel: the board may still be "
			   "working on '%s'",
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
 * -32042: what is to be opened first stands in data.elicitations (mcp.md,
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
	error_hint(err, "the server wants this to be done in a browser first: "
			"if you trust it, open the address, then ask again");
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

/* 404 means start over with initialize (mcp.md, 2025-03-26). */
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
		return error_prefix(err, "the server forgot the session (404), "
					 "and could not be started over");
	}
	return try_once(c, call, rq, err);
}

/* ---- all tries ---- */

bool client_restarted_as_told(const struct client *c, const struct call *call)
{
	return call->done && call->failure.kind == ERR_CONNECT &&
	       !session_is_open(c->session) && call->subject &&
	       strcmp(call->subject, "self.reboot") == 0;
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
	good = status == 0 || client_restarted_as_told(c, call);
	g->settle(g->owner, &ask, good ? NULL : err);
	return status;
}

/* What firmware says to all of MCP but tools. */
static void hint_at_tools(const struct client *c, struct error *err)
{
	if (c->device && err->kind == ERR_PEER && !*err->hint &&
	    text_starts(err->text, "Method not implemented"))
		error_hint(err, "a device has tools, and nothing else of MCP: "
				"'tools' lists them");
}

int client_ask(struct client *c, struct call *call,
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
