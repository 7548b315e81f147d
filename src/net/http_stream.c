/* SPDX-License-Identifier: MIT */
/*
 * Streams that last: the GET stream for what the server says by itself, and
 * taking up a stream that ended too early (2025-11-25, resumability).
 */
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

/* 405 says that there is no such stream, and is not worth a word. */
static void give_up(struct http_exchange *x, const char *why)
{
	struct http *h = x->http;

	h->unlistened = true;
	http_exchange_end(x);
	if (why)
		http_notice(h, NOTICE_DETAIL,
			    "no stream for what the server says by itself: %s",
			    why);
}

static void again(struct http_exchange *x)
{
	if (!http_stream_again(x, "what the server says by itself"))
		give_up(x, "it broke too often");
}

void http_listen_head(struct http_exchange *x)
{
	int status = x->transfer->status;
	char words[32];

	if (status == 200 && http_is_stream(x->transfer)) {
		x->kind = HTTP_BODY_EVENTS;
	} else if (http_exchange_redirect(x)) {
		return;
	} else if (http_may_pass(status)) {
		again(x);
	} else if (status == 404 && x->with_session) {
		/* The next request finds out as well, and starts over. */
		http_exchange_end(x);
	} else {
		snprintf(words, sizeof(words), "HTTP %d", status);
		give_up(x, status == 405 ? NULL : words);
	}
}

void http_listen_done(struct http_exchange *x)
{
	again(x);
}
