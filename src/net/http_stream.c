/* SPDX-License-Identifier: MIT */
/* What lasts: the GET stream, and the older HTTP+SSE. */
#include "net/http_stream.h"

#include <errno.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/http_exchange.h"
#include "net/http_failure.h"
#include "net/http_private.h"
#include "net/http_token.h"
#include "net/http_url.h"

/*
 * Streams that last: the GET stream for what the server says by itself, and
 * taking up a stream that ended too early (2025-11-25, resumability).
 */

#define RETRY_MS 1000 /* where the server does not say */
#define RETRY_LEAST_MS 100
#define RETRY_MOST_MS 30000
#define FAILURES_MAX 5
#define LASTING_MS 20000 /* a stream that stood for so long was a good one */

static int64_t next_wait(const struct http_exchange *x)
{
	int64_t least = x->retry ? x->retry : RETRY_MS, wait = least;

	for (unsigned i = 0; i < x->failures && wait < RETRY_MOST_MS; i++)
		wait *= 2;
	if (wait > RETRY_MOST_MS)
		wait = RETRY_MOST_MS;
	/* The server's word counts (MUST), however long it is. */
	if (wait < least)
		wait = least;
	return wait > RETRY_LEAST_MS ? wait : RETRY_LEAST_MS;
}

bool http_may_pass(int status)
{
	return status == 0 || status == 408 || status == 429 || status >= 500;
}

bool http_stream_again(struct http_exchange *x, const char *what)
{
	char time[32];
	int64_t wait;

	if (x->purpose == HTTP_POST && !x->sse.id.len)
		return false;
	if (x->heard || loop_now() - x->started >= LASTING_MS)
		x->failures = 0;
	else if (++x->failures >= FAILURES_MAX)
		return false;
	wait = next_wait(x);
	http_exchange_stop(x);
	x->resuming = x->purpose == HTTP_POST;
	x->alarm = loop_now() + wait;
	http_notice(x->http, NOTICE_DETAIL,
		    "the stream of %s ended; it is taken up again in %s", what,
		    text_milliseconds(wait, time, sizeof(time)));
	return true;
}

void http_listen(struct http *h)
{
	if (h->unlistened || h->old || http_exchange_find(h, HTTP_LISTEN))
		return;
	http_exchange_start(http_exchange_new(h, HTTP_LISTEN));
}

void http_tell_unheard(struct http *h)
{
	if (!h->unheard || !h->watched)
		return;
	http_notice(
		h, NOTICE_OTHER,
		"there is no stream for what the server says by itself; it can come along with answers only: %s",
		h->unheard);
	mem_free(TAKE(h->unheard));
}

/* The session lives on: who does not wait for such messages need not know. */
static void go_without(struct http_exchange *x, const char *why)
{
	struct http *h = x->http;

	h->unlistened = true;
	mem_free(h->unheard);
	h->unheard = mem_strdup(why);
	http_exchange_end(x);
	if (!h->watched)
		http_notice(h, NOTICE_DETAIL,
			    "no stream for what the server says by itself: %s",
			    why);
	http_tell_unheard(h);
}

/* Of a server without a stream it says nothing about the session. */
static bool is_forgotten(const struct http_exchange *x)
{
	return x->transfer->status == 404 && x->with_session && x->stood;
}

static void explain(const struct http_exchange *x, struct error *why)
{
	const struct http *h = x->http;

	if (x->kind == HTTP_BODY_EVENTS)
		http_fail_as(why, &h->site, WHY_STREAM_OFTEN, 0);
	else if (is_forgotten(x))
		http_fail_as(why, &h->site, WHY_SESSION_FORGOTTEN, 404);
	else if (x->transfer->status)
		http_fail_status(why, &h->site, x->transfer, &x->body);
	else
		http_fail_transfer(why, &h->site, x->transfer);
}

/* The session with it; a server that only has no stream for us is there. */
static bool is_gone(const struct http_exchange *x)
{
	const struct http_transfer *t = x->transfer;

	return t->outcome.what == WHY_NO_CONNECTION || is_forgotten(x) ||
	       (x->stood && http_may_pass(t->status));
}

static void give_up(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };
	bool gone = is_gone(x);

	explain(x, &why);
	if (gone && !http_awaits_reply(h)) {
		http_lost(h, &why);
	} else {
		/* What was there and went is news to everybody. */
		h->watched |= gone;
		go_without(x, why.text);
	}
	error_reset(&why);
}

static void again(struct http_exchange *x)
{
	if (!http_stream_again(x, "what the server says by itself"))
		give_up(x);
}

/* A request that is under way finds out, as a rule, and starts over. */
static bool may_come_again(const struct http_exchange *x)
{
	return http_may_pass(x->transfer->status) ||
	       (is_forgotten(x) && http_awaits_reply(x->http));
}

void http_listen_head(struct http_exchange *x)
{
	if (x->transfer->status == 200 && http_is_stream(x->transfer)) {
		x->kind = HTTP_BODY_EVENTS;
		x->stood = true;
	} else if (http_exchange_redirect(x) || http_token_refused(x)) {
		return;
	} else if (may_come_again(x)) {
		again(x);
	} else {
		give_up(x);
	}
}

void http_listen_done(struct http_exchange *x)
{
	again(x);
}

/*
 * HTTP+SSE of 2024-11-05: one GET stream, whose first event tells where
 * messages are to be posted, and on which all answers come. The stream is the
 * session: when it ends, the connection is lost.
 */

#define ERROR_BODY_MAX ((size_t)64 * 1024)
#define ENDPOINT_MS 5000

void http_old_open(struct http *h)
{
	struct http_exchange *x = http_exchange_new(h, HTTP_OLD);
	int64_t wait = h->site.connect_timeout;

	h->old = true;
	x->alarm = loop_now() + wait + ENDPOINT_MS;
	http_exchange_start(x);
}

/* Both tries are told of: which of them should have worked is not known. */
static void both(struct error *why, const struct error *first)
{
	enum error_kind kind = why->kind == ERR_AUTH ? ERR_AUTH : first->kind;

	/* Both were refused for the same reason. */
	if (why->reason == first->reason && why->code == first->code) {
		error_copy(why, first);
		return;
	}
	error_set(why, kind, "%.230s; and for HTTP+SSE: %.230s", first->text,
		  why->text);
	error_hint(why, "check the path of the target (often /mcp or /sse)");
	error_code(why, first->code);
}

void http_old_fail(struct http_exchange *x, struct error *why)
{
	struct http *h = x->http;

	http_exchange_end(x);
	h->old = h->forced;
	if (h->first.kind != ERR_NONE)
		both(why, &h->first);
	error_reset(&h->first);
	for (struct http_exchange *i = h->exchanges; i; i = i->next) {
		if (i->dead || !i->waiting)
			continue;
		http_exchange_end(i);
		http_fail(i, why);
	}
	error_reset(why);
}

void http_old_head(struct http_exchange *x)
{
	int status = x->transfer->status;

	if (status == 200 && http_is_stream(x->transfer)) {
		x->kind = HTTP_BODY_EVENTS;
		x->http->spoken = "HTTP+SSE";
		x->alarm = loop_now() + ENDPOINT_MS;
		return;
	}
	x->kind = HTTP_BODY_WHOLE;
	x->body.max = ERROR_BODY_MAX;
}

static void take_endpoint(struct http_exchange *x, const char *text)
{
	struct http *h = x->http;
	struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *url = http_url_join(h->site.url, text);

	if (url && http_url_same_origin(h->site.url, url)) {
		h->post_url = TAKE(url);
		x->alarm = LOOP_FOREVER;
		error_reset(&h->first);
		return;
	}
	if (url) {
		CLEANUP(mem_free_ptr) char *shown = http_url_show(url);

		error_set(&why, ERR_PROTOCOL,
			  "'%s' wants messages sent to another origin, '%s'",
			  h->site.host, shown);
		error_hint(
			&why,
			"credentials must not go there; if you trust it, make it the target");
	} else {
		error_set(
			&why, ERR_PROTOCOL,
			"'%s' wants messages sent to '%.100s', which is no URL",
			h->site.host, text);
	}
	http_old_fail(x, &why);
}

void http_old_event(struct http_exchange *x, const struct sse_event *e)
{
	struct http *h = x->http;

	if (strcmp(e->type, "endpoint") == 0) {
		if (!h->post_url)
			take_endpoint(x, e->data);
	} else if (e->len && strcmp(e->type, "message") == 0) {
		http_deliver(h, e->data, e->len);
	}
}

static void lose(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "'%s' ended the event stream%s",
		  h->site.host,
		  sse_is_amid(&x->sse) ? " in the middle of an event" : "");
	error_hint(&why, "the session ends with it: connect again");
	error_code(&why, ECONNRESET);
	http_lost(h, &why);
	error_reset(&why);
}

void http_old_done(struct http_exchange *x)
{
	struct http *h = x->http;
	const struct http_transfer *t = x->transfer;
	int status = t->status;
	struct error why = { 0 };

	if (h->post_url) {
		lose(x);
		return;
	}
	if (status >= 300 &&
	    (http_exchange_redirect(x) || http_token_refused(x)))
		return;
	if (x->kind == HTTP_BODY_EVENTS)
		http_fail_as(&why, &h->site, WHY_NO_ENDPOINT, 0);
	else if (t->finished && t->outcome.what != WHY_NONE && status < 300)
		http_fail_transfer(&why, &h->site, t);
	else if (status < 200 || status >= 300)
		http_fail_status(&why, &h->site, t, &x->body);
	else
		http_fail_body(&why, &h->site, t, &x->body);
	if (x->hint)
		error_hint(&why, "%s", x->hint);
	http_old_fail(x, &why);
}

void http_old_alarm(struct http_exchange *x)
{
	struct http *h = x->http;
	struct error why = { 0 };

	http_fail_as(&why, &h->site, WHY_ENDPOINT_SILENT, 0);
	http_old_fail(x, &why);
}
