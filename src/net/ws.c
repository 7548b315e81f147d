/* SPDX-License-Identifier: MIT */
/*
 * One WebSocket connection as a transport, dialled or adopted: its queue, its
 * end, and what its owner is told. Framing is libwebsockets' matter.
 */
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/ws_private.h"

/* Firmware never answers a Close frame (device.md 1.4): then TCP is closed. */
#define CLOSE_WAIT_MS 100
/* How long what is queued may take to leave before a close. */
#define FLUSH_WAIT_MS 1000
/* A scratch buffer that grew beyond this is given back. */
#define SCRATCH_KEEP 65536

static void on_timer(void *owner);

struct ws *ws_new(struct transport *t, struct ws_context *c, size_t message_max)
{
	struct ws *ws = mem_zalloc(sizeof(*ws));

	ws->transport = t;
	ws->context = c;
	ws->last = &ws->first;
	buf_init(&ws->message,
		 message_max ? message_max : TRANSPORT_MESSAGE_MAX);
	timer_open(&ws->timer, c->loop, on_timer, ws);
	t->impl = ws;
	return ws;
}

void ws_notice(struct ws *ws, enum notice_kind kind, const char *text)
{
	const struct transport *t = ws->transport;
	struct notice n = { .kind = kind,
			    .text = text,
			    .address =
				    ws->peer ? ws->peer->info.address : NULL };

	if (t->events->notice)
		t->events->notice(t->owner, &n);
}

static void free_queue(struct ws *ws)
{
	struct ws_message *next;

	for (struct ws_message *m = ws->first; m; m = next) {
		next = m->next;
		mem_free(m);
	}
}

/* The last step: everything is released before the owner is told. */
static void released(void *owner)
{
	struct ws *ws = owner;
	struct transport *t = ws->transport;
	struct error why = ws->why;

	ws_dial_free(ws);
	free_queue(ws);
	ws_peer_free(ws->peer);
	buf_done(&ws->message);
	ws_context_release(ws->context);
	mem_free(ws);
	t->impl = NULL;
	t->events->closed(t->owner, &why);
	error_reset(&why);
}

void ws_peer_closed(struct ws *ws)
{
	ws->peer_closed = true;
	timer_start(&ws->timer, CLOSE_WAIT_MS);
}

void ws_gone(struct ws *ws)
{
	ws->state = WS_GONE;
	timer_start(&ws->timer, 0);
}

void ws_kill(struct ws *ws)
{
	if (!ws->wsi)
		return;
	lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
			LWS_TO_KILL_ASYNC);
	/* Its timers fire only if its own wake-up is used. */
	lws_cancel_service(ws->context->lws);
}

void ws_tell_ready(struct ws *ws)
{
	const struct transport *t = ws->transport;

	timer_stop(&ws->timer);
	ws->state = WS_OPEN;
	if (ws->dial && !ws->closing)
		ws_dial_ready(ws);
	if (ws->closing) {
		ws_begin_close(ws, LWS_CLOSE_STATUS_NORMAL);
		return;
	}
	if (ws->first)
		lws_callback_on_writable(ws->wsi);
	t->events->ready(t->owner, &ws->peer->info);
	/* There may be thousands of them. */
	if (!ws->dial) {
		ws_peer_free(ws->peer);
		ws->peer = NULL;
	}
}

void ws_accepted(struct ws *ws, struct lws *wsi)
{
	ws->wsi = wsi;
	ws->state = WS_ACCEPTED;
	timer_start(&ws->timer, 0);
}

static int write_text(struct ws *ws, unsigned char *data, size_t len)
{
	int n = lws_write(ws->wsi, data, len, LWS_WRITE_TEXT);

	return n < (int)len ? -1 : 0;
}

static bool can_write(const struct ws *ws)
{
	return ws->state == WS_OPEN && !ws->close_sent && !ws->peer_closed &&
	       !lws_partial_buffered(ws->wsi);
}

int ws_flush(struct ws *ws)
{
	struct ws_message *m;
	int result = 0;

	while (ws->first && !result && can_write(ws)) {
		m = ws->first;
		ws->first = m->next;
		if (!ws->first)
			ws->last = &ws->first;
		ws->queued -= m->len;
		result = write_text(ws, m->data + LWS_PRE, m->len);
		mem_free(m);
	}
	if (result || ws->state != WS_OPEN || ws->close_sent || ws->peer_closed)
		return result;
	if (ws->first)
		lws_callback_on_writable(ws->wsi);
	else if (ws->closing && can_write(ws))
		timer_start(&ws->timer, 0);
	return 0;
}

void ws_begin_close(struct ws *ws, int code)
{
	ws->closing = true;
	ws->close_code = code;
	ws->close_deadline = loop_now() + FLUSH_WAIT_MS;
	timer_start(&ws->timer, ws->peer_closed ? CLOSE_WAIT_MS : 0);
}

/*
 * The library's way to close sets two timeouts, in a list that is searched for
 * each one: for 10,000 connections that is many seconds. Here it is not needed:
 * a server's frame is four bytes, nothing is half written, and adopted
 * connections have no TLS.
 */
static void send_close_frame(struct ws *ws)
{
	unsigned code = (unsigned)ws->close_code;
	unsigned char frame[4] = { 0x88, 2, (unsigned char)(code >> 8),
				   (unsigned char)code };

	/* If it does not fit, the end of TCP says it. */
	send(lws_get_socket_fd(ws->wsi), frame, sizeof(frame),
	     MSG_NOSIGNAL | MSG_DONTWAIT);
}

/*
 * What is queued, then the Close frame, then the end of TCP: a step of it,
 * from the timer. The frame is asked for from here, outside of the library's
 * callbacks: when one of those asks for the end, the library as packaged
 * closes twice, and the second time drops the frame.
 */
static void go_on_closing(struct ws *ws)
{
	int64_t left = ws->close_deadline - loop_now();

	if (ws->close_sent) {
		lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
				LWS_TO_KILL_SYNC);
		return;
	}
	if (ws->peer_closed || left <= 0 || ws_flush(ws)) {
		ws_kill(ws);
		return;
	}
	if (ws->first || !can_write(ws)) {
		lws_callback_on_writable(ws->wsi);
		timer_start(&ws->timer, left);
		return;
	}
	ws->close_sent = true;
	timer_start(&ws->timer, CLOSE_WAIT_MS);
	if (!ws->dial) {
		send_close_frame(ws);
		return;
	}
	lws_close_reason(ws->wsi, (enum lws_close_status)ws->close_code, NULL,
			 0);
	lws_set_timeout(ws->wsi, PENDING_TIMEOUT_USER_REASON_BASE,
			LWS_TO_KILL_SYNC);
	lws_cancel_service(ws->context->lws);
}

static void on_timer(void *owner)
{
	struct ws *ws = owner;

	switch (ws->state) {
	case WS_GONE:
		timer_close(&ws->timer, released);
		break;
	case WS_ACCEPTED:
		ws_tell_ready(ws);
		break;
	case WS_OPEN:
		if (ws->wsi)
			go_on_closing(ws);
		break;
	default:
		ws_dial_timer(ws);
	}
}

static int enqueue(struct ws *ws, const char *text, size_t len,
		   struct error *err)
{
	struct ws_message *m;

	if (len > TRANSPORT_QUEUE_MAX ||
	    ws->queued > TRANSPORT_QUEUE_MAX - len) {
		error_set(err, ERR_CONNECT,
			  "cannot send: %zu bytes wait already, the peer does "
			  "not read",
			  ws->queued);
		return error_hint(err, "at most %u bytes can wait",
				  TRANSPORT_QUEUE_MAX);
	}
	m = mem_alloc(sizeof(*m) + LWS_PRE + len);
	m->next = NULL;
	m->len = len;
	memcpy(m->data + LWS_PRE, text, len);
	*ws->last = m;
	ws->last = &m->next;
	ws->queued += len;
	if (ws->wsi && ws->state == WS_OPEN)
		lws_callback_on_writable(ws->wsi);
	return 0;
}

/*
 * Written at once where possible: waiting for the writable callback would cost
 * a turn of the loop for each call. A write starts none of the library's timers.
 */
static int send_now(struct ws *ws, const char *text, size_t len,
		    struct error *err)
{
	static const char room[LWS_PRE];
	struct buf *scratch = &ws->context->scratch;
	int result;

	buf_reset(scratch);
	buf_add(scratch, room, sizeof(room));
	buf_add(scratch, text, len);
	result = write_text(ws, (unsigned char *)scratch->data + LWS_PRE, len);
	if (scratch->capacity > SCRATCH_KEEP)
		buf_done(scratch);
	if (!result)
		return 0;
	ws_kill(ws);
	return error_set(err, ERR_CONNECT,
			 "cannot send: the connection is broken");
}

static int ws_send(struct transport *t, const char *text, size_t len,
		   struct error *err)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing || ws->peer_closed || ws->state == WS_GONE)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (!ws->first && ws->wsi && can_write(ws) &&
	    len <= TRANSPORT_QUEUE_MAX)
		return send_now(ws, text, len, err);
	return enqueue(ws, text, len, err);
}

static void ws_close(struct transport *t)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing)
		return;
	ws->closing = true;
	if (ws->state == WS_OPEN)
		ws_begin_close(ws, LWS_CLOSE_STATUS_NORMAL);
	else if (ws->state != WS_ACCEPTED && ws->state != WS_GONE)
		ws_dial_close(ws);
}

const struct ws_table ws_table = {
	.dial = { .scheme = "ws",
		  .brief = "dial a WebSocket MCP server",
		  .open = ws_dial_open,
		  .send = ws_send,
		  .close = ws_close },
	.adopt = ws_adopt,
	.many = ws_context_many,
	.hold = ws_context_hold,
	.let_go = ws_context_let_go,
};
