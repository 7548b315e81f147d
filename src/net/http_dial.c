/* SPDX-License-Identifier: MIT */
/*
 * http:, https:, sse+http:, sse+https: as a transport: opened, sent through,
 * closed. What is answered is looked at in http_post.c, http_stream.c and
 * http_old.c.
 */
#include <assert.h>

#include "base/mem.h"
#include "net/address.h"
#include "net/http_private.h"

#define CLOSE_MS 500
#define HOLD_MS 2000 /* for the head of the GET stream */

/* ---- events ---- */

void http_notice(struct http *h, enum notice_kind kind, const char *format, ...)
{
	const struct transport *t = h->transport;
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	const struct notice n = { .kind = kind, .text = text };

	if (t->events->notice && !h->closing)
		t->events->notice(t->owner, &n);
}

void http_deliver(struct http *h, const char *text, size_t len)
{
	const struct transport *t = h->transport;

	if (!h->closing)
		t->events->message(t->owner, FRAME_TEXT, text, len);
}

void http_fail(const struct http_exchange *x, const struct error *why)
{
	const struct http *h = x->http;
	const struct transport *t = h->transport;
	bool known = x->message.is_request && x->message.has_id;

	if (!h->closing)
		t->events->failed(t->owner, known ? x->message.id : 0, why);
}

static void tell_ready(struct http *h)
{
	const struct transport *t = h->transport;
	CLEANUP(buf_done) struct buf address = { 0 };
	CLEANUP(mem_free_ptr) char *path = http_url_path(h->site.url);
	struct peer_info info = { .path = path };

	authority_print(&address, h->site.host, h->site.port);
	info.address = buf_string(&address);
	h->ready = true;
	if (h->site.insecure)
		http_notice(h, NOTICE_INSECURE,
			    "the certificate of '%s' is not verified "
			    "(--insecure)",
			    h->site.host);
	if (!h->closing)
		t->events->ready(t->owner, &info);
}

/* ---- the end ---- */

static void http_free(struct http *h)
{
	for (struct http_exchange *x = h->exchanges; x; x = x->next)
		http_exchange_end(x);
	http_exchange_sweep(h);
	if (h->engine)
		http_engine_release(h->engine);
	http_site_done(&h->site);
	headers_done(&h->headers);
	error_reset(&h->first);
	mem_free(h->session_id);
	mem_free(h->revision);
	mem_free(h->post_url);
	mem_free(h->unheard);
	mem_free(h);
}

static void on_closed(void *owner)
{
	struct http *h = owner;
	struct transport *t = h->transport;
	struct error why = h->why;

	assert(!h->inside);
	http_free(h);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

static void finish(struct http *h)
{
	if (h->ended)
		return;
	h->ended = true;
	timer_close(&h->timer, on_closed);
}

/* What is on its way and short may arrive: a cancellation, then DELETE. */
static void settle_closing(struct http *h)
{
	int64_t left = h->close_deadline - loop_now();
	bool busy = http_exchange_find(h, HTTP_POST) ||
		    http_exchange_find(h, HTTP_DELETE);

	if (left > 0 && !busy && h->session_id && !h->old && !h->deleting) {
		h->deleting = true;
		http_exchange_start(http_exchange_new(h, HTTP_DELETE));
		busy = true;
	}
	if (left > 0 && busy)
		timer_start(&h->timer, left);
	else
		finish(h);
}

static bool may_arrive(const struct http_exchange *x)
{
	return x->purpose == HTTP_POST && !x->message.is_request && x->transfer;
}

static void begin_closing(struct http *h)
{
	h->closing = true;
	h->close_deadline = loop_now() + CLOSE_MS;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!may_arrive(x))
			http_exchange_end(x);
	}
}

void http_lost(struct http *h, const struct error *why)
{
	error_copy(&h->why, why);
	begin_closing(h);
	h->close_deadline = 0;
}

/* ---- the clock, and what waits ---- */

/*
 * Some servers take nothing before they took notifications/initialized, and
 * two connections have no order.
 */
static bool is_in_the_way(const struct http_exchange *x)
{
	return !x->dead && !x->waiting && !x->taken &&
	       x->purpose == HTTP_POST && x->message.is_initialized;
}

/*
 * A server that asks while the GET stream is not there yet asks nobody, and
 * its call hangs: where it may ask, the stream comes first.
 */
static void listen_now(struct http *h)
{
	h->listen_due = false;
	h->hold_until = h->declared ? loop_now() + HOLD_MS : 0;
	http_listen(h);
}

static bool is_held(const struct http *h)
{
	const struct http_exchange *x = http_exchange_find(h, HTTP_LISTEN);

	return loop_now() < h->hold_until && x && x->transfer &&
	       x->kind == HTTP_BODY_NONE;
}

static void send_waiting(struct http *h)
{
	if (is_held(h))
		return;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (x->waiting && h->old && !h->post_url)
			return;
		if (x->waiting)
			http_exchange_start(x);
		if (is_in_the_way(x))
			return;
	}
}

static int64_t next_alarm(const struct http *h)
{
	int64_t next = h->ready ? LOOP_FOREVER : 0;

	if (h->ready && is_held(h))
		next = h->hold_until;
	for (const struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && x->alarm < next)
			next = x->alarm;
	}
	return next;
}

static void settle(struct http *h)
{
	int64_t next;

	if (h->inside || h->ended)
		return;
	http_exchange_sweep(h);
	if (h->closing) {
		settle_closing(h);
		return;
	}
	if (h->listen_due && h->declared)
		listen_now(h);
	send_waiting(h);
	/* Behind what waited: somebody waits for that. */
	if (h->listen_due)
		listen_now(h);
	next = next_alarm(h);
	if (next == LOOP_FOREVER)
		timer_stop(&h->timer);
	else
		timer_start(&h->timer, next - loop_now());
}

void http_enter(struct http *h)
{
	h->inside++;
}

void http_leave(struct http *h)
{
	h->inside--;
	settle(h);
}

static void on_alarm(struct http_exchange *x)
{
	x->alarm = LOOP_FOREVER;
	switch (x->purpose) {
	case HTTP_POST:
		http_post_alarm(x);
		break;
	case HTTP_OLD:
		http_old_alarm(x);
		break;
	case HTTP_LISTEN:
		http_exchange_start(x);
		break;
	case HTTP_DELETE:
		break;
	}
}

static void on_timer(void *owner)
{
	struct http *h = owner;
	int64_t now = loop_now();

	http_enter(h);
	if (!h->ready && !h->closing)
		tell_ready(h);
	http_tell_unheard(h);
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && !h->closing && x->alarm <= now)
			on_alarm(x);
	}
	http_leave(h);
}

/* ---- opening ---- */

static int http_open(struct transport *t, const struct endpoint *to,
		     struct error *err)
{
	struct http *h = mem_zalloc(sizeof(*h));

	h->transport = t;
	h->message_max =
		to->message_max ? to->message_max : TRANSPORT_MESSAGE_MAX;
	if (!http_configure(h, to, err))
		h->engine = http_engine_take(t->loop, err);
	if (!h->engine) {
		http_free(h);
		return -1;
	}
	timer_open(&h->timer, t->loop, on_timer, h);
	timer_start(&h->timer, 0);
	t->impl = h;
	return 0;
}

/* ---- in use ---- */

static size_t queued(const struct http *h)
{
	size_t sum = 0;

	for (const struct http_exchange *x = h->exchanges; x; x = x->next)
		sum += x->dead || !x->text ? 0 : x->len;
	return sum;
}

static int http_send(struct transport *t, const char *text, size_t len,
		     struct error *err)
{
	struct http *h = t->impl;
	struct buf copy = { 0 };
	struct http_exchange *x;

	if (!h || h->closing)
		return error_set(err, ERR_CONNECT, "the connection is closed");
	if (len > TRANSPORT_QUEUE_MAX || queued(h) > TRANSPORT_QUEUE_MAX - len)
		return error_set(err, ERR_CONNECT,
				 "too much is waiting to be sent: the server "
				 "does not read");
	x = http_exchange_new(h, HTTP_POST);
	buf_add(&copy, text, len);
	x->text = buf_take(&copy);
	x->len = len;
	x->waiting = true;
	http_message_look(&x->message, x->text, len);
	if (x->message.is_initialize)
		h->declared = x->message.declares;
	if (h->old && !http_exchange_find(h, HTTP_OLD))
		http_old_open(h);
	settle(h);
	return 0;
}

static void http_close(struct transport *t)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	begin_closing(h);
	settle(h);
}

static void http_negotiated(struct transport *t, const char *revision)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	mem_free(h->revision);
	h->revision = mem_strdup(revision);
}

static void http_forget(struct transport *t, int64_t id)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	for (struct http_exchange *x = h->exchanges; x; x = x->next) {
		if (!x->dead && x->message.is_request && x->message.has_id &&
		    x->message.id == id)
			http_exchange_end(x);
	}
	settle(h);
}

static const char *http_spoken(const struct transport *t)
{
	const struct http *h = t->impl;

	return h ? h->spoken : NULL;
}

static void http_be_watched(struct transport *t)
{
	struct http *h = t->impl;

	if (!h || h->closing)
		return;
	h->watched = true;
	timer_start(&h->timer, 0);
}

const struct http_table http_table = {
	.dial = {
		.scheme = "http",
		.brief = "MCP over HTTP",
		.open = http_open,
		.send = http_send,
		.close = http_close,
		.explain = http_explain,
		.negotiated = http_negotiated,
		.forget = http_forget,
	},
	.fetch = http_fetch_open,
	.fetch_abandon = http_fetch_abandon,
	.spoken = http_spoken,
	.watch = http_be_watched,
};
