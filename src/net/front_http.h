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
	char *uri;
	struct buf body;
	size_t received;
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

/* front_http.c */
void request_resume(struct front_request *rq);
void request_drop(struct front_request *rq);

/* front_answer.c */
void request_answer(struct front_request *rq, const struct front_answer *a);
/* The header fields of an answer. */
void response_fill(struct MHD_Response *r, const char *content_type,
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
