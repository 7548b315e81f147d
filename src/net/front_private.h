/* SPDX-License-Identifier: MIT */
/*
 * What the files of the front share: the listener, its visitors (sockets
 * whose head is still awaited, or that were refused), and its HTTP daemon.
 */
#ifndef NET_FRONT_PRIVATE_H
#define NET_FRONT_PRIVATE_H

#include <microhttpd.h>

#include "base/buf.h"
#include "net/address.h"
#include "net/front.h"
#include "net/head.h"

struct visitor;
struct http_guest;

#define PAGES_TOLD 10 /* lines a minute */

struct front_told { /* of the last minute, beside lacks */
	struct timer timer;
	struct counted noise[FRONT_BUSY + 1];
	struct counted pages; /* of others, and names that are not ours */
	uint64_t page[PAGES_TOLD]; /* hashes of those that were told */
};

struct front {
	struct loop *loop;
	struct front_events events;
	void *owner;
	struct front_config
		config; /* with the defaults filled in; host is not kept */

	struct admit admit;
	struct budget *budget;
	struct lacks lacks;
	struct front_told told;

	int fd;
	int reserve; /* a descriptor to refuse with when there is no other; -1 */
	size_t sockets_max; /* where the owner does not say */
	uint16_t port;
	uv_poll_t accept_poll;
	struct timer accept_timer; /* after descriptors ran out */
	unsigned refused_in_turn; /* of the loop */
	bool accepting;

	struct visitor *visitors; /* the newest first */
	struct visitor *visitors_last;
	size_t visitor_count;
	struct visitor *queue_first,
		*queue_last; /* of those: see front_head.c */
	size_t queued;
	size_t called; /* from the queue; each has a place of HTTP */
	char *scratch; /* FRONT_HEAD_MAX bytes to peek into */

	struct MHD_Daemon *daemon;
	uv_poll_t http_poll;
	struct timer http_timer;
	bool http_due; /* it must run in the next turn */
	int64_t restless; /* loop_now() ms since when it does; 0 */
	struct front_request *requests;
	size_t http_connections;
	size_t files; /* that are open for answers */
	struct http_guest *guests, *guests_last; /* front_room.c */
	struct timer press;

	void (*less)(
		struct front *f); /* a place is free: go on with who waits */
	bool closing;
	unsigned
		handles; /* of ours that are not closed yet, visitors included */
	void (*closed)(void *owner);
};
#define BUSY_ADDRESS "busy: too many connections of this address"

/* The part of a request that is answered by a stream. */
struct front_stream {
	struct front_request *request;
	struct front_stream_events events;
	void *owner;
	struct buf waiting;
	size_t sent; /* of waiting */
	bool open; /* its owner has it */
};

struct front_request {
	struct front *front;
	struct front_request *next;
	struct MHD_Connection *connection; /* NULL when it is over */
	char *uri, *path, *query; /* the last two once its head is there */
	char method[16]; /* as far as it fits: no longer one is answered */
	char peer[ADDRESS_TEXT_MAX], local[ADDRESS_TEXT_MAX];
	struct headers headers; /* until it was told */
	char *guest; /* origin of a page that may read the answer; NULL */
	struct buf body;
	size_t received;
	int64_t began; /* loop_now() ms */
	bool tls; /* see front_head */
	bool unheld; /* there was no memory for its body */
	bool file; /* its answer is one, which is open */
	bool started, told, suspended, closes;
	bool cut; /* the peer went */
	uv_poll_t *watch; /* for that; NULL */
	struct MHD_Response *response;
	unsigned status;
	char *text; /* the body of the answer */
	size_t text_len;
	struct timer
		grace; /* opened when it is needed: most have no use for it */
	int64_t grace_end; /* loop_now() ms */
	bool grace_over;
	struct front_stream stream;
	struct front_lent lent; /* over NULL: nothing is */
	size_t lent_at; /* of it, handed to the socket */
	size_t lent_taken; /* of that, acknowledged */
	int64_t lent_until; /* loop_now() ms: for what is not */
};

struct front_answer {
	int status;
	const char *content_type;
	const struct headers *headers; /* more of them; NULL */
	const char *body;
	size_t len;
};

/* A connection of the library's; the one that was silent longest comes first. */
struct http_guest {
	struct http_guest *previous, *next;
	struct front *front;
	struct MHD_Connection *connection;
	struct share share;
	int64_t since; /* loop_now() ms: it came, or said something */
	bool answering; /* it has asked all, and waits for us */
	bool ending;
	bool known; /* who asks now */
	/*
	 * What it asks now. Kept, since the library frees a head whose time is
	 * over a turn before it tells of the connection's end.
	 */
	bool chunked;
};

/* A socket whose head is looked at (front_head.c). */
struct visitor {
	struct front *front;
	struct visitor *previous, *next;
	struct sockaddr_storage peer;
	socklen_t peer_len;
	char address
		[ADDRESS_TEXT_MAX]; /* of whom a proxy asks for, if it does */
	struct share share;
	enum front_standing standing; /* once its head is there */
	int fd; /* -1 once handed on */
	uv_poll_t *poll; /* NULL while stopped */
	struct timer timer;
	size_t seen; /* bytes peeked at */
	unsigned idle_wakes;
	size_t drained;
	struct visitor *next_queued;
	bool queued, called;
	bool lingering;
	bool closing;
};

#endif
