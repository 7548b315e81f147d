/* SPDX-License-Identifier: MIT */
/*
 * An HTTP reply as the board's client reads it, hangs included (device.md 5.4),
 * from any slices. Pure.
 */
#ifndef SIM_BOARD_REPLY_H
#define SIM_BOARD_REPLY_H

#include "base/buf.h"

#define HTTP_HANG \
	8192 /* bytes of a body that the board never reads to its end */

enum http_state {
	HTTP_MORE,
	HTTP_WHOLE, /* status 200, and all of body is there */
	HTTP_REFUSED, /* another status: line says which */
	HTTP_BROKEN, /* no HTTP, or chunks that are none: line says what */
	HTTP_HANGS /* the board never comes back from here */
};

struct board_reply {
	struct buf in; /* as received */
	struct buf body; /* as far as it is there, unchunked */
	int status; /* 0: the head is not there yet; -1: it is no HTTP */
	bool has_head, chunked;
	int64_t length; /* Content-Length; -1: none, the peer's end is the end */
	size_t body_at; /* in `in` */
	char line[224]; /* of HTTP_REFUSED and HTTP_BROKEN; a peer's text */
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

#endif
