/* SPDX-License-Identifier: MIT */
/*
 * Answers that go on until they are ended. What waits is kept here, bounded;
 * while nothing waits the connection is suspended. Knows no event streams.
 */
#include <assert.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#include "net/front_http.h"

#define PART_MAX 16384
/* An empty buffer larger than this is given back. */
#define KEEP_MAX 65536

/* Parts are small and wanted at once: none waits for the peer's word on the one before. */
static void hurry(const struct front_request *rq)
{
	const int one = 1;

	setsockopt(request_socket(rq), IPPROTO_TCP, TCP_NODELAY, &one,
		   sizeof(one));
}

static void rest(struct front_request *rq)
{
	rq->suspended = true;
	MHD_suspend_connection(rq->connection);
}

/* What was sent leaves the buffer now and then, not at each part. */
static void forget_sent(struct front_stream *s)
{
	if (s->sent < s->waiting.len && s->sent < KEEP_MAX)
		return;
	buf_consume(&s->waiting, s->sent);
	s->sent = 0;
	if (s->waiting.len == 0 && s->waiting.capacity > KEEP_MAX)
		buf_done(&s->waiting);
}

static ssize_t read_stream(void *cls, uint64_t at, char *out, size_t max)
{
	struct front_stream *s = cls;
	size_t left = s->waiting.len - s->sent;

	(void)at;
	if (s->request->cut)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (left == 0) {
		if (!s->open)
			return MHD_CONTENT_READER_END_OF_STREAM;
		rest(s->request);
		return 0;
	}
	left = left < max ? left : max;
	memcpy(out, s->waiting.data + s->sent, left);
	s->sent += left;
	forget_sent(s);
	return (ssize_t)left;
}

void stream_over(struct front_stream *s)
{
	if (!s->open)
		return;
	s->open = false;
	if (!s->request->front->closing)
		s->events.gone(s->owner);
}

/* The peer was gone before the stream began. */
static void on_never(void *owner)
{
	struct front_request *rq = owner;

	stream_over(&rq->stream);
	request_drop(rq);
}

static void begin(struct front_request *rq, const char *content_type,
		  const struct headers *headers)
{
	rq->response = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, PART_MAX, read_stream, &rq->stream, NULL);
	if (rq->response)
		response_fill(rq, content_type, headers);
	hurry(rq);
	request_watch(rq);
	request_resume(rq);
}

/* NOLINTNEXTLINE(readability-function-size) see front_table */
struct front_stream *front_stream(struct front_request *rq, int status,
				  const char *content_type,
				  const struct headers *headers,
				  const struct front_stream_events *events,
				  void *owner)
{
	struct front_stream *s = &rq->stream;

	assert(!rq->status);
	rq->status = (unsigned)status;
	s->request = rq;
	s->events = *events;
	s->owner = owner;
	s->open = true;
	if (rq->connection) {
		begin(rq, content_type, headers);
		return s;
	}
	rq->cut = true;
	rq->grace.fn = on_never;
	timer_start(&rq->grace, 0);
	return s;
}

/* A peer that reads nothing holds the library back: its socket is ended. */
static void cut(struct front_request *rq)
{
	rq->cut = true;
	shutdown(request_socket(rq), SHUT_RDWR);
	request_resume(rq);
}

void front_stream_write(struct front_stream *s, const char *data, size_t len)
{
	struct front_request *rq = s->request;

	if (rq->cut || rq->front->closing)
		return;
	if (len > FRONT_STREAM_MAX - (s->waiting.len - s->sent)) {
		cut(rq);
		return;
	}
	buf_add(&s->waiting, data, len);
	request_resume(rq);
}

void front_stream_end(struct front_stream *s)
{
	struct front_request *rq = s->request;

	s->open = false;
	if (rq->connection)
		request_resume(rq);
	else
		timer_start(&rq->grace, 0);
}
