/* SPDX-License-Identifier: MIT */
#include "sim/arduino_dial.h"

#include "base/mem.h"
#include "clients/point_link.h"
#include "clients/point_url.h"
#include "sim/arduino.h"

#define AGAIN_MS 500
#define PING_MS 10000

struct sketch {
	const struct arduino_order *order;
	struct service *service;
	struct arduino *arduino; /* NULL while it is down */
	struct point_link *link;
	const char *shown; /* its address, without a secret */
	struct error why;
	bool was_up, over, closed;
};

static void on_text(void *owner, const char *text, size_t len)
{
	struct sketch *s = owner;
	CLEANUP(error_reset) struct error why = { 0 };

	if (s->order->frame)
		s->order->frame(s->order->owner, true, text, len);
	if (point_link_send(s->link, text, len, &why))
		s->order->line(s->order->owner, why.text);
}

static void on_line(void *owner, const char *text)
{
	const struct sketch *s = owner;

	s->order->line(s->order->owner, text);
}

static const struct arduino_events arduino_events = { .text = on_text,
						      .line = on_line };

static void on_up(void *owner)
{
	struct sketch *s = owner;

	s->was_up = true;
	s->arduino = arduino_new(s->service, &arduino_events, s);
}

static void on_message(void *owner, const char *text, size_t len)
{
	const struct sketch *s = owner;

	if (s->order->frame)
		s->order->frame(s->order->owner, false, text, len);
	arduino_hear(s->arduino, text, len);
}

static void on_down(void *owner)
{
	struct sketch *s = owner;

	arduino_free(TAKE(s->arduino));
}

static void on_over(void *owner, const struct error *why)
{
	struct sketch *s = owner;

	error_copy(&s->why, why);
	s->over = true;
}

static void on_closed(void *owner)
{
	struct sketch *s = owner;

	s->closed = true;
}

static const struct point_link_events sketch_events = {
	.up = on_up,
	.message = on_message,
	.down = on_down,
	.line = on_line,
	.over = on_over,
	.closed = on_closed,
};

/* Of the library for WebSockets that it uses. */
static void add_headers(struct headers *out)
{
	headers_add(out, "Sec-WebSocket-Protocol", "arduino");
	headers_add(out, "Origin", "file://");
	headers_add(out, "User-Agent", "arduino-WebSocket-Client");
}

static void finish(struct sketch *s)
{
	on_down(s);
	point_link_close(s->link);
	while (loop_wait(s->order->loop, &s->closed, LOOP_FOREVER, NULL))
		; /* it still points into what is released next */
}

static int stay(struct sketch *s, struct error *err)
{
	const struct arduino_order *o = s->order;
	const int64_t until =
		o->run_for ? loop_now() + o->run_for : LOOP_FOREVER;
	CLEANUP(error_reset) struct error why = { 0 };

	if (loop_wait(o->loop, &s->over, until, &why) &&
	    why.kind != ERR_TIMEOUT) {
		error_copy(err, &why);
		return -1;
	}
	if (s->over && s->why.kind != ERR_NONE) {
		error_copy(err, &s->why);
		return -1;
	}
	if (s->was_up)
		return 0;
	return error_set(err, ERR_CONNECT,
			 "not connected to '%s' within the time of --for",
			 s->shown);
}

int arduino_run(struct service *s, const struct arduino_order *o,
		struct error *err)
{
	CLEANUP(headers_done) struct headers headers = { 0 };
	CLEANUP(point_urls_done) struct point_urls urls = { 0 };
	struct sketch k = { .order = o, .service = s };
	struct point_link_order order = { .loop = o->loop,
					  .cacert = o->cacert,
					  .insecure = o->insecure,
					  .headers = &headers,
					  .ping = PING_MS,
					  .again = AGAIN_MS,
					  .once = !o->reconnect };
	int status;

	if (point_urls_text(&urls, o->connect, "--connect", err))
		return -1;
	add_headers(&headers);
	order.url = urls.item[0].url;
	order.shown = k.shown = urls.item[0].shown;
	if (point_link_open(&k.link, &order, &sketch_events, &k, err))
		return -1;
	status = stay(&k, err);
	finish(&k);
	error_reset(&k.why);
	return status;
}
