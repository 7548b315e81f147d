/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request, from its first line to the last byte of its answer.
 */
#ifndef NET_FRONT_HTTP_H
#define NET_FRONT_HTTP_H

#include "base/buf.h"
#include "net/front_private.h"

struct front_request {
	struct front *front;
	struct front_request *next;
	struct MHD_Connection *connection; /* NULL when it is over */
	char *uri;
	struct buf body;
	size_t received;
	bool started, told, suspended, closes;
	struct MHD_Response *response;
	unsigned status;
	char *text; /* the body of the answer */
	size_t text_len;
	struct timer grace;
	int64_t grace_end; /* loop_now() ms */
	bool grace_over;
};

/* front_http.c */
void request_resume(struct front_request *rq);
void request_drop(struct front_request *rq);

/* front_answer.c */
void request_answer(struct front_request *rq, int status,
		    const char *content_type, const char *body, size_t len);
enum MHD_Result request_queue_answer(struct front_request *rq);
/* The timer grace: the peer had time to close. */
void request_grace(void *owner);

#endif
