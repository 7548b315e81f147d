/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets: accept, look at the head of the request without reading
 * it, hand a WebSocket upgrade on unread, and let libmicrohttpd speak the rest.
 * Shared by listen:, sim --listen and serve. Knows no paths and no devices.
 * A loaded part: module_table("front", FRONT_TABLE, err).
 */
#ifndef NET_FRONT_H
#define NET_FRONT_H

#include "net/transport.h"

#define FRONT_TABLE "front_table"
#define FRONT_HEAD_MAX 16384

struct front; /* the listener */
struct front_request; /* one HTTP request whose body has arrived */

struct front_head { /* lent during the event */
	const char *address; /* of the peer */
	const char *
		local; /* address of ours that it reached, "192.168.1.2:8000" */
	const char *method, *path,
		*query; /* path without the query; query NULL if none */
	const struct headers *headers;
};

enum front_noise {
	FRONT_TLS, /* a TLS ClientHello */
	FRONT_GARBAGE, /* no HTTP request line */
	FRONT_BROKEN, /* HTTP, but a broken head, or an upgrade that is not spoken (answered 400) */
	FRONT_SLOW, /* the head was not finished in time */
	FRONT_EMPTY, /* connected and went without a byte */
	FRONT_TOO_LARGE, /* head above FRONT_HEAD_MAX (answered 431) */
	FRONT_BODY_TOO_LARGE, /* body above body_max (answered 413) */
	FRONT_CUT, /* the body ended before its end */
	FRONT_BUSY /* no place for it in all of head_timeout (answered 503) */
};

struct front_events {
	/* An HTTP request with its body. Answer with table->reply, now or later, exactly once. */
	void (*http)(void *owner, struct front_request *rq,
		     const struct front_head *head, const char *body,
		     size_t len);
	/*
	 * A WebSocket upgrade (version 13, with a key). Return 0 to keep fd (hand it
	 * to ws_table.adopt), or an HTTP status (401, 403, 404, 503): front answers it with a JSON body
	 * {"error":reason} and closes. Set *reason for that (static text).
	 */
	int (*upgrade)(void *owner, int fd, const struct front_head *head,
		       const char **reason);
	void (*noise)(void *owner, enum front_noise what, const char *address);
	/*
	 * How many sockets may be with the front now: their heads are awaited,
	 * or a place for their request. Those beyond wait to be accepted. Asked
	 * amid open, too. NULL: connections_max.
	 */
	size_t (*heads_max)(void *owner);
};

struct front_config {
	const char *
		host; /* NULL: all interfaces (IPv6 with IPv4, IPv4 alone where IPv6 is off) */
	uint16_t port; /* 0: any free one */
	size_t body_max; /* bytes; 0: 1 MB */
	int64_t head_timeout; /* ms; 0: 10 s */
	size_t connections_max; /* HTTP connections; requests beyond wait; 0: 256 */
};

typedef void front_form_field(void *owner, const char *name,
			      const char *filename, const char *type,
			      const char *data, size_t len);

struct front_table {
	/* NULL (ERR_CONNECT): in use (by whom, if it can be known), no permission, no such address. */
	struct front *(*open)(struct loop *l, const struct front_config *config,
			      const struct front_events *events, void *owner,
			      struct error *err);
	uint16_t (*port)(const struct front *f);
	/*
	 * Answer: content_type and body are copied. Content-Length is always sent, and
	 * where the peer wants the connection closed it is given time to close first.
	 */
	void (*reply)(struct front_request *rq, int status,
		      const char *content_type, const char *body, size_t len);
	/*
	 * The fields of a form in the request's body (multipart/form-data or
	 * urlencoded), in their order, each whole; data is lent. type, filename:
	 * NULL if not told. Only amid the event http. -1 (ERR_PROTOCOL): the
	 * body is no form, or is cut; fields may have come before.
	 */
	int (*form)(struct front_request *rq, front_form_field *field,
		    void *owner, struct error *err);
	/* Stop listening, drop what is open, release; ends in closed(owner) from the loop, after which no event comes. */
	void (*close)(struct front *f, void (*closed)(void *owner));
};

extern const struct front_table front_table;

#endif
