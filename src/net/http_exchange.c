/* SPDX-License-Identifier: MIT */
/*
 * The transport's requests: their list, their headers, and which part of the
 * transport looks at what comes back. Judges no answer.
 */
#include <string.h>

#include "base/mem.h"
#include "net/http_private.h"

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
	x->kind = HTTP_BODY_NONE;
}

/* Its memory goes later: somebody may stand in it. */
void http_exchange_end(struct http_exchange *x)
{
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
	mem_free(x->text);
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

static void on_data(void *owner, const char *data, size_t len)
{
	struct http_exchange *x = owner;
	struct http *h = x->http;

	http_enter(h);
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

static void add_headers(struct http_exchange *x, bool post)
{
	struct http *h = x->http;

	for (size_t i = 0; i < h->headers.count; i++)
		http_transfer_header(x->transfer, h->headers.item[i].name,
				     h->headers.item[i].value);
	add_ours(x, "User-Agent", "mcpctl/" MCPCTL_VERSION);
	if (post)
		add_ours(x, "Content-Type", "application/json");
	if (x->purpose != HTTP_DELETE)
		add_ours(x, "Accept",
			 post ? "application/json, text/event-stream" :
				"text/event-stream");
	/* None is known before initialize was answered, if only in part. */
	if (x->message.is_initialize && !x->resuming)
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
	x->waiting = x->heard = false;
	x->started = loop_now();
	if (x->purpose == HTTP_POST && !x->message.is_request)
		x->alarm = x->started + NOTE_MS;
	x->transfer = http_transfer_new(h->engine, &h->site, &line,
					&transfer_events, x);
	x->transfer->once = post && x->message.may_act;
	x->transfer->lasts = x->purpose == HTTP_LISTEN;
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
