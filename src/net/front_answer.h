/* SPDX-License-Identifier: MIT */
/*
 * A request of HTTP from its answer on: answers, streams, forms; whether its
 * peer is still there.
 */
#ifndef NET_FRONT_ANSWER_H
#define NET_FRONT_ANSWER_H

#include "net/front_private.h"

/* See front_table. */
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

/* The daemon runs in the next turn of the loop. */
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

#endif
