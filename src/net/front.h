/* SPDX-License-Identifier: MIT */
/*
 * Listening sockets: accept, look at the head of the request without reading
 * it, hand a WebSocket upgrade on unread, and let libmicrohttpd speak the rest.
 * Shared by listen:, sim --listen and serve. Knows no paths and no devices.
 * A loaded part: module_table("front", FRONT_TABLE, err).
 */
#ifndef NET_FRONT_H
#define NET_FRONT_H

#include "net/admit.h"
#include "net/budget.h"
#include "net/head.h"
#include "net/lacks.h"
#include "net/transport.h"

#define FRONT_TABLE "front_table"
#define FRONT_HEAD_MAX 16384

struct front; /* the listener */
struct front_request; /* one HTTP request whose body has arrived */

struct front_head { /* lent during the event */
	const char
		*address; /* of the peer, or of whom a trusted proxy asks for */
	const char *
		local; /* address of ours that it reached, "192.168.1.2:8000" */
	const char *method, *path,
		*query; /* path without the query; query NULL if none */
	const struct headers *headers;
	bool tls; /* a trusted proxy says that it was asked by TLS */
	/* What its connection holds: who keeps an upgrade takes it (share_move). */
	struct share *share;
};

/* Who a request is, as far as its head tells; see net/budget.h. */
enum front_standing {
	FRONT_STRANGER,
	FRONT_NAMED, /* it names a board that is known, without a proof */
	FRONT_SHOWN /* it shows a secret of ours */
};

enum front_noise {
	FRONT_TLS, /* a TLS ClientHello */
	FRONT_GARBAGE, /* no HTTP request line */
	FRONT_BROKEN, /* HTTP, but a head that is broken or can be read in two ways, or an upgrade that is not spoken (answered 400) */
	FRONT_HALF_UPGRADE, /* a WebSocket of HTTP/1.0, or without Connection, as proxies send it that are not told otherwise (answered 400) */
	FRONT_SLOW, /* the head was not finished in time */
	FRONT_EMPTY, /* connected and went without a byte */
	FRONT_TOO_LARGE, /* head above FRONT_HEAD_MAX (answered 431) */
	FRONT_BODY_TOO_LARGE, /* body above body_max (answered 413) */
	FRONT_BODY_OF_STRANGER, /* body above what events.body_max said (answered 403) */
	FRONT_CUT, /* the body ended before its end */
	FRONT_BUSY /* no place for it in all of head_timeout (answered 503) */
};

struct front_events {
	/* An HTTP request with its body. Answer with table->reply, reply_with or stream, now or later, exactly once. */
	void (*http)(void *owner, struct front_request *rq,
		     const struct front_head *head, const char *body,
		     size_t len);
	/*
	 * A plain request, its head looked at and not read, of whom may come in
	 * (an Upgrade in it is an offer, and not to be passed on):
	 * fd is the owner's, and what its connection holds (share_move); http
	 * never comes then. NULL: HTTP is spoken here.
	 */
	void (*take)(void *owner, int fd, const struct front_head *head);
	/*
	 * A WebSocket upgrade (version 13, with a key). Return 0 to keep fd (hand it
	 * to ws_table.adopt), or an HTTP status (401, 403, 404, 503): front answers it with a JSON body
	 * {"error":reason} and closes. Set *reason for that (static text).
	 */
	int (*upgrade)(void *owner, int fd, const struct front_head *head,
		       const char **reason);
	/*
	 * The peer of a request that is not answered yet went, or ended its
	 * side: the request is gone, do not answer it. NULL: nobody looks, and
	 * the answer is needed all the same.
	 */
	void (*gone)(void *owner, struct front_request *rq);
	/*
	 * Ten of each kind are told in a minute. address NULL: one more, of
	 * which nothing is told now; their number is at its end, by refused.
	 */
	void (*noise)(void *owner, enum front_noise what, const char *address);
	/*
	 * A page of others, or one that came by a name that is not ours, was
	 * refused (403, 421): told once a minute, of ten at most. Or anybody
	 * was (503, 429), since descriptors ran out, or strangers or their
	 * address had more than they get: each told once a minute. How many
	 * more there were is told at its end.
	 */
	void (*refused)(void *owner, const struct front_refusal *r);
	/*
	 * Who sends this head, of a request or an upgrade; asked before it is
	 * anything else's matter. NULL: strangers.
	 */
	enum front_standing (*standing)(void *owner,
					const struct front_head *head);
	/*
	 * How many bytes of body a request with this head may have, below
	 * config.body_max: asked before any of them is kept. NULL: as many.
	 */
	size_t (*body_max)(void *owner, const struct front_head *head);
	/*
	 * How many sockets may be with the front now: their heads are awaited,
	 * or a place for their request, or they are connections of HTTP; a file
	 * that is sent (reply_file) counts as one more. Those beyond wait to be
	 * accepted. Asked amid open, too. NULL: twice
	 * connections_max, but no more than three quarters of the descriptors
	 * that were left when it was opened.
	 */
	size_t (*sockets_max)(void *owner);
	/*
	 * Who asks would be one connection too many of its address, or of all:
	 * the owner may end one that it took (events.take). False: it ended
	 * none. NULL: it has none to end.
	 */
	bool (*room)(void *owner);
};

struct front_config {
	const char *
		host; /* NULL: all interfaces (IPv6 with IPv4, IPv4 alone where IPv6 is off) */
	uint16_t port; /* 0: any free one */
	int socket; /* one that listens already, lent; 0: of host and port */
	struct admit_options
		admit; /* beside host and what this machine is called */
	size_t body_max; /* bytes; 0: 1 MB */
	int64_t head_timeout; /* ms; 0: 10 s */
	unsigned idle; /* s in which nothing is said nor taken; 0: 15 */
	int64_t refused_again; /* ms in which refusals are told once; 0: 60 s */
	size_t connections_max; /* HTTP connections; requests beyond wait; 0: 256 */
	struct budget *budget; /* lent; NULL: one of its own, for its places */
	bool counts_questions; /* requests within a minute (BUDGET_QUESTIONS) */
};

/* The body of an answer that is not copied. */
struct front_lent {
	const char *data; /* must stay until over */
	size_t len;
	/* So many bytes were taken by the peer, as far as TCP tells; often. */
	void (*moved)(void *owner, size_t taken);
	/* The request is over, however: once, and also where the front closes. */
	void (*over)(void *owner, size_t taken);
	void *owner;
};
#define FRONT_LENT_IDLE_S \
	60 /* a peer that takes nothing for so long is ended */

typedef void front_form_field(void *owner, const char *name,
			      const char *filename, const char *type,
			      const char *data, size_t len);

/* An answer that goes on until it is ended: an event stream. */
struct front_stream;
struct front_stream_events {
	/*
	 * The peer went, or reads too slowly (FRONT_STREAM_MAX bytes wait, or
	 * none is taken within idle): once, from the loop, unless stream_end came
	 * before. It is gone then.
	 */
	void (*gone)(void *owner);
};
#define FRONT_STREAM_MAX (16u << 20)

struct front_table {
	/*
	 * NULL (ERR_CONNECT): in use (by whom, if it can be known), no permission,
	 * no such address; (ERR_USAGE): of config.admit.
	 */
	struct front *(*open)(struct loop *l, const struct front_config *config,
			      const struct front_events *events, void *owner,
			      struct error *err);
	uint16_t (*port)(const struct front *f);
	/*
	 * One more request on a connection that was taken (events.take), its head
	 * whole: NULL, or why it is refused, with the status of HTTP; told then.
	 * Its address and share are those of the first one.
	 */
	const char *(*judge)(struct front *f, const struct front_head *head,
			     int *status);
	/*
	 * Who came there is refused by the owner, since that is used up: told as
	 * front tells it.
	 */
	void (*lacks)(struct front *f, enum lack what, const char *address);
	/* Refusals that were counted are told now; close does that, too. */
	void (*hush)(struct front *f);
	/* Its sockets, and the files that it sends: see sockets_max. */
	size_t (*sockets)(const struct front *f);
	/*
	 * Answer: content_type and body are copied. Content-Length is always sent, and
	 * where the peer wants the connection closed it is given time to close first.
	 */
	void (*reply)(struct front_request *rq, int status,
		      const char *content_type, const char *body, size_t len);
	/*
	 * The same with more headers of the answer (may be NULL): a
	 * Cache-Control among them stands in place of "no-store". 202 and 204
	 * have no body; content_type and body may be NULL then.
	 */
	void (*reply_with)(struct front_request *rq, int status,
			   const char *content_type,
			   const struct headers *headers, const char *body,
			   size_t len);
	/*
	 * As reply_with, of a body that is lent; also to HEAD, which gets none of
	 * it. The connection ends behind it.
	 */
	void (*lend)(struct front_request *rq, int status,
		     const char *content_type, const struct headers *headers,
		     const struct front_lent *body);
	/*
	 * Answer 200 with size bytes of a file, as the peer takes them: none is
	 * held here. The descriptor is taken over.
	 */
	void (*reply_file)(struct front_request *rq, const char *content_type,
			   const struct headers *headers, int fd,
			   uint64_t size);
	/*
	 * Answer with a body that comes in parts (chunked), each sent at once.
	 * Never NULL; if the peer is gone already, gone comes.
	 */
	struct front_stream *(*stream)(struct front_request *rq, int status,
				       const char *content_type,
				       const struct headers *headers,
				       const struct front_stream_events *events,
				       void *owner);
	/* Bytes that wait for the peer. */
	size_t (*stream_waiting)(const struct front_stream *s);
	/* Queue bytes; copied. */
	void (*stream_write)(struct front_stream *s, const char *data,
			     size_t len);
	/* The end of the body, behind what waits. The stream is gone. */
	void (*stream_end)(struct front_stream *s);
	/*
	 * The fields of a form in the request's body (multipart/form-data or
	 * urlencoded), in their order, each whole; data is lent. type, filename:
	 * NULL if not told. Only amid the event http. -1 (ERR_PROTOCOL): the
	 * body is no form, or is cut; fields may have come before.
	 */
	int (*form)(struct front_request *rq, front_form_field *field,
		    void *owner, struct error *err);
	/*
	 * Stop listening, drop what is open, release; ends in closed(owner) from
	 * the loop. No event of a request or stream comes any more: they are gone.
	 */
	void (*close)(struct front *f, void (*closed)(void *owner));
};

extern const struct front_table front_table;

#endif
