/* SPDX-License-Identifier: MIT */
/*
 * The answers to messages of ours: JSON, an event stream, a status. Each ends
 * in a message, in a failure of that request, or in the older HTTP+SSE.
 */
#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"

#define ERROR_BODY_MAX ((size_t)64 * 1024)
#define GRACE_MS 2000 /* of a stream whose reply has come */
#define SESSION_ID_MAX 1024

static void fail_and_end(struct http_exchange *x, struct error *why)
{
	http_exchange_end(x);
	http_fail(x, why);
	error_reset(why);
}

/* Where nobody waits for it, it must say what it is about. */
static void fail_unasked(struct http_exchange *x, struct error *why)
{
	if (!x->message.is_request)
		error_prefix(why, "a notification or reply was not taken");
	fail_and_end(x, why);
}

/* ---- the head ---- */

/* Visible ASCII, as it is sent back (2025-03-26, session management). */
static bool is_session_id(const char *text)
{
	size_t len = 0;

	while (text[len] > 0x20 && text[len] < 0x7f)
		len++;
	return len > 0 && !text[len] && len <= SESSION_ID_MAX;
}

static void take_session(const struct http_exchange *x)
{
	struct http *h = x->http;
	const char *id = http_transfer_answer(x->transfer, "Mcp-Session-Id");
	struct error why = { 0 };

	mem_free(TAKE(h->session_id));
	if (!id)
		return;
	if (is_session_id(id)) {
		h->session_id = mem_strdup(id);
		return;
	}
	error_set(&why, ERR_PROTOCOL,
		  "the session id of '%s' cannot be sent back: it is not of "
		  "visible ASCII, or above %d bytes",
		  h->site.host, SESSION_ID_MAX);
	h->transport->events->failed(h->transport->owner, 0, &why);
	error_reset(&why);
}

/* The last one's lack of a stream does not count any more. */
static void begin_session(struct http_exchange *x)
{
	x->http->unlistened = false;
	mem_free(TAKE(x->http->unheard));
	take_session(x);
}

static void tell_anew(struct http *h)
{
	if (h->forgotten)
		http_notice(h, NOTICE_OTHER,
			    "'%s' forgot the session: it was started anew; "
			    "what was subscribed to, and the log level, are to "
			    "be set again",
			    h->site.host);
	h->forgotten = false;
}

/* Its body may come late, never end, or bring messages all the same. */
static void take_note(struct http_exchange *x)
{
	x->taken = true;
	if (!x->message.is_initialized)
		return;
	x->http->listen_due = true;
	tell_anew(x->http);
}

static bool is_ok(int status)
{
	return status >= 200 && status < 300;
}

void http_post_head(struct http_exchange *x)
{
	struct http *h = x->http;
	int status = x->transfer->status;
	const char *type = http_transfer_type(x->transfer);

	x->kind = HTTP_BODY_WHOLE;
	x->body.max = ERROR_BODY_MAX;
	if (!is_ok(status))
		return;
	mem_free(TAKE(x->text));
	if (x->message.is_initialize && !h->old && !x->resuming)
		begin_session(x);
	if (!x->message.is_request)
		take_note(x);
	if (http_is_stream(x->transfer))
		x->kind = HTTP_BODY_EVENTS;
	else if (!*type || text_find(type, "json"))
		x->body.max = h->message_max;
}

/* ---- a message ---- */

void http_post_event(struct http_exchange *x, const struct sse_event *e)
{
	if (!e->len || strcmp(e->type, "message") != 0)
		return;
	if (http_message_answered(&x->message, e->data, e->len) &&
	    !json_check(e->data, e->len, NULL)) {
		x->answered = true;
		/* The server should end the stream now. */
		x->alarm = loop_now() + GRACE_MS;
	}
	http_deliver(x->http, e->data, e->len);
}

void http_post_too_large(struct http_exchange *x)
{
	struct error why = { 0 };

	error_set(&why, ERR_PROTOCOL,
		  "a message above %zu bytes came, which is the limit",
		  x->http->message_max);
	if (x->purpose == HTTP_POST && !x->answered) {
		fail_and_end(x, &why);
		return;
	}
	http_fail(x, &why);
	error_reset(&why);
}

static bool is_reply(const struct http_exchange *x)
{
	const char *text = buf_string(&x->body);

	return x->message.is_request &&
	       http_message_answered(&x->message, text, x->body.len) &&
	       !json_check(text, x->body.len, NULL);
}

static void deliver_body(struct http_exchange *x)
{
	CLEANUP(buf_done) struct buf body = x->body;

	x->body = (struct buf){ 0 };
	http_exchange_end(x);
	http_deliver(x->http, buf_string(&body), body.len);
}

/* It is JSON, and not what was asked for: an error without an id, perhaps. */
static void fail_other_reply(struct http_exchange *x)
{
	const char *text = buf_string(&x->body);
	CLEANUP(mem_free_ptr)
	char *said = http_message_error(text, x->body.len);
	struct error why = { 0 };

	error_set(&why, ERR_PROTOCOL,
		  "'%s' answered with something that is no reply to the "
		  "request%s%.200s",
		  x->http->site.host, said ? ": " : "", said ? said : "");
	error_detail(&why, text, x->body.len);
	fail_and_end(x, &why);
}

static void end_ok(struct http_exchange *x)
{
	struct http *h = x->http;
	const char *text = buf_string(&x->body);
	bool json = x->body.len && !json_check(text, x->body.len, NULL);
	bool rpc = json && http_message_is_rpc(text, x->body.len);
	struct error why = { 0 };

	if (is_reply(x) || (rpc && (h->old || !x->message.is_request))) {
		deliver_body(x);
	} else if (!x->message.is_request || h->old) {
		http_exchange_end(x);
	} else if (json) {
		fail_other_reply(x);
	} else {
		http_fail_body(&why, &h->site, x->transfer, &x->body);
		fail_and_end(x, &why);
	}
}

/* ---- a stream that ended ---- */

static void end_stream(struct http_exchange *x)
{
	bool amid = sse_is_amid(&x->sse);
	struct error why = { 0 };

	if (!x->message.is_request || x->answered || x->http->old) {
		http_exchange_end(x);
		return;
	}
	if (http_stream_again(x, "an answer"))
		return;
	error_set(&why, ERR_CONNECT,
		  "the answer of '%s' was cut%s before the reply came",
		  x->http->site.host, amid ? " in the middle of an event" : "");
	error_hint(&why, "whether the request was carried out is not known");
	error_code(&why, ECONNRESET);
	fail_and_end(x, &why);
}

/* ---- a status that is none of success ---- */

/* It says no less than the head does. */
static bool is_llm_error(const struct http_exchange *x)
{
	const char *text = buf_string(&x->body);

	return http_message_is_llm_error(text, x->body.len) &&
	       (!http_transfer_retry_after(x->transfer) ||
		http_message_retry_after(text, x->body.len));
}

/* What stands between may answer for the server: it does not know of ids. */
static bool is_of_server(const struct http_exchange *x, int status)
{
	switch (status) {
	case 401:
	case 403:
		return false;
	case 429:
	case 502:
	case 503:
	case 504:
		return is_llm_error(x);
	default:
		return true;
	}
}

static void lose_session(struct http_exchange *x)
{
	struct http *h = x->http;
	struct http_exchange *stream = http_exchange_find(h, HTTP_LISTEN);
	struct error why = { 0 };

	mem_free(TAKE(h->session_id));
	mem_free(TAKE(h->revision));
	h->forgotten = true;
	if (stream)
		http_exchange_end(stream);
	http_fail_session(&why, &h->site);
	fail_and_end(x, &why);
}

/* 2025-11-25, backwards compatibility. */
static bool may_be_old(const struct http_exchange *x, int status)
{
	const struct http *h = x->http;

	return x->message.is_initialize && !h->old && x->text &&
	       (status == 400 || status == 404 || status == 405);
}

static void try_old(struct http_exchange *x)
{
	struct http *h = x->http;

	http_notice(h, NOTICE_DETAIL,
		    "initialize was answered with HTTP %d: trying the older "
		    "HTTP+SSE",
		    x->transfer->status);
	http_fail_status(&h->first, &h->site, x->transfer, &x->body);
	http_exchange_stop(x);
	x->waiting = true;
	http_old_open(h);
}

static void end_refused(struct http_exchange *x, int status)
{
	struct http *h = x->http;
	struct error why = { 0 };

	if (http_exchange_redirect(x))
		return;
	if (status == 404 && x->with_session && x->message.is_request) {
		lose_session(x);
	} else if (is_reply(x) && is_of_server(x, status)) {
		deliver_body(x);
	} else if (may_be_old(x, status)) {
		try_old(x);
	} else {
		if (status == 404 && h->revision)
			http_fail_gone(&why, &h->site);
		else
			http_fail_status(&why, &h->site, x->transfer, &x->body);
		fail_unasked(x, &why);
	}
}

static void end_without(struct http_exchange *x)
{
	enum http_end end = x->transfer->outcome.end;
	struct error why = { 0 };

	http_fail_transfer(&why, &x->http->site, x->transfer);
	/* It is an HTTP server, for it answered before. */
	if (x->http->spoken &&
	    (end == HTTP_END_LOST || end == HTTP_END_NO_HTTP))
		error_hint(&why, "whether the request was carried out is not "
				 "known");
	fail_unasked(x, &why);
}

/* The server does not let us fetch the rest of an answer. */
static void end_resumption(struct http_exchange *x, int status)
{
	struct http *h = x->http;
	struct error why = { 0 };

	if (http_exchange_redirect(x) ||
	    (http_may_pass(status) && http_stream_again(x, "an answer")))
		return;
	if (status)
		http_fail_status(&why, &h->site, x->transfer, &x->body);
	else
		http_fail_transfer(&why, &h->site, x->transfer);
	error_prefix(&why, "the answer was cut before the reply came, and "
			   "the rest cannot be fetched");
	error_hint(&why, "whether the request was carried out is not known");
	error_code(&why, ECONNRESET);
	fail_and_end(x, &why);
}

void http_post_done(struct http_exchange *x)
{
	const struct http_transfer *t = x->transfer;
	int status = t->status;
	bool broke = t->finished && t->outcome.end != HTTP_END_WELL;

	buf_consume(&x->body, text_mark(buf_string(&x->body), x->body.len));
	if (x->kind == HTTP_BODY_EVENTS)
		end_stream(x);
	else if (x->resuming)
		end_resumption(x, status);
	else if (broke && x->taken)
		http_exchange_end(x);
	else if (broke && (!status || is_ok(status)))
		end_without(x);
	else if (is_ok(status))
		end_ok(x);
	else
		end_refused(x, status);
}

void http_post_alarm(struct http_exchange *x)
{
	struct error why = { 0 };

	if (!x->transfer && x->resuming) {
		http_exchange_start(x);
	} else if (x->answered || x->taken || x->message.is_request) {
		http_exchange_end(x);
	} else {
		error_set(&why, ERR_TIMEOUT,
			  "'%s' did not answer to a notification",
			  x->http->site.host);
		fail_and_end(x, &why);
	}
}
