/* SPDX-License-Identifier: MIT */
/*
 * list, call, ping over a session, each waiting for its answer; initialize is
 * in opening.c. Shows nothing; dialects are the link's matter.
 */
#include "mcp/client.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/*
 * Interrupted by the user: the peer is told, where the protocol has a way
 * (firmware has none, device.md 4).
 */
static void cancel(struct client *c, const struct call *call, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };

	if (call->done || !session_is_open(c->session))
		return;
	if (session_link(c->session)->dialect != DIALECT_PLAIN) {
		if (call->subject)
			error_hint(err,
				   "firmware has no cancel: the board may "
				   "still be working on '%s'",
				   call->subject);
		return;
	}
	buf_printf(&params,
		   "{\"requestId\":%d,\"reason\":\"interrupted by the "
		   "user\"}",
		   (int)call->id);
	if (session_notify(c->session, "notifications/cancelled",
			   buf_string(&params), &ignored) == 0)
		error_hint(err, "the peer was told to cancel it");
}

/* As session_call. */
static int ask(struct client *c, struct call *call, const char *method,
	       const char *params, struct error *err)
{
	int status;

	if (session_start(c->session, call, method, params, 0, err))
		return -1;
	status = session_wait(c->session, call, err);
	if (status && err && err->kind == ERR_INTERRUPTED)
		cancel(c, call, err);
	session_forget(c->session, call);
	return status;
}

static void add_string(struct buf *out, const char *text)
{
	buf_json_string(out, text, strlen(text));
}

static int list_page(struct client *c, struct listing *listing,
		     struct buf *params, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };

	listing_params(listing, params);
	if (ask(c, &call, "tools/list", params->len ? buf_string(params) : NULL,
		err))
		return listing_failed(listing, err);
	return listing_feed_take(listing, &call.reply, err);
}

int client_list_tools(struct client *c, bool backend_view,
		      struct tool_list *out, struct error *err)
{
	CLEANUP(buf_done) struct buf params = { 0 };
	struct listing listing;
	int status = 0;

	*out = (struct tool_list){ 0 };
	listing_init(&listing, out, c->device && !backend_view);
	while (!status && !listing.done)
		status = list_page(c, &listing, &params, err);
	listing_done(&listing);
	return status;
}

int client_tool_error(const struct result *r, struct error *err)
{
	const char *text = NULL;

	for (size_t i = 0; i < r->count && !text; i++) {
		if (r->content[i].kind == CONTENT_TEXT)
			text = r->content[i].text;
	}
	if (!text || !text[0])
		return error_set(err, ERR_PEER,
				 "the tool reported an error without a text");
	error_set(err, ERR_PEER, "%s", text);
	if (strlen(text) >= sizeof(err->text))
		error_detail(err, text, strlen(text));
	return -1;
}

/*
 * Firmware restarts before the answer is sent (device.md 3.9), also boards that
 * are dialled in plain JSON-RPC.
 */
static bool restarted_as_told(const struct client *c, const struct call *call)
{
	return call->done && call->failure.kind == ERR_CONNECT &&
	       !session_is_open(c->session) &&
	       strcmp(call->subject, "self.reboot") == 0;
}

static int finish_tool_call(struct client *c, struct call *call, int status,
			    struct result *out, struct error *err)
{
	int64_t took = call->ended_us - call->started_us;

	if (status && restarted_as_told(c, call)) {
		error_reset(err);
		out->note = "the device restarted: the connection dropped, as "
			    "it does for 'self.reboot', which firmware never "
			    "answers";
		out->took_us = took;
		return 0;
	}
	if (status) {
		message_take(&out->message, &call->reply);
		out->took_us = took;
		return -1;
	}
	result_decode_take(out, &call->reply);
	out->took_us = took;
	return out->is_error ? client_tool_error(out, err) : 0;
}

int client_call_tool(struct client *c, const char *name, const char *arguments,
		     struct result *out, struct error *err)
{
	CLEANUP(call_done) struct call call = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	int status;

	*out = (struct result){ 0 };
	buf_text(&params, "{\"name\":");
	add_string(&params, name);
	buf_printf(&params, ",\"arguments\":%s}",
		   arguments && arguments[0] ? arguments : "{}");
	call.subject = mem_strdup(name);
	status = ask(c, &call, "tools/call", buf_string(&params), err);
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
	int status = ask(c, &call, "ping", NULL, err);

	*took_us = call.ended_us - call.started_us;
	*was_error = status != 0;
	if (!status || !is_answer(&call))
		return status;
	error_reset(err);
	return 0;
}

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
	int status;

	call.subject = params_subject(method, params);
	status = ask(c, &call, method, params, err);
	*took_us = call.ended_us - call.started_us;
	message_take(out, &call.reply);
	return status;
}
