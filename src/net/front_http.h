/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request, from its first line to the last byte of its answer.
 */
#ifndef NET_FRONT_HTTP_H
#define NET_FRONT_HTTP_H

#include "base/buf.h"
#include "net/front_private.h"

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
	bool unheld; /* there was no memory for its body */
	bool started, told, suspended, closes;
	bool cut; /* the peer went */
	uv_poll_t *watch; /* for that; NULL */
	struct MHD_Response *response;
	unsigned status;
	char *text; /* the body of the answer */
	size_t text_len;
	struct timer grace;
	int64_t grace_end; /* loop_now() ms */
	bool grace_over;
	struct front_stream stream;
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

/* front_room.c */
void http_guest_add(struct front *f, struct MHD_Connection *c, void **context);
void http_guest_remove(struct front *f, void **context);
struct http_guest *http_guest_of(struct MHD_Connection *c);
/* It said something, or is to be answered: it goes behind the others. g may be NULL. */
void http_guest_moved(struct http_guest *g, bool answering);

/* front_http.c */
void request_resume(struct front_request *rq);
void request_drop(struct front_request *rq);
/* The address of the connection's other end; of no family if it is not known. */
struct sockaddr_storage connection_peer(struct MHD_Connection *c);
/* As its owner sees it, once its head is there. */
struct front_head request_head(struct front_request *rq);

/* front_judge.c: its head came; an answer is queued if it goes no further. */
enum MHD_Result request_judge(struct front_request *rq, bool http_1_0);
/* A browser asks whether its page may ask (CORS): true, answered. */
bool request_preflight(struct front_request *rq, const char *method);
/* {"error":reason} before the body was read; reason: text of ours. */
enum MHD_Result request_refuse(struct front_request *rq, int status,
			       const char *reason);

/* front_answer.c */
void request_answer(struct front_request *rq, const struct front_answer *a);
/* The header fields of its response. */
void response_fill(const struct front_request *rq, const char *content_type,
		   const struct headers *headers);
enum MHD_Result request_queue_answer(struct front_request *rq);
/* The timer grace: the peer had time to close. */
void request_grace(void *owner);

/* front_watch.c: see a peer go that sends nothing and is sent nothing. */
void request_watch(struct front_request *rq);
void request_unwatch(struct front_request *rq);
/* Its descriptor; -1. */
int request_socket(const struct front_request *rq);

/* front_stream.c: the request is over. */
void stream_over(struct front_stream *s);

#endif
