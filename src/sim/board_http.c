/* SPDX-License-Identifier: MIT */
/* A TCP connection for one request. What the body means is the owner's matter. */
#include "sim/board_http.h"

#include <string.h>

/* How long the end of TCP may follow a reply and still be "right after" it. */
#define CLOSE_WINDOW_MS 20
#define CONNECT_MS 10000

static void fail(struct board_http *a, enum http_failure what, const char *why)
{
	if (a->over)
		return;
	a->over = true;
	a->events->failed(a->owner, what, why);
}

void board_http_close(struct board_http *a)
{
	a->over = true;
	tcp_close(&a->tcp);
}

static void on_connected(struct tcp *t)
{
	struct board_http *a = t->owner;

	a->asked = true;
	tcp_deadline(t, HTTP_WAIT_MS);
	tcp_write(t, a->request.data, a->request.len);
	buf_done(&a->request);
}

static void take(struct board_http *a, enum http_state state)
{
	bool has_head = a->reply.has_head;

	switch (state) {
	case HTTP_MORE:
		break;
	case HTTP_WHOLE:
		/* Wait a little to see who closes first (5.4 item 8). */
		a->whole = true;
		tcp_deadline(&a->tcp, CLOSE_WINDOW_MS);
		break;
	case HTTP_REFUSED:
		fail(a, HTTP_OTHER_STATUS, a->reply.line);
		break;
	case HTTP_BROKEN:
		fail(a, has_head ? HTTP_NO_BODY : HTTP_NO_HEAD, a->reply.line);
		break;
	case HTTP_HANGS:
		fail(a, HTTP_HUNG,
		     "the reply is 8 kB or more: a real device hangs here for "
		     "good");
		break;
	}
}

static void on_data(struct tcp *t, const char *data, size_t len)
{
	struct board_http *a = t->owner;
	bool had_head = a->reply.has_head;
	enum http_state state;

	if (a->over || a->whole || !a->asked)
		return;
	state = board_reply_feed(&a->reply, data, len);
	if (!had_head && a->reply.has_head) {
		tcp_deadline(t, HTTP_WAIT_MS);
		if (!a->reply.chunked && a->reply.length < 0)
			a->events->odd(a->owner, HTTP_NO_LENGTH);
	}
	take(a, state);
}

static enum http_failure stage(const struct board_http *a)
{
	if (!a->asked)
		return HTTP_UNREACHABLE;
	return a->reply.has_head ? HTTP_NO_BODY : HTTP_NO_HEAD;
}

static void on_ended(struct tcp *t, const char *why)
{
	struct board_http *a = t->owner;

	if (a->peer_ended)
		return;
	a->peer_ended = true;
	if (a->whole) {
		if (a->reply.length >= 0 || a->reply.chunked)
			a->events->odd(a->owner, HTTP_CLOSED_AT_ONCE);
		return;
	}
	if (!a->over && !why)
		take(a, board_reply_end(&a->reply));
	if (!a->whole)
		fail(a, stage(a),
		     why ? why : "closed before the reply was whole");
}

static void on_deadline(struct tcp *t)
{
	struct board_http *a = t->owner;

	if (!a->whole)
		fail(a, stage(a),
		     a->asked ? "no whole reply within 30 s" :
				"not connected within 10 s");
	else if (!a->over)
		a->events->answered(a->owner, buf_string(&a->reply.body),
				    a->reply.body.len);
}

static void on_closed(struct tcp *t)
{
	struct board_http *a = t->owner;

	buf_done(&a->request);
	board_reply_done(&a->reply);
	a->events->closed(a->owner);
}

static const struct tcp_events tcp_events = {
	.connected = on_connected,
	.data = on_data,
	.ended = on_ended,
	.deadline = on_deadline,
	.closed = on_closed,
};

void board_http_open(struct board_http *a, struct loop *l,
		     const struct board_ws_url *u, struct buf *request,
		     const struct board_http_events *events, void *owner)
{
	memset(a, 0, sizeof(*a));
	a->events = events;
	a->owner = owner;
	a->request = *request;
	memset(request, 0, sizeof(*request));
	board_reply_init(&a->reply);
	tcp_open(&a->tcp, l, u->host, u->port, &tcp_events, a);
	tcp_deadline(&a->tcp, CONNECT_MS);
}
