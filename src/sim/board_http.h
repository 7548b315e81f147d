/* SPDX-License-Identifier: MIT */
/*
 * One HTTP exchange of the board, without TLS: a request that is ready goes
 * out, the reply is read as the board reads it. Judges nothing.
 */
#ifndef SIM_BOARD_HTTP_H
#define SIM_BOARD_HTTP_H

#include "sim/board_frames.h"
#include "sim/board_reply.h"
#include "sim/tcp.h"

#define HTTP_WAIT_MS 30000 /* for the head, and again for the body */

enum http_failure {
	HTTP_UNREACHABLE, /* no connection */
	HTTP_NO_HEAD, /* none came, or it is no HTTP */
	HTTP_OTHER_STATUS, /* than 200 */
	HTTP_NO_BODY, /* it is cut, broken, or did not come in time */
	HTTP_HUNG /* 8 kB or more: the real one never comes back */
};

/* What some device stumbles over. */
enum http_oddity {
	HTTP_NO_LENGTH, /* neither Content-Length nor chunked */
	HTTP_CLOSED_AT_ONCE /* TCP ended right after the reply (5.4 item 8) */
};

/* From the loop only. */
struct board_http_events {
	/* Status 200 and its whole body; lent. */
	void (*answered)(void *owner, const char *body, size_t len);
	/* No usable reply: why, in words. */
	void (*failed)(void *owner, enum http_failure what, const char *why);
	void (*odd)(void *owner, enum http_oddity what);
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
	bool whole; /* the reply is there */
	bool over; /* failed, or closed by us */
	bool peer_ended;
};

/* request is taken: empty after. */
void board_http_open(struct board_http *a, struct loop *l,
		     const struct board_ws_url *u, struct buf *request,
		     const struct board_http_events *events, void *owner);
void board_http_close(struct board_http *a);

#endif
