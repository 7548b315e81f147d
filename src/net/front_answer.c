/* SPDX-License-Identifier: MIT */
/*
 * Answers to HTTP requests, above all those behind which the connection is
 * closed: libmicrohttpd would close at once, a board must close first.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/front_http.h"

/* How long the peer may take to close first (device.md 5.4, 8). */
#define CLOSE_GRACE_MS 1000
/* The library tells nothing of a connection that rests, so it is looked at. */
#define CLOSE_LOOK_MS 20

/*
 * The body of an answer behind which the connection is closed. After its last
 * byte the connection rests until the peer had time to close.
 */
static ssize_t read_answer(void *cls, uint64_t at, char *out, size_t max)
{
	struct front_request *rq = cls;
	size_t left = at < rq->text_len ? rq->text_len - (size_t)at : 0;

	if (left > 0) {
		left = left < max ? left : max;
		memcpy(out, rq->text + at, left);
		return (ssize_t)left;
	}
	if (rq->grace_over || rq->front->closing)
		return MHD_CONTENT_READER_END_OF_STREAM;
	rq->suspended = true;
	MHD_suspend_connection(rq->connection);
	rq->grace_end = loop_now() + CLOSE_GRACE_MS;
	timer_start(&rq->grace, CLOSE_LOOK_MS);
	return 0;
}

static bool peer_closed(const struct front_request *rq)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		rq->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	ssize_t len;
	char byte;

	if (!info)
		return true;
	len = recv(info->connect_fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
	return len == 0 || (len < 0 && errno != EAGAIN && errno != EINTR);
}

void request_grace(void *owner)
{
	struct front_request *rq = owner;

	if (rq->connection && loop_now() < rq->grace_end && !peer_closed(rq)) {
		timer_start(&rq->grace, CLOSE_LOOK_MS);
		return;
	}
	rq->grace_over = true;
	request_resume(rq);
}

/*
 * libmicrohttpd ends such a connection at once when it knows the length. So
 * it is not told: the length is a header of ours, and the stream ends late.
 */
static struct MHD_Response *closing_response(struct front_request *rq)
{
	struct MHD_Response *r = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, 4096, read_answer, rq, NULL);
	char number[24];

	if (!r)
		return NULL;
	MHD_set_response_options(r,
				 MHD_RF_HTTP_1_0_COMPATIBLE_STRICT |
					 MHD_RF_INSANITY_HEADER_CONTENT_LENGTH,
				 MHD_RO_END);
	snprintf(number, sizeof(number), "%zu", rq->text_len);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_LENGTH, number);
	return r;
}

/* Pages of others may read it only if the user named them. */
static void add_guest(struct MHD_Response *r, const char *guest)
{
	if (!guest)
		return;
	MHD_add_response_header(r, "Access-Control-Allow-Origin", guest);
	MHD_add_response_header(r, "Access-Control-Expose-Headers",
				"Mcp-Session-Id");
	MHD_add_response_header(r, "Vary", "Origin");
}

void response_fill(const struct front_request *rq, const char *content_type,
		   const struct headers *headers)
{
	struct MHD_Response *r = rq->response;

	if (content_type)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
					content_type);
	MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
	add_guest(r, rq->guest);
	for (size_t i = 0; headers && i < headers->count; i++)
		MHD_add_response_header(r, headers->item[i].name,
					headers->item[i].value);
}

void request_answer(struct front_request *rq, const struct front_answer *a)
{
	bool empty = a->status == MHD_HTTP_ACCEPTED ||
		     a->status == MHD_HTTP_NO_CONTENT;
	struct MHD_Response *r;

	/* The request lives longer than its response: the copy is lent to it. */
	rq->text_len = empty ? 0 : a->len;
	rq->text = mem_alloc(rq->text_len + 1);
	if (rq->text_len > 0)
		memcpy(rq->text, a->body, rq->text_len);
	if (rq->closes && a->status != MHD_HTTP_NO_CONTENT)
		r = closing_response(rq);
	else
		r = MHD_create_response_from_buffer(rq->text_len, rq->text,
						    MHD_RESPMEM_PERSISTENT);
	rq->status = (unsigned)a->status;
	rq->response = r;
	if (r)
		response_fill(rq, empty ? NULL : a->content_type, a->headers);
}

void front_reply_with(struct front_request *rq, int status,
		      const char *content_type, const struct headers *headers,
		      const char *body, size_t len)
{
	const struct front_answer answer = { status, content_type, headers,
					     body, len };

	if (rq->status)
		return;
	if (!rq->connection) {
		rq->status = (unsigned)status;
		request_drop(rq);
		return;
	}
	request_unwatch(rq);
	request_answer(rq, &answer);
	request_resume(rq);
}

void front_reply(struct front_request *rq, int status, const char *content_type,
		 const char *body, size_t len)
{
	front_reply_with(rq, status, content_type, NULL, body, len);
}

enum MHD_Result request_queue_answer(struct front_request *rq)
{
	enum MHD_Result result;

	if (!rq->response)
		return MHD_NO;
	result = MHD_queue_response(rq->connection, rq->status, rq->response);
	MHD_destroy_response(TAKE(rq->response));
	return result;
}
