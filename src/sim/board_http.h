/* SPDX-License-Identifier: MIT */
/*
 * One HTTP exchange of the board: a request that is ready goes
 * out, the reply is read as the board reads it. Judges nothing.
 */
#ifndef SIM_BOARD_HTTP_H
#define SIM_BOARD_HTTP_H

#include "base/buf.h"
#include "net/tcp.h"
#include "rpc/session.h"
#include "sim/board_ws.h"

#define HTTP_HANG \
	8192 /* bytes of a body that the board never reads to its end */

enum http_state {
	HTTP_MORE,
	HTTP_WHOLE, /* status 200, and all of body is there */
	HTTP_REFUSED, /* another status: line says which, and its words */
	HTTP_BROKEN, /* no HTTP, or chunks that are none: line says what */
	HTTP_HANGS /* the board never comes back from here */
};

struct board_reply {
	struct buf in; /* as received */
	struct buf body; /* as far as it is there, unchunked */
	int status; /* 0: the head is not there yet; -1: it is no HTTP */
	bool has_head, chunked;
	bool has_length; /* Content-Length, whatever it says */
	int64_t length; /* it; -1: none or 0, the peer's end is the end */
	char *location, *type, *coding; /* of the body; owned; NULL */
	size_t body_at; /* in `in` */
	char line[400]; /* of HTTP_REFUSED and HTTP_BROKEN; a peer's text */
};

/* Overwrites what is there. */
void board_reply_init(struct board_reply *r);
void board_reply_done(struct board_reply *r);
enum http_state board_reply_feed(struct board_reply *r, const char *data,
				 size_t len);
/* The peer has closed: HTTP_WHOLE if that was the end of the body. */
enum http_state board_reply_end(struct board_reply *r);

/* A chunked body as received: 1 whole (decoded into out), 0 more is needed, -1 broken. */
int http_unchunk(const char *text, size_t len, struct buf *out);

#define HTTP_WAIT_MS 30000 /* for the head, and again for the body */

enum http_failure {
	HTTP_UNREACHABLE, /* no connection */
	HTTP_NO_HEAD, /* none came, or it is no HTTP */
	HTTP_OTHER_STATUS, /* than 200 */
	HTTP_NO_BODY, /* it is cut, broken, or did not come in time */
	HTTP_HUNG /* 8 kB or more: the real one never comes back */
};

/* From the loop only. */
struct board_http_events {
	/* It is connected, and the request goes out now. May be NULL. */
	void (*asks)(void *owner, const struct buf *request);
	/* Status 200 and its whole body; lent. */
	void (*answered)(void *owner, const char *body, size_t len);
	/* No usable reply: why, with a reason of net/why.h. */
	void (*failed)(void *owner, enum http_failure what,
		       const struct error *why);
	/* The head came, of whatever status; before the two above. */
	void (*head)(void *owner);
	/* After board_http_close: the struct may be used again or released. */
	void (*closed)(void *owner);
};

struct board_http {
	struct tcp tcp;
	struct buf request;
	struct board_reply reply;
	const struct board_http_events *events;
	void *owner;
	bool asked;
	size_t size,
		unsent; /* bytes of the request; left when an answer came */
	bool whole; /* the reply is there */
	bool over; /* failed, or closed by us */
};

/*
 * As a trace has it: the head, and the body, or only how long that is. Lent by
 * the request, which is ready to be sent, and by the reply, which has a head.
 */
void board_http_trace_request(struct trace *t, const struct buf *request,
			      bool body);
void board_http_trace_reply(struct trace *t, const struct board_reply *r);

/* request is taken: empty after. */
void board_http_open(struct board_http *a, struct loop *l,
		     const struct board_ws_url *u, struct buf *request,
		     const struct board_http_events *events, void *owner);
void board_http_close(struct board_http *a);

#endif
