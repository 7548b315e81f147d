/* SPDX-License-Identifier: MIT */
/*
 * The transport's requests and what is answered to them. What lasts is
 * http_stream.c's matter.
 */
#include "net/http_exchange.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/http_curl.h"
#include "net/http_failure.h"
#include "net/http_private.h"
#include "net/http_stream.h"
#include "net/http_token.h"
#include "net/http_transfer.h"
#include "net/http_url.h"
#include "wire/jsonrpc.h"
#include "wire/llm.h"

/*
 * As much of JSON-RPC as HTTP makes its transport see: is an answer due, and
 * is this the answer. On slices of text; builds no trees, checks nothing.
 */

#define NUMBER_MAX 63 /* characters, as in base/json.h */

static bool span_is(struct span s, const char *text)
{
	return s.len == strlen(text) && memcmp(s.text, text, s.len) == 0;
}

static struct span trimmed(const char *text, size_t len)
{
	struct span s = { text, 0 };

	s.len = text_trim(&s.text, len);
	return s;
}

static void take_id(struct http_message *out, struct span id)
{
	out->token = mem_strndup(id.text, id.len);
	out->has_id = !text_integer(out->token, -((int64_t)1 << 53),
				    (int64_t)1 << 53, &out->id);
}

static bool ends_with(struct span s, const char *text)
{
	size_t len = strlen(text);

	return s.len >= len && memcmp(s.text + s.len - len, text, len) == 0;
}

/* It only reads, or says what may be said again. */
static bool is_harmless(struct span method)
{
	static const char notes[] = "\"notifications/";
	static const char *const whole[] = { "\"initialize\"", "\"ping\"",
					     "\"server/discover\"",
					     "\"subscriptions/listen\"" };
	static const char *const ends[] = { "/list\"", "/read\"", "/get\"" };

	for (size_t i = 0; i < COUNT(whole); i++) {
		if (span_is(method, whole[i]))
			return true;
	}
	for (size_t i = 0; i < COUNT(ends); i++) {
		if (ends_with(method, ends[i]))
			return true;
	}
	return method.len > sizeof(notes) &&
	       memcmp(method.text, notes, sizeof(notes) - 1) == 0;
}

void http_message_look(struct http_message *out, const char *text, size_t len)
{
	struct span whole = trimmed(text, len), method, id, params, declared;

	*out = (struct http_message){ 0 };
	if (!whole.len || *whole.text == '[') {
		out->is_request = out->may_act = whole.len > 0;
		return;
	}
	if (!json_span_member(whole, "method", &method))
		return;
	out->may_act = !is_harmless(method);
	out->is_initialized = span_is(method, "\"notifications/initialized\"");
	if (!json_span_member(whole, "id", &id))
		return;
	out->is_request = true;
	out->is_initialize = span_is(method, "\"initialize\"");
	out->lasts = span_is(method, "\"subscriptions/listen\"");
	if (out->is_initialize && json_span_member(whole, "params", &params) &&
	    json_span_member(params, "capabilities", &declared))
		out->declares = !span_is(declared, "{}");
	take_id(out, id);
}

static void http_message_done(struct http_message *m)
{
	mem_free(m->token);
	*m = (struct http_message){ 0 };
}

static bool same_number(const struct http_message *m, struct span id)
{
	CLEANUP(json_free_ptr) cJSON *number = NULL;

	if (!m->has_id || id.len > NUMBER_MAX)
		return false;
	number = json_parse(id.text, id.len, NULL);
	return cJSON_IsNumber(number) && number->valuedouble == (double)m->id;
}

/* Some peers answer 7.0 or "7" to 7; the session takes that, too. */
static bool same_id(const struct http_message *m, struct span id)
{
	size_t len = strlen(m->token);

	if (span_is(id, m->token) || same_number(m, id))
		return true;
	return m->has_id && id.len == len + 2 && id.text[0] == '"' &&
	       memcmp(id.text + 1, m->token, len) == 0;
}

static bool answers(const struct http_message *m, struct span object)
{
	struct span id, part;

	if (!json_span_member(object, "result", &part) &&
	    !json_span_member(object, "error", &part))
		return false;
	return json_span_member(object, "id", &id) && same_id(m, id);
}

/* Whether JSON that came answers it: the same id with a result or an error. */
static bool http_message_answered(const struct http_message *m,
				  const char *text, size_t len)
{
	struct span whole = trimmed(text, len), item;
	size_t at = 0;

	if (!m->is_request || !whole.len)
		return false;
	if (!m->token) /* a batch: any answer will do */
		return *whole.text == '[' || *whole.text == '{';
	if (*whole.text == '{')
		return answers(m, whole);
	while (*whole.text == '[' && json_span_next(whole, &at, &item)) {
		if (answers(m, item))
			return true;
	}
	return false;
}

/* It has "jsonrpc", or is an array. */
static bool http_message_is_rpc(const char *text, size_t len)
{
	struct span whole = trimmed(text, len), version;

	return whole.len && (*whole.text == '[' ||
			     json_span_member(whole, "jsonrpc", &version));
}

/* To another request, or to none that is named. */
static bool http_message_replies(const char *text, size_t len)
{
	struct span whole = trimmed(text, len), outcome;

	return json_span_member(whole, "result", &outcome) ||
	       json_span_member(whole, "error", &outcome);
}

/* error.message, if it is an error; yours; NULL. */
static char *http_message_error(const char *text, size_t len)
{
	struct span whole = trimmed(text, len), error, message;

	if (json_check(text, len, NULL) ||
	    !json_span_member(whole, "error", &error))
		return NULL;
	if (error.len && *error.text == '"')
		return json_span_string(error);
	if (!json_span_member(error, "message", &message))
		return NULL;
	return json_span_string(message);
}

int64_t http_message_retry_after(const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(text, len, NULL);
	int64_t asked = llm_retry_after(json_object(tree, "error"));
	int64_t most = (int64_t)HTTP_RETRY_AFTER_MAX_S * 1000;

	return asked < most ? asked : most;
}

/*
 * The answers to messages of ours: JSON, an event stream, a status. Each ends
 * in a message, in a failure of that request, or in the older HTTP+SSE.
 */

#define ERROR_BODY_MAX ((size_t)64 * 1024)
#define GRACE_MS 2000 /* of a stream whose reply has come */
#define SESSION_ID_MAX 1024
#define SMALL_BODY_MAX 65535 /* of Espressif's mcp-c-sdk */

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
	error_set(
		&why, ERR_PROTOCOL,
		"the session id of '%s' cannot be sent back: it is not of visible ASCII, or above %d bytes",
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
		http_notice(
			h, NOTICE_OTHER,
			"'%s' forgot the session: it was started anew; what was subscribed to, and the log level, are to be set again",
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

/* The answers to messages of ours */
static void http_post_head(struct http_exchange *x)
{
	struct http *h = x->http;
	int status = x->transfer->status;
	const char *type = http_transfer_type(x->transfer);

	x->kind = HTTP_BODY_WHOLE;
	x->body.max = ERROR_BODY_MAX;
	if (!is_ok(status))
		return;
	/* Some begin to answer what they have not read yet. */
	if (http_transfer_is_sent(x->transfer))
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

/* A reply to none of ours, where this one's is awaited. */
static void keep_stray(struct http_exchange *x, const char *text, size_t len)
{
	const struct http_exchange *of = x->http->exchanges;

	if (!x->message.is_request || x->answered ||
	    !http_message_replies(text, len))
		return;
	while (of && !http_message_answered(&of->message, text, len))
		of = of->next;
	if (of)
		return;
	x->stray = true;
	buf_reset(&x->body);
	buf_add(&x->body, text, len);
}

static void http_post_event(struct http_exchange *x, const struct sse_event *e)
{
	if (!e->len || strcmp(e->type, "message") != 0)
		return;
	if (http_message_answered(&x->message, e->data, e->len) &&
	    !json_check(e->data, e->len, NULL)) {
		x->answered = true;
		/* The server should end the stream now. */
		x->alarm = loop_now() + GRACE_MS;
	}
	keep_stray(x, e->data, e->len);
	http_deliver(x->http, e->data, e->len);
}

static void http_post_too_large(struct http_exchange *x)
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
}

static bool is_reply(const struct http_exchange *x)
{
	const char *text = buf_string(&x->body);

	return x->message.is_request &&
	       http_message_answered(&x->message, text, x->body.len) &&
	       !json_check(text, x->body.len, NULL);
}

/*
 * One request a POST: an error that names no request is about this one. Its id
 * is put in. False: it is none.
 */
static bool name_error(struct http_exchange *x)
{
	struct span whole = trimmed(buf_string(&x->body), x->body.len), error,
		    id;
	struct buf named = { 0 };

	if (!x->alone || !x->message.token ||
	    json_check(whole.text, whole.len, NULL) ||
	    !json_span_member(whole, "error", &error) ||
	    !json_span_begins(error, '{') ||
	    (json_span_member(whole, "id", &id) && !span_is(id, "null")))
		return false;
	buf_printf(&named, "{\"jsonrpc\":\"2.0\",\"id\":%s,\"error\":%.*s}",
		   x->message.token, (int)error.len, error.text);
	named.max = x->body.max;
	buf_done(&x->body);
	x->body = named;
	return true;
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

	error_set(
		&why, ERR_PROTOCOL,
		"'%s' answered with something that is no reply to the request%s%.200s",
		x->http->site.host, said ? ": " : "", said ? said : "");
	error_detail(&why, text, x->body.len);
	error_finding(&why,
		      x->stray || http_message_replies(text, x->body.len) ?
			      "D116" :
			      "D143");
	fail_and_end(x, &why);
}

static void end_ok(struct http_exchange *x)
{
	struct http *h = x->http;
	const char *text = buf_string(&x->body);
	bool json = x->body.len && !json_check(text, x->body.len, NULL);
	bool rpc = json && http_message_is_rpc(text, x->body.len);
	struct error why = { 0 };

	if (is_reply(x) || name_error(x) ||
	    (rpc && (h->old || !x->message.is_request))) {
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

static bool is_broken(const struct http_exchange *x)
{
	const struct http_transfer *t = x->transfer;

	return t->finished && t->outcome.what != WHY_NONE;
}

static void fail_stream(struct http_exchange *x)
{
	const char *how = sse_is_amid(&x->sse) ?
				  "was cut in the middle of an event" :
			  is_broken(x) ? "was cut" :
					 "ended";
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT,
		  "the answer of '%s' %s before the reply came",
		  x->http->site.host, how);
	error_hint(&why, "whether the request was carried out is not known");
	error_code(&why, ECONNRESET);
	error_finding(&why, "P714");
	fail_and_end(x, &why);
}

static void fail_no_stream(struct http_exchange *x)
{
	struct error why = { 0 };

	error_set(&why, ERR_PROTOCOL,
		  "'%s' sent JSON as text/event-stream, and no event",
		  x->http->site.host);
	error_hint(
		&why,
		"the server must name it application/json, or send it behind 'data: '");
	fail_and_end(x, &why);
}

static void end_stream(struct http_exchange *x)
{
	bool whole = !sse_is_amid(&x->sse) && !is_broken(x);

	if (!x->message.is_request || x->answered || x->http->old) {
		http_exchange_end(x);
		return;
	}
	/* What stands alone cannot be taken up again. */
	if (!x->alone && http_stream_again(x, "an answer"))
		return;
	if (x->stray && whole)
		fail_other_reply(x);
	else if (sse_is_json(&x->sse))
		fail_no_stream(x);
	else
		fail_stream(x);
}

/* ---- a status that is none of success ---- */

/* Its code is one of the LLM service's, and it says no less than the head does. */
static bool is_llm_error(const struct http_exchange *x)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(buf_string(&x->body), x->body.len, NULL);
	const cJSON *error = json_object(tree, "error");
	int64_t code;

	return !json_integer(error, "code", &code) && code == (int)code &&
	       llm_is_code((int)code) &&
	       (!http_transfer_retry_after(x->transfer) ||
		llm_retry_after(error) > 0);
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

/* Of two requests with one session, the second may hear of its end later. */
static bool has_another(const struct http_exchange *x)
{
	const char *sent = headers_get(&x->transfer->headers, "Mcp-Session-Id");
	const char *now = x->http->session_id;

	return sent && now && strcmp(sent, now) != 0;
}

static void forget_session(struct http *h)
{
	struct http_exchange *stream = http_exchange_find(h, HTTP_LISTEN);

	mem_free(TAKE(h->session_id));
	mem_free(TAKE(h->revision));
	h->forgotten = true;
	if (stream)
		http_exchange_end(stream);
}

static void lose_session(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };

	if (!has_another(x))
		forget_session(h);
	http_fail_as(&why, &h->site, WHY_SESSION_FORGOTTEN, 404);
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

	http_notice(
		h, NOTICE_DETAIL,
		"initialize was answered with HTTP %d: trying the older HTTP+SSE",
		x->transfer->status);
	http_fail_status(&h->first, &h->site, x->transfer, &x->body);
	http_exchange_stop(x);
	x->waiting = true;
	http_old_open(h);
}

/* It closes with the body unread, and what it said may be lost (espressif.md 3). */
static void hint_at_size(const struct http_exchange *x, struct error *why)
{
	if (x->len > SMALL_BODY_MAX)
		error_hint(
			why,
			"the request has %zu bytes: boards with Espressif's mcp-c-sdk take none above %d",
			x->len, SMALL_BODY_MAX);
}

static void end_refused(struct http_exchange *x, int status)
{
	struct http *h = x->http;
	struct error why = { 0 };

	if (http_exchange_redirect(x) || http_token_refused(x))
		return;
	if (status == 404 && x->with_session && x->message.is_request) {
		lose_session(x);
	} else if ((is_reply(x) || name_error(x)) && is_of_server(x, status)) {
		deliver_body(x);
	} else if (may_be_old(x, status)) {
		try_old(x);
	} else {
		if (status == 404 && x->with_session)
			http_fail_as(&why, &h->site, WHY_SESSION_FORGOTTEN,
				     404);
		else if (status == 404 && h->revision)
			http_fail_as(&why, &h->site, WHY_SERVER_GONE, 404);
		else if (status == 404 && h->old && h->post_url)
			http_fail_endpoint(&why, h);
		else
			http_fail_status(&why, &h->site, x->transfer, &x->body);
		if (status == 400)
			hint_at_size(x, &why);
		if (x->hint)
			error_hint(&why, "%s", x->hint);
		fail_unasked(x, &why);
	}
}

static void end_without(struct http_exchange *x)
{
	enum why what = x->transfer->outcome.what;
	struct error why = { 0 };

	http_fail_transfer(&why, &x->http->site, x->transfer);
	/* It is an HTTP server, for it answered before. */
	if (x->http->spoken && (what == WHY_CLOSED || what == WHY_FOREIGN))
		error_hint(&why,
			   "whether the request was carried out is not known");
	if (what == WHY_CLOSED)
		hint_at_size(x, &why);
	fail_unasked(x, &why);
}

/* The server does not let us fetch the rest of an answer. */
static void end_resumption(struct http_exchange *x, int status)
{
	struct http *h = x->http;
	struct error why = { 0 };

	if (http_exchange_redirect(x) || http_token_refused(x) ||
	    (http_may_pass(status) && http_stream_again(x, "an answer")))
		return;
	if (status)
		http_fail_status(&why, &h->site, x->transfer, &x->body);
	else
		http_fail_transfer(&why, &h->site, x->transfer);
	error_prefix(
		&why,
		"the answer was cut before the reply came, and the rest cannot be fetched");
	error_hint(&why, "whether the request was carried out is not known");
	error_code(&why, ECONNRESET);
	fail_and_end(x, &why);
}

static void http_post_done(struct http_exchange *x)
{
	int status = x->transfer->status;
	bool broke = is_broken(x);

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

/*
 * The transport's requests: their list, their headers, and which part of the
 * transport looks at what comes back. Judges no answer.
 */

#define REDIRECTS_MAX 3
#define NOTE_MS 5000 /* for what nobody waits for */
#define HOUR_MS 3600000

/* ---- the list ---- */

struct http_exchange *http_exchange_new(struct http *h,
					enum http_purpose purpose)
{
	struct http_exchange *x = mem_zalloc(sizeof(*x)), **at = &h->exchanges;

	x->http = h;
	x->purpose = purpose;
	x->alarm = LOOP_FOREVER;
	x->sse.max = h->message_max;
	while (*at)
		at = &(*at)->next;
	*at = x;
	return x;
}

void http_exchange_stop(struct http_exchange *x)
{
	http_transfer_free(TAKE(x->transfer));
	buf_done(&x->body);
	x->stray = false;
	x->kind = HTTP_BODY_NONE;
}

/* Its memory goes later: somebody may stand in it. */
void http_exchange_end(struct http_exchange *x)
{
	http_token_forget(x);
	http_transfer_free(TAKE(x->transfer));
	x->alarm = LOOP_FOREVER;
	x->waiting = false;
	x->dead = true;
}

static void exchange_free(struct http_exchange *x)
{
	buf_done(&x->body);
	sse_done(&x->sse);
	http_message_done(&x->message);
	headers_done(&x->extra);
	mem_free(x->text);
	http_token_done(x);
	mem_free(x);
}

void http_exchange_sweep(struct http *h)
{
	struct http_exchange **at = &h->exchanges;

	while (*at) {
		struct http_exchange *x = *at;

		if (x->dead) {
			*at = x->next;
			exchange_free(x);
		} else {
			at = &x->next;
		}
	}
}

struct http_exchange *http_exchange_find(const struct http *h,
					 enum http_purpose purpose)
{
	struct http_exchange *x = h->exchanges;

	while (x && (x->dead || x->taken || x->purpose != purpose))
		x = x->next;
	return x;
}

bool http_awaits_reply(const struct http *h)
{
	const struct http_exchange *x = h->exchanges;

	while (x && (x->dead || x->answered || !x->message.is_request))
		x = x->next;
	return x;
}

/* ---- what comes back ---- */

static void note_version(const struct http_exchange *x)
{
	if (x->transfer->status && !x->http->old)
		x->http->spoken = x->transfer->version;
}

/* Each of them sets kind, or ends the exchange. */
static void look_at_head(struct http_exchange *x)
{
	if (x->kind != HTTP_BODY_NONE)
		return;
	note_version(x);
	x->kind = HTTP_BODY_DROPPED;
	switch (x->purpose) {
	case HTTP_POST:
		http_post_head(x);
		break;
	case HTTP_LISTEN:
		http_listen_head(x);
		break;
	case HTTP_OLD:
		http_old_head(x);
		break;
	case HTTP_DELETE:
		break;
	}
}

static void on_event(void *owner, const struct sse_event *e)
{
	struct http_exchange *x = owner;

	if (x->dead || x->http->closing)
		return;
	x->heard = true;
	if (x->purpose == HTTP_OLD)
		http_old_event(x, e);
	else if (x->purpose == HTTP_POST)
		http_post_event(x, e);
	else if (e->len && strcmp(e->type, "message") == 0)
		http_deliver(x->http, e->data, e->len);
}

static void on_retry(void *owner, int64_t ms)
{
	struct http_exchange *x = owner;

	x->retry = ms < HOUR_MS ? ms : HOUR_MS;
}

static void on_too_long(void *owner)
{
	struct http_exchange *x = owner;

	if (!x->dead && !x->http->closing)
		http_post_too_large(x);
}

static const struct sse_events stream_events = {
	.event = on_event,
	.retry = on_retry,
	.too_long = on_too_long,
};

static void look_at_end(struct http_exchange *x)
{
	switch (x->purpose) {
	case HTTP_POST:
		http_post_done(x);
		break;
	case HTTP_LISTEN:
		http_listen_done(x);
		break;
	case HTTP_OLD:
		http_old_done(x);
		break;
	case HTTP_DELETE:
		http_exchange_end(x);
		break;
	}
}

/*
 * Its refusal is the last word, and ends it: told stands in place of what the
 * server said; NULL: that.
 */
static void end_for_good(struct http_exchange *x, const struct error *told)
{
	struct error why = { 0 };

	if (told && x->purpose != HTTP_LISTEN) {
		error_copy(&why, told);
		if (x->purpose == HTTP_OLD)
			http_old_fail(x, &why);
		else
			fail_unasked(x, &why);
		return;
	}
	x->as_it_is = true;
	/* That stream is looked at by its head, and was told of as refused. */
	x->kind = x->purpose == HTTP_LISTEN ? HTTP_BODY_NONE : x->kind;
	if (x->purpose == HTTP_LISTEN)
		look_at_head(x);
	else
		look_at_end(x);
}

void http_exchange_judged(void *arg, enum bearer_verdict verdict,
			  const struct error *why)
{
	struct http_exchange *x = arg;
	struct http *h = x->http;

	http_enter(h);
	http_token_told(x, verdict, why);
	if (verdict == BEARER_AGAIN || !x->transfer)
		http_exchange_start(x);
	else
		end_for_good(x, verdict == BEARER_FAILED ? why : NULL);
	http_leave(h);
}

static void keep_body(struct http_exchange *x, const char *data, size_t len)
{
	size_t room = x->body.max - x->body.len;

	buf_add(&x->body, data, len < room ? len : room);
	if (len <= room)
		return;
	/* An error's first words will do; an answer must be whole. */
	if (x->purpose == HTTP_POST && x->body.max == x->http->message_max)
		http_post_too_large(x);
	else
		look_at_end(x);
}

/* For http_lingers: what only reads makes nobody log. */
static void note_heard(const struct http_exchange *x)
{
	const struct http_message *m = &x->message;
	struct http *h = x->http;

	if (x->purpose == HTTP_POST   ? m->is_request && m->may_act :
	    x->purpose == HTTP_LISTEN ? h->last_heard > 0 :
					false)
		h->last_heard = loop_now();
}

static void on_data(void *owner, const char *data, size_t len)
{
	struct http_exchange *x = owner;
	struct http *h = x->http;

	/* What it is refused with: a stream's first words do not matter. */
	if (x->parked)
		return;
	http_enter(h);
	note_heard(x);
	look_at_head(x);
	if (!x->dead && x->kind == HTTP_BODY_EVENTS)
		sse_feed(&x->sse, data, len, &stream_events, x);
	else if (!x->dead && x->kind == HTTP_BODY_WHOLE)
		keep_body(x, data, len);
	http_leave(h);
}

/*
 * A stream may stand for long before its first byte, and what is no request is
 * taken by the head alone; others say all at once.
 */
static bool head_counts(const struct http_exchange *x)
{
	return x->purpose == HTTP_LISTEN ||
	       (x->purpose == HTTP_POST && !x->message.is_request);
}

static void on_head(void *owner)
{
	struct http_exchange *x = owner;
	struct http *h = x->http;

	http_enter(h);
	if (head_counts(x))
		look_at_head(x);
	http_leave(h);
}

static void on_done(void *owner)
{
	struct http_exchange *x = owner;
	struct http *h = x->http;

	if (x->parked)
		return;
	http_enter(h);
	look_at_head(x);
	/* Started anew, it has no body of a kind yet. */
	if (!x->dead && x->kind != HTTP_BODY_NONE)
		look_at_end(x);
	http_leave(h);
}

static const struct http_transfer_events transfer_events = {
	.head = on_head,
	.data = on_data,
	.done = on_done,
};

/* ---- what goes out ---- */

/* The user's own header stands instead of ours. */
static void add_ours(const struct http_exchange *x, const char *name,
		     const char *value)
{
	if (!headers_get(&x->http->headers, name))
		http_transfer_header(x->transfer, name, value);
}

/* What must be as the message has it is not the user's to say. */
static void add_users(const struct http_exchange *x)
{
	const struct headers *users = &x->http->headers;

	for (size_t i = 0; i < x->extra.count; i++)
		http_transfer_header(x->transfer, x->extra.item[i].name,
				     x->extra.item[i].value);
	for (size_t i = 0; i < users->count; i++) {
		if (!headers_get(&x->extra, users->item[i].name))
			http_transfer_header(x->transfer, users->item[i].name,
					     users->item[i].value);
	}
}

static void add_headers(struct http_exchange *x, bool post)
{
	struct http *h = x->http;

	add_users(x);
	http_token_add(x);
	add_ours(x, "User-Agent", "mcpctl/" MCPCTL_VERSION);
	if (post)
		add_ours(x, "Content-Type", "application/json");
	if (x->purpose != HTTP_DELETE)
		add_ours(x, "Accept",
			 post ? "application/json, text/event-stream" :
				"text/event-stream");
	/* None is known before initialize was answered, if only in part. */
	if ((x->message.is_initialize && !x->resuming) || x->alone)
		return;
	x->with_session = h->session_id && !h->old;
	if (x->with_session)
		http_transfer_header(x->transfer, "Mcp-Session-Id",
				     h->session_id);
	if (h->revision && x->purpose != HTTP_OLD)
		add_ours(x, "MCP-Protocol-Version", h->revision);
	if (!post && x->sse.id.len)
		http_transfer_header(x->transfer, "Last-Event-ID",
				     x->sse.id.data);
}

void http_exchange_start(struct http_exchange *x)
{
	struct http *h = x->http;
	bool post = x->purpose == HTTP_POST && !x->resuming;
	const struct http_request_line line = {
		.url = post && h->old ? h->post_url : h->site.url,
		.method = x->purpose == HTTP_DELETE ? "DELETE" : NULL,
		.body = post ? x->text : NULL,
		.len = x->len,
	};

	http_exchange_stop(x);
	sse_restart(&x->sse);
	x->waiting = x->heard = x->as_it_is = false;
	if (http_token_renewed(x))
		return;
	x->started = loop_now();
	if (x->purpose == HTTP_POST && !x->message.is_request)
		x->alarm = x->started + NOTE_MS;
	x->transfer = http_transfer_new(h->engine, &h->site, &line,
					&transfer_events, x);
	x->transfer->once = post && x->message.may_act;
	x->transfer->lasts = x->purpose == HTTP_LISTEN || x->message.lasts;
	/* Behind initialize another message follows at once. */
	x->transfer->parts = post && h->waits && !x->message.is_initialize;
	add_headers(x, post);
	http_transfer_start(x->transfer);
}

/* Which method a redirection keeps: RFC 9110, 15.4. */
static bool may_follow(const struct http_exchange *x, int status)
{
	if (status == 307 || status == 308)
		return true;
	return (x->purpose != HTTP_POST || x->resuming) &&
	       (status == 301 || status == 302 || status == 303);
}

bool http_exchange_redirect(struct http_exchange *x)
{
	struct http *h = x->http;
	CLEANUP(mem_free_ptr) char *url = http_transfer_location(x->transfer);

	if (!may_follow(x, x->transfer->status))
		return false;
	if (!url || x->redirects++ == REDIRECTS_MAX ||
	    !http_url_same_origin(h->site.url, url))
		return false;
	/* For all that follows, too: once is enough. */
	if (x->purpose == HTTP_POST && h->old) {
		mem_free(h->post_url);
		h->post_url = TAKE(url);
	} else {
		CLEANUP(mem_free_ptr) char *path = http_url_path(url);

		http_notice(h, NOTICE_DETAIL, "the server redirects to '%s'",
			    path);
		mem_free(h->site.url);
		h->site.url = TAKE(url);
	}
	http_exchange_start(x);
	return true;
}
