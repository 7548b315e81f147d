/* SPDX-License-Identifier: MIT */
/*
 * What libwebsockets reports, for dialled and adopted connections alike:
 * pieces become messages, Close frames become words.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

#include "base/mem.h"
#include "net/ws_dial.h"

/* A peer that is gone without a word (power, Wi-Fi) is noticed after about a minute. */
#define KEEPALIVE_IDLE_S 30
#define KEEPALIVE_INTERVAL_S 10
#define KEEPALIVE_COUNT 3
#define LARGE ((size_t)64 << 10)

struct ws *ws_adopting;

/* The library sets neither of the two on a socket that it was given. */
static void set_socket(struct lws *wsi)
{
	const int on = 1, idle = KEEPALIVE_IDLE_S,
		  interval = KEEPALIVE_INTERVAL_S, count = KEEPALIVE_COUNT;
	int fd = lws_get_socket_fd(wsi);

	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof(idle));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof(interval));
	setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

static const char *peer_name(const struct ws *ws)
{
	return ws->dial ? "the server" : "the device";
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
	error_set(&ws->why, ERR_CONNECT,
		  "it sent a message in pieces, and what strangers may make us "
		  "hold is used up");
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

/*
 * The first two bytes are the code. 1000 and 1001 are a proper end, so is a
 * Close frame without a code; the rest are reasons.
 */
static void on_close_frame(struct ws *ws, const unsigned char *in, size_t len)
{
	int code = len >= 2 ? in[0] << 8 | in[1] : 0;
	int text_len = len > 2 ? (int)len - 2 : 0;
	const char *text = text_len ? (const char *)in + 2 : "";
	bool proper = code == 0 || code == 1000 || code == 1001;

	ws_peer_closed(ws);
	if (ws->closing)
		return;
	error_set(&ws->why, proper ? ERR_NONE : ERR_CONNECT,
		  "%s closed the connection", peer_name(ws));
	if (code && text_len)
		error_set(&ws->why, ws->why.kind,
			  "%s closed the connection (code %d: '%.*s')",
			  peer_name(ws), code, text_len, text);
	else if (code)
		error_set(&ws->why, ws->why.kind,
			  "%s closed the connection (code %d)", peer_name(ws),
			  code);
	error_code(&ws->why, code);
}

/* What it sent before is there to be read all the same. */
static bool was_reset(struct lws *wsi)
{
	struct tcp_info info = { .tcpi_state = TCP_CLOSE };
	socklen_t size = sizeof(info);

	getsockopt(lws_get_socket_fd(wsi), IPPROTO_TCP, TCP_INFO, &info, &size);
	return info.tcpi_state == TCP_CLOSE;
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
	if ((ws->peer && ws->peer->info.tls) || was_reset(wsi))
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
		error_set(&ws->why, ERR_CONNECT, "%s closed the connection",
			  peer_name(ws));
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
 * the poll handle, which would keep the loop from ending (4.1.6).
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
		error_set(&ws->why, ERR_CONNECT, "%s closed the connection",
			  peer_name(ws));
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
		set_socket(wsi);
		if (ws->dial && ws_dial_callback(ws, wsi, reason, in, len))
			return -1;
		ws_accepted(ws, wsi);
		return 0;
	case LWS_CALLBACK_RECEIVE:
	case LWS_CALLBACK_CLIENT_RECEIVE:
		on_piece(ws, in, len);
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
