/* SPDX-License-Identifier: MIT */
/*
 * What the files of the WebSocket module share: one connection, dialled or
 * adopted.
 */
#ifndef NET_WS_PRIVATE_H
#define NET_WS_PRIVATE_H

#include <libwebsockets.h>

#include "base/buf.h"
#include "net/dial.h"
#include "net/ws.h"

/* ---- ws.c ---- */

struct ws_message {
	struct ws_message *next;
	size_t len;
	bool binary;
	unsigned char data[]; /* LWS_PRE bytes, then the text */
};

enum ws_state {
	WS_CONNECTING, /* net/dial looks up and connects */
	WS_DIALLING, /* libwebsockets shakes hands */
	WS_ACCEPTED, /* established; ready is not told yet */
	WS_OPEN,
	WS_GONE /* nothing of the library's is left; closed is due */
};

struct ws_context; /* ws_context.c: the library on a loop */
struct ws_peer; /* ws_peer.c: what ready tells */
struct ws_dial; /* ws_dial.c: what only a dialled connection has */

struct ws {
	struct transport *transport;
	struct ws_context *context;
	struct lws *wsi;
	enum ws_state state;
	struct timer timer;
	struct ws_dial *dial; /* NULL if adopted */
	struct ws_peer *peer; /* NULL once an adopted one is ready */

	struct buf message; /* pieces of a message that comes in fragments */
	struct ws_message *first, **last;
	size_t queued; /* bytes */

	/* Ping: ws_end.c */
	uint32_t pings; /* sent so far */
	bool ping_due; /* the last one waits to be written */
	bool ping_open; /* it was not answered yet */
	int64_t ping_at_us, pong_us; /* pong_us -1: no answer */

	bool closing; /* somebody here wants it closed */
	bool broken; /* writing failed */
	bool close_sent; /* our Close frame is under way */
	bool peer_closed; /* a Close frame came */
	int close_code; /* of our Close frame */
	int64_t close_deadline; /* for what is queued before it */
	struct error why; /* for closed; ERR_NONE so far */
};

/* What the library tells, of any connection. */
int ws_callback(struct lws *wsi, enum lws_callback_reasons reason, void *user,
		void *in, size_t len);
struct ws *ws_new(struct transport *t, struct ws_context *c,
		  size_t message_max);
/* Tell `closed` from the loop, and release. Nothing of libwebsockets may be left. */
void ws_gone(struct ws *ws);
/* End the connection without waiting for anybody. */
void ws_kill(struct ws *ws);
void ws_notice(struct ws *ws, enum notice_kind kind, const char *text);

/* ---- Ping: ws_end.c ---- */

#define WS_PING_BYTES 4

/* ---- ws_end.c: how TCP ends ---- */

/*
 * What a socket that carries a connection gets: no delay, and its end when the
 * other side was not heard for WS_SILENT_MS, be it idle or not.
 */
#define WS_SILENT_MS 20000

struct ws_tls {
	bool insecure;
	char host[256];
	char problem
		[128]; /* what is wrong with the certificate or the handshake; "" */
};

struct ws_dial {
	char *host, *path, *host_header, *subprotocol;
	uint16_t port;
	bool use_tls;
	struct ws_tls tls;
	struct headers headers;
	struct lws_vhost *vhost;
	int64_t timeout, deadline;

	struct dial *way; /* until TCP stands; NULL */
	int fd; /* of TCP, for the library to take; -1 */

	/* of the handshake */
	bool connected; /* the library has the socket */
	bool handshake_sent; /* TLS stands too, if there is any */
	bool timed_out;
	int status; /* HTTP; 0 if none came */
	char *location;
	char said[128]; /* the library's words */
};

#endif
