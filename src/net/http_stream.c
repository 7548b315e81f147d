/* SPDX-License-Identifier: MIT */
/*
 * Streams that last: the GET stream for what the server says by itself, and
 * taking up a stream that ended too early (2025-11-25, resumability).
 */
#include "base/mem.h"
#include "base/text.h"
#include "net/http_private.h"

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
	http_notice(h, NOTICE_OTHER,
		    "there is no stream for what the server says by itself; "
		    "it can come along with answers only: %s",
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
		error_set(why, ERR_CONNECT, "'%s' ended it too often",
			  h->site.host);
	else if (is_forgotten(x))
		http_fail_session(why, &h->site);
	else if (x->transfer->status)
		http_fail_status(why, &h->site, x->transfer, &x->body);
	else
		http_fail_transfer(why, &h->site, x->transfer);
}

/* The session with it; a server that only has no stream for us is there. */
static bool is_gone(const struct http_exchange *x)
{
	const struct http_transfer *t = x->transfer;

	return t->outcome.end == HTTP_END_NO_CONNECTION || is_forgotten(x) ||
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
	} else if (http_exchange_redirect(x)) {
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
