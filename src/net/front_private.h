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

/* front_room.c: who is told what */
/* One handle less, perhaps the last. */
void front_handle_closed(void *front);
/*
 * Each watch is a handle of its own: it must be closed, not only stopped, before
 * another library puts the descriptor into the same loop. NULL: it failed.
 */
uv_poll_t *front_watch(struct front *f, int fd, int events, uv_poll_cb fn,
		       void *data);
void front_unwatch(uv_poll_t **poll); /* *poll may be NULL, and is afterwards */
void front_noise(struct front *f, enum front_noise what, const char *address);

/* Somebody is refused, since that is used up. */
void front_lacks(struct front *f, enum lack what, const char *address);
void front_tell_open(struct front *f);
void front_tell_close(struct front *f);
/*
 * NULL, or why such a request is not answered, with the status of HTTP; it was
 * told then.
 */
const char *front_refuse(struct front *f, const struct front_head *head,
			 bool upgrade, int *status);

/*
 * What strangers hold. A connection came: one of a proxy is nobody's before the
 * head of a request is there.
 */
void front_share_begin(struct front *f, struct share *s,
		       const struct sockaddr *peer);
/* The head is there: whose is it? address becomes that of whom a proxy asks for. */
void front_share_whose(struct front *f, struct share *s,
		       const struct sockaddr_storage *peer,
		       const struct headers *h, char *address);
enum front_standing front_standing(const struct front *f,
				   const struct front_head *head);
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
};

/* front_room.c: the connections of HTTP */
void http_guest_add(struct front *f, struct MHD_Connection *c, void **context);
void http_guest_remove(struct front *f, void **context);
struct http_guest *http_guest_of(struct MHD_Connection *c);
/* It said something, or is to be answered: it goes behind the others. g may be NULL. */
void http_guest_moved(struct http_guest *g, bool answering);
/* The address of the connection's other end; of no family if it is not known. */
struct sockaddr_storage connection_peer(struct MHD_Connection *c);
/*
 * An address has more connections than one gets, and another one comes: one of
 * HTTP that was silent for long goes. False: there is none.
 */
bool front_end_other(struct front *f, const struct share *than);
/* So many of those that were silent, or have ended, go. */
void front_end_silent(struct front *f, size_t wanted);
/*
 * A request waits for a place of HTTP: those that are silent go; for one that
 * is known, a stranger goes at once.
 */
void front_press(struct front *f, bool known);
void front_press_open(struct front *f);
void front_press_close(struct front *f);

/* front_answer.c: see front_table */
void front_reply(struct front_request *rq, int status, const char *content_type,
		 const char *body, size_t len);
void front_reply_with(struct front_request *rq, int status,
		      const char *content_type, const struct headers *headers,
		      const char *body, size_t len);
void front_lend(struct front_request *rq, int status, const char *content_type,
		const struct headers *headers, const struct front_lent *body);
/* What of it the peer has, while there is a connection. */
void lent_look(struct front_request *rq);
/* The request is over; its owner is told. */
void lent_over(struct front_request *rq);
void front_reply_file(struct front_request *rq, const char *content_type,
		      const struct headers *headers, int fd, uint64_t size);
struct front_stream *front_stream(struct front_request *rq, int status,
				  const char *content_type,
				  const struct headers *headers,
				  const struct front_stream_events *events,
				  void *owner);
size_t front_stream_waiting(const struct front_stream *s);
void front_stream_write(struct front_stream *s, const char *data, size_t len);
void front_stream_end(struct front_stream *s);
int front_form(struct front_request *rq, front_form_field *field, void *owner,
	       struct error *err);

/* front_answer.c: the daemon runs in the next turn of the loop. */
void front_http_later(struct front *f);
/*
 * Who was answered and has closed counts no more, though nobody looked yet:
 * before one is refused, since many boards end a question and dial at once.
 */
void front_http_look(struct front *f);
void request_answer(struct front_request *rq, const struct front_answer *a);
enum MHD_Result request_queue_answer(struct front_request *rq);
/* See a peer go that sends nothing and is sent nothing. */
void request_watch(struct front_request *rq);
/* Its descriptor; -1. */
int request_socket(const struct front_request *rq);
void request_grace(void *owner); /* its timer: the peer had time to close */
void request_drop(struct front_request *rq);
/* The request is over. */
void stream_over(struct front_stream *s);

/* front_http.c */
int front_http_open(struct front *f, struct error *err);
void front_http_add(struct front *f, int fd, const struct visitor *v);
void front_http_close(struct front *f);

/* front_head.c */
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
/* Take an accepted socket. */
void visitor_new(struct front *f, int fd, const struct sockaddr_storage *peer,
		 socklen_t len);
/* Drop it: with its socket, unless that was handed on. */
void visitor_close(struct visitor *v);
/*
 * There is no place for who comes: the one that kept us waiting longest goes, or
 * went on. False: there is none such.
 */
bool front_make_room(struct front *f);
/* Those that wait for a place of HTTP are looked at again, who came first first. */
void front_dequeue(struct front *f);
/* See front_table.judge. */
const char *front_judge(struct front *f, const struct front_head *head,
			int *status);
/* {"error":reason} without waiting for the peer: fd is closed. */
void front_refuse_socket(struct front *f, int fd, const char *reason);

#endif
