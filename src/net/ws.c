/* SPDX-License-Identifier: MIT */
/*
 * WebSocket connections, dialled or adopted. Framing is libwebsockets' matter.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/close_frame.h"
#include "net/front.h"
#include "net/head.h"
#include "net/ws_context.h"
#include "net/ws_dial.h"
#include "net/ws_end.h"
#include "net/ws_peer.h"
#include "net/ws_private.h"

static void ws_begin_close(struct ws *ws, int code);
static struct ws *ws_adopting;

/*
 * Adopts an accepted socket whose request head is still unread. The head was
 * checked by the front; the library is given a request of our own making in
 * its place, so that its HTTP parser sees nothing of a stranger's, and a
 * subprotocol that we do not know does not make it drop the connection.
 */

/* The whole head is there, so the handshake is over at once; this is for faults. */
#define HANDSHAKE_MS 10000

/* The client's Sec-WebSocket-Key, yours; the head is taken out of the socket. */
static char *take_head(int fd, bool *mcp)
{
	CLEANUP(mem_free_ptr) char *data = mem_alloc(FRONT_HEAD_MAX);
	ssize_t len = recv(fd, data, FRONT_HEAD_MAX, MSG_PEEK | MSG_DONTWAIT);
	struct head head;
	const char *reason;
	char *key = NULL;

	if (len <= 0 || head_parse(&head, data, (size_t)len) != HEAD_READY)
		return NULL;
	if (head_upgrade(&head, &reason) == HEAD_WEBSOCKET &&
	    recv(fd, data, head.length, MSG_DONTWAIT) == (ssize_t)head.length)
		key = mem_strdup(
			headers_get(&head.headers, "Sec-WebSocket-Key"));
	/* MCP's own clients go when their subprotocol is not taken up. */
	*mcp = headers_have(&head.headers, "Sec-WebSocket-Protocol", "mcp");
	head_done(&head);
	return key;
}

static struct lws *adopt(struct ws *ws, int fd, const char *key, bool mcp)
{
	struct buf request = { 0 };
	struct lws *wsi;

	buf_printf(&request,
		   "GET / HTTP/1.1\r\nHost: mcpctl\r\nUpgrade: websocket\r\n"
		   "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
		   "Sec-WebSocket-Key: %s\r\n%s\r\n",
		   key, mcp ? "Sec-WebSocket-Protocol: mcp\r\n" : "");
	/* The library calls back before it returns: see find below. */
	ws_adopting = ws;
	wsi = lws_adopt_socket_vhost_readbuf(ws->context->vhost, fd,
					     request.data, request.len);
	ws_adopting = NULL;
	buf_done(&request);
	lws_cancel_service(ws->context->lws);
	return wsi;
}

static int ws_adopt(struct transport *t, int fd, const struct peer_info *peer,
		    size_t message_max, struct error *err)
{
	bool mcp = false;
	CLEANUP(mem_free_ptr) char *key = take_head(fd, &mcp);
	struct ws_context *context = NULL;
	struct ws *ws;

	if (!key)
		error_set(err, ERR_CONNECT,
			  "the WebSocket request could not be read");
	else
		context = ws_context_take(t->loop, ws_callback, err);
	if (!context) {
		close(fd);
		return -1;
	}
	ws = ws_new(t, context, message_max);
	ws->state = WS_DIALLING;
	timer_start(&ws->timer, HANDSHAKE_MS);
	ws->peer = ws_peer_new(peer);
	/* If it fails, the library has closed fd, and its callbacks brought the end. */
	if (!adopt(ws, fd, key, mcp) && !ws->wsi && ws->state != WS_GONE)
		ws_gone(ws);
	return 0;
}

static int ws_hold(struct loop *l, struct error *err)
{
	return ws_context_take(l, ws_callback, err) ? 0 : -1;
}

/*
 * One WebSocket connection as a transport, dialled or adopted: its queue, its
 * end, and what its owner is told. Framing is libwebsockets' matter.
 */

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

/* A Close frame came: TCP ends soon, whatever the library does. */
static void ws_peer_closed(struct ws *ws)
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

/* State WS_ACCEPTED becomes WS_OPEN. */
static void ws_tell_ready(struct ws *ws)
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

/* The handshake is done: `ready` follows from the loop. */
static void ws_accepted(struct ws *ws, struct lws *wsi)
{
	ws->wsi = wsi;
	ws->state = WS_ACCEPTED;
	timer_start(&ws->timer, 0);
}

static int write_frame(struct ws *ws, bool binary, unsigned char *data,
		       size_t len)
{
	int n = lws_write(ws->wsi, data, len,
			  binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT);

	ws->broken = n < (int)len;
	return ws->broken ? -1 : 0;
}

static bool can_write(const struct ws *ws)
{
	return ws->state == WS_OPEN && !ws->close_sent && !ws->peer_closed &&
	       !lws_partial_buffered(ws->wsi);
}

/* Write what is queued as far as the socket takes it. -1: the connection is broken. */
static int ws_flush(struct ws *ws)
{
	struct ws_message *m;
	int result = 0;

	if (ws->ping_due && can_write(ws))
		result = ws_ping_write(ws);
	while (ws->first && !result && can_write(ws)) {
		m = ws->first;
		ws->first = m->next;
		if (!ws->first)
			ws->last = &ws->first;
		ws->queued -= m->len;
		result = write_frame(ws, m->binary, m->data + LWS_PRE, m->len);
		mem_free(m);
	}
	if (result || ws->state != WS_OPEN || ws->close_sent || ws->peer_closed)
		return result;
	if (ws->first || ws->ping_due)
		lws_callback_on_writable(ws->wsi);
	else if (ws->closing && can_write(ws))
		timer_start(&ws->timer, 0);
	return 0;
}

/* Close with that code, behind what is queued. */
static void ws_begin_close(struct ws *ws, int code)
{
	ws->closing = true;
	ws->close_code = code;
	ws->close_deadline = loop_now() + FLUSH_WAIT_MS;
	timer_start(&ws->timer, ws->peer_closed ? CLOSE_WAIT_MS : 0);
}

#define CLOSE_WORDS_MAX 123u /* RFC 6455, 5.5 */

/*
 * The library's way to close sets two timeouts, in a list that is searched for
 * each one: for 10,000 connections that is many seconds. Here it is not needed:
 * a server's frame is small, nothing is half written, and adopted
 * connections have no TLS.
 */
static void send_close_frame(struct ws *ws)
{
	const char *words = ws->transport->last_words;
	const bool ours = ws->close_code == LWS_CLOSE_STATUS_NORMAL && words &&
			  strlen(words) <= CLOSE_WORDS_MAX;
	const size_t len = ours ? strlen(words) : 0;
	unsigned code = (unsigned)ws->close_code;
	unsigned char frame[4 + CLOSE_WORDS_MAX + 1] = {
		0x88, (unsigned char)(2 + len), (unsigned char)(code >> 8),
		(unsigned char)code
	};

	if (ours)
		memcpy(frame + 4, words, len + 1);
	/* If it does not fit, the end of TCP says it. */
	send(lws_get_socket_fd(ws->wsi), frame, 4 + len,
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

static int enqueue(struct ws *ws, bool binary, const char *text, size_t len,
		   struct error *err)
{
	const size_t own = ws->transport->waits_max;
	struct ws_message *m;

	if (len > TRANSPORT_QUEUE_MAX ||
	    ws->queued > TRANSPORT_QUEUE_MAX - len ||
	    (own && ws->queued > own)) {
		error_set(
			err, ERR_CONNECT,
			"cannot send: %zu bytes wait already, the peer does not read",
			ws->queued);
		return error_hint(err, "at most %zu bytes can wait",
				  own ? own : (size_t)TRANSPORT_QUEUE_MAX);
	}
	m = mem_alloc(sizeof(*m) + LWS_PRE + len);
	m->next = NULL;
	m->len = len;
	m->binary = binary;
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
static int send_now(struct ws *ws, bool binary, const char *text, size_t len,
		    struct error *err)
{
	static const char room[LWS_PRE];
	struct buf *scratch = &ws->context->scratch;
	int result;

	buf_reset(scratch);
	buf_add(scratch, room, sizeof(room));
	buf_add(scratch, text, len);
	result = write_frame(ws, binary,
			     (unsigned char *)scratch->data + LWS_PRE, len);
	if (scratch->capacity > SCRATCH_KEEP)
		buf_done(scratch);
	if (!result)
		return 0;
	ws_kill(ws);
	return error_set(err, ERR_CONNECT,
			 "cannot send: the connection is broken");
}

static int send_frame(struct transport *t, bool binary, const char *text,
		      size_t len, struct error *err)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing || ws->peer_closed || ws->state == WS_GONE)
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is closed");
	if (!ws->first && ws->wsi && can_write(ws) &&
	    len <= TRANSPORT_QUEUE_MAX)
		return send_now(ws, binary, text, len, err);
	return enqueue(ws, binary, text, len, err);
}

static int ws_send(struct transport *t, const char *text, size_t len,
		   struct error *err)
{
	return send_frame(t, false, text, len, err);
}

static int ws_send_sound(struct transport *t, const void *data, size_t len,
			 struct error *err)
{
	return send_frame(t, true, data, len, err);
}

/* Of enum lws_write_protocol, and its flags. */
static const int pieces[] = {
	LWS_WRITE_TEXT | LWS_WRITE_NO_FIN,
	LWS_WRITE_CONTINUATION | LWS_WRITE_NO_FIN,
	LWS_WRITE_CONTINUATION,
};

/* Three frames; nothing of others may come between, so nothing may wait. */
static int ws_send_pieces(struct transport *t, const char *text, size_t len,
			  struct error *err)
{
	struct ws *ws = t->impl;
	static const char room[LWS_PRE];
	const size_t third = len / 3;
	size_t at = 0;

	if (!ws || ws->closing || ws->peer_closed || ws->first || !ws->wsi ||
	    !can_write(ws))
		return error_set(
			err, ERR_CONNECT,
			"cannot send in pieces: the connection is busy, or closed");
	for (int i = 0; i < 3; i++) {
		const size_t n = i < 2 ? third : len - at;
		CLEANUP(buf_done) struct buf piece = { 0 };

		buf_add(&piece, room, sizeof(room));
		buf_add(&piece, text + at, n);
		at += n;
		ws->broken =
			lws_write(ws->wsi,
				  (unsigned char *)piece.data + LWS_PRE, n,
				  (enum lws_write_protocol)pieces[i]) < (int)n;
		if (!ws->broken)
			continue;
		ws_kill(ws);
		return error_set(err, ERR_CONNECT,
				 "cannot send: the connection is broken");
	}
	return 0;
}

static int ws_ping(struct transport *t, struct error *err)
{
	struct ws *ws = t->impl;

	if (!ws || ws->closing || ws->peer_closed || ws->state != WS_OPEN ||
	    !ws->wsi)
		return error_set(err, ERR_CONNECT,
				 "cannot ping: the connection is not open");
	ws_ping_begin(ws);
	if (!can_write(ws)) {
		lws_callback_on_writable(ws->wsi);
		return 0;
	}
	if (!ws_ping_write(ws))
		return 0;
	ws_kill(ws);
	return error_set(err, ERR_CONNECT,
			 "cannot ping: the connection is broken");
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
		  .close_code = LWS_CLOSE_STATUS_NORMAL,
		  .open = ws_dial_open,
		  .send = ws_send,
		  .close = ws_close,
		  .layers = ws_layers,
		  .ping = ws_ping,
		  .send_pieces = ws_send_pieces,
		  .send_sound = ws_send_sound },
	.adopt = ws_adopt,
	.many = ws_context_many,
	.hold = ws_hold,
	.let_go = ws_context_let_go,
};

/*
 * What libwebsockets reports, for dialled and adopted connections alike:
 * pieces become messages, Close frames become words.
 */

#define LARGE ((size_t)64 << 10)

static const char *peer_name(const struct ws *ws)
{
	const char *named = ws->transport->peer;

	return named ? named : ws->dial ? "the server" : "the device";
}

/* Whether there is memory for what came of a message: strangers share some. */
static bool holds(const struct ws *ws)
{
	struct share *s = ws->transport->share;

	return !s || share_hold(s, ws->message.len);
}

/* Its memory too: most connections are quiet most of the time. */
static void drop_message(struct ws *ws)
{
	size_t max = ws->message.max;

	buf_done(&ws->message);
	buf_init(&ws->message, max);
	holds(ws);
}

static void too_large(struct ws *ws)
{
	error_set(&ws->why, ERR_PROTOCOL,
		  "%s sent a message of more than %zu bytes", peer_name(ws),
		  ws->message.max);
	error_hint(&ws->why, "the connection was closed with code 1009");
	drop_message(ws);
	ws_begin_close(ws, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE);
}

/* A large one, which could be one too many. */
static void no_memory(struct ws *ws)
{
	error_set(&ws->why, ERR_CONNECT,
		  "no memory is left for the message that %s sent",
		  peer_name(ws));
	error_hint(&ws->why, "the connection was closed with code %d",
		   WS_TRY_AGAIN_LATER);
	drop_message(ws);
	ws_begin_close(ws, WS_TRY_AGAIN_LATER);
}

static void too_much(struct ws *ws)
{
	error_set(
		&ws->why, ERR_CONNECT,
		"it sent a message in pieces, and what strangers may make us hold is used up");
	error_hint(&ws->why, "the connection was closed with code %d",
		   WS_TRY_AGAIN_LATER);
	error_code(&ws->why, WS_TRY_AGAIN_LATER);
	drop_message(ws);
	ws_begin_close(ws, WS_TRY_AGAIN_LATER);
}

static void deliver(struct ws *ws, const void *data, size_t len, bool binary)
{
	const struct transport *t = ws->transport;

	t->events->message(t->owner, binary ? FRAME_BINARY : FRAME_TEXT, data,
			   len);
}

static void on_piece(struct ws *ws, const void *data, size_t len)
{
	bool first = lws_is_first_fragment(ws->wsi) != 0;
	bool final = lws_is_final_fragment(ws->wsi) != 0;
	bool binary = lws_frame_is_binary(ws->wsi) != 0;
	size_t rest = lws_remaining_packet_payload(ws->wsi);

	if (ws->state == WS_ACCEPTED)
		ws_tell_ready(ws);
	if (ws->closing)
		return;
	if (first)
		drop_message(ws);
	if (rest > ws->message.max ||
	    ws->message.len + len + rest > ws->message.max) {
		too_large(ws);
		return;
	}
	if (ws->message.len + len + rest > LARGE && mem_is_short()) {
		no_memory(ws);
		return;
	}
	if (first && final) {
		deliver(ws, len ? data : "", len, binary);
		return;
	}
	buf_add(&ws->message, data, len);
	if (!final && !holds(ws)) {
		too_much(ws);
		return;
	}
	if (final) {
		deliver(ws, buf_string(&ws->message), ws->message.len, binary);
		drop_message(ws);
	}
}

static void on_close_frame(struct ws *ws, const void *in, size_t len)
{
	ws_peer_closed(ws);
	if (!ws->closing)
		close_frame_tell(&ws->why, peer_name(ws), ws->dial != NULL, in,
				 len);
}

/*
 * The library ends a connection by itself when a frame is broken; then it has
 * a reason of its own to send, or the peer's end of the stream is still open.
 */
static bool broke_protocol(struct ws *ws, struct lws *wsi)
{
	ssize_t len;
	char byte;

	if (lws_get_close_length(wsi) > 0)
		return true;
	if ((ws->peer && ws->peer->info.tls) ||
	    ws_end_is_over(lws_get_socket_fd(wsi)))
		return false;
	len = recv(lws_get_socket_fd(wsi), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return len > 0 || (len < 0 && errno == EAGAIN);
}

static void on_closed(struct ws *ws, struct lws *wsi)
{
	/* It can come for a handshake that failed, too. */
	if (ws->state == WS_DIALLING || ws->closing || ws->peer_closed ||
	    ws->why.kind != ERR_NONE)
		return;
	/* Firmware closes TCP without a Close frame (device.md 1.4). */
	if (broke_protocol(ws, wsi))
		error_set(&ws->why, ERR_PROTOCOL,
			  "%s sent a broken WebSocket frame", peer_name(ws));
	else
		ws_end_tell(&ws->why, lws_get_socket_fd(wsi), peer_name(ws),
			    ws->broken);
}

static void free_handle(uv_handle_t *handle)
{
	/* The library allocated it, and has forgotten it. */
	free(handle);
}

/* cppcheck-suppress constParameter ; the signature is libuv's */
static void close_forgotten(uv_handle_t *handle, void *wsi)
{
	if (handle->type == UV_POLL && handle->data == wsi &&
	    !uv_is_closing(handle))
		uv_close(handle, free_handle);
}

/*
 * When a connection cannot be made, the library closes the socket and forgets
 * the poll handle, which would keep the loop from ending (libwebsockets 4.1.6).
 */
static void on_destroy(struct ws *ws, struct lws *wsi)
{
	if (ws->wsi && ws->wsi != wsi)
		return;
	ws->wsi = NULL;
	if (ws->dial && ws->state == WS_DIALLING) {
		uv_walk(loop_uv(ws->context->loop), close_forgotten, wsi);
		ws_dial_failed(ws);
		return;
	}
	if (ws->why.kind == ERR_NONE && !ws->closing && !ws->peer_closed)
		error_set(&ws->why, ERR_CONNECT,
			  "the connection ended before its handshake was done");
	ws_gone(ws);
}

static struct ws *find(struct lws *wsi, enum lws_callback_reasons reason)
{
	struct ws *ws = wsi ? lws_get_opaque_user_data(wsi) : NULL;

	/* After WSI_CREATE the adoption can still fail without another call. */
	if (!ws && wsi && ws_adopting && reason != LWS_CALLBACK_WSI_CREATE) {
		ws = ws_adopting;
		ws->wsi = wsi;
		lws_set_opaque_user_data(wsi, ws);
	}
	return ws;
}

/* The one callback of libwebsockets. */
int ws_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
		void *in, size_t len)
{
	struct ws *ws;

	/* These come for the context, with a wsi that is none. */
	if (reason == LWS_CALLBACK_PROTOCOL_INIT ||
	    reason == LWS_CALLBACK_PROTOCOL_DESTROY ||
	    reason == LWS_CALLBACK_EVENT_WAIT_CANCELLED)
		return 0;
	if (reason == LWS_CALLBACK_OPENSSL_LOAD_EXTRA_CLIENT_VERIFY_CERTS) {
		ws_tls_watch(user);
		return 0;
	}
	ws = find(wsi, reason);
	if (!ws)
		return 0;
	switch (reason) {
	case LWS_CALLBACK_ESTABLISHED:
	case LWS_CALLBACK_CLIENT_ESTABLISHED:
		ws_end_watch(lws_get_socket_fd(wsi));
		if (ws->dial && ws_dial_callback(ws, wsi, reason, in, len))
			return -1;
		ws_accepted(ws, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
	case LWS_CALLBACK_CLIENT_RECEIVE:
		on_piece(ws, in, len);
		return 0;
	case LWS_CALLBACK_RECEIVE_PONG:
	case LWS_CALLBACK_CLIENT_RECEIVE_PONG:
		ws_pong(ws, in, len);
		return 0;
	case LWS_CALLBACK_SERVER_WRITEABLE:
	case LWS_CALLBACK_CLIENT_WRITEABLE:
		return ws_flush(ws);
	case LWS_CALLBACK_WS_PEER_INITIATED_CLOSE:
		on_close_frame(ws, in, len);
		/* Ours stands before it: the library need not answer. */
		return ws->close_sent ? -1 : 0;
	case LWS_CALLBACK_CLOSED:
	case LWS_CALLBACK_CLIENT_CLOSED:
		on_closed(ws, wsi);
		return 0;
	case LWS_CALLBACK_WSI_DESTROY:
		on_destroy(ws, wsi);
		return 0;
	case LWS_CALLBACK_OPENSSL_PERFORM_SERVER_CERT_VERIFICATION:
		return ws->dial ?
			       ws_tls_verify(&ws->dial->tls, user, len != 0) :
			       0;
	default:
		return ws->dial ? ws_dial_callback(ws, wsi, reason, in, len) :
				  0;
	}
}
