/* SPDX-License-Identifier: MIT */
/*
 * A request of HTTP from its answer on: answers, streams, forms; whether its
 * peer is still there.
 */
#include "net/front_answer.h"

#include <assert.h>
#include <errno.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/front_private.h"
#include "net/front_room.h"

void front_http_later(struct front *f)
{
	f->http_due = true;
	if (!f->closing)
		timer_start(&f->http_timer, 0);
}

static void request_resume(struct front_request *rq)
{
	if (!rq->suspended || !rq->connection)
		return;
	rq->suspended = false;
	MHD_resume_connection(rq->connection);
	front_http_later(rq->front);
}

/*
 * Sees a peer go while its request is suspended: libmicrohttpd does not look
 * at such a socket. What then becomes of the request is not decided here.
 */

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct front_request *rq = poll->data;

	if (status >= 0 && !(events & UV_DISCONNECT))
		return;
	front_unwatch(&rq->watch);
	rq->cut = true;
	request_resume(rq);
}

int request_socket(const struct front_request *rq)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(
		rq->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

	return info ? info->connect_fd : -1;
}

void request_watch(struct front_request *rq)
{
	int fd = request_socket(rq);

	if (rq->watch || fd < 0)
		return;
	rq->watch = front_watch(rq->front, fd, UV_DISCONNECT, on_poll, rq);
}

/* ---- its end ---- */

static void free_request(struct front_request *rq)
{
	mem_free(rq->uri);
	mem_free(rq->path);
	mem_free(rq->query);
	mem_free(rq->guest);
	headers_done(&rq->headers);
	mem_free(rq->text);
	buf_done(&rq->body);
	buf_done(&rq->stream.waiting);
	mem_free(rq);
}

static void on_grace_closed(void *owner)
{
	struct front_request *rq = owner;
	struct front *f = rq->front;

	free_request(rq);
	front_handle_closed(f);
}

static void start_grace(struct front_request *rq, void (*fn)(void *owner),
			int64_t ms)
{
	if (!rq->grace.open) {
		timer_open(&rq->grace, rq->front->loop, fn, rq);
		rq->front->handles++;
	}
	timer_start(&rq->grace, ms);
}

/*
 * At once, if it can be: of a peer that asks on and on without a pause there are
 * many in one turn of the loop.
 */
void request_drop(struct front_request *rq)
{
	struct front_request **link = &rq->front->requests;

	while (*link != rq)
		link = &(*link)->next;
	*link = rq->next;
	front_unwatch(&rq->watch);
	lent_over(rq);
	rq->front->files -= rq->file;
	if (rq->response)
		MHD_destroy_response(TAKE(rq->response));
	if (rq->grace.open)
		timer_close(&rq->grace, on_grace_closed);
	else
		free_request(rq);
}

/*
 * Answers to HTTP requests, above all those behind which the connection is
 * closed: libmicrohttpd would close at once, a board must close first.
 */

/* How long the peer may take to close first (device.md 5.4 item 8). */
#define CLOSE_GRACE_MS 1000
/* The library tells nothing of a connection that rests, so it is looked at. */
#define CLOSE_LOOK_MS 20

/*
 * A body that is lent. How much of it the peer has is what was handed to the
 * socket, without what TCP holds still; little is held, so that a peer that
 * dies amid it is known to have.
 */
#define LENT_HELD 65536
#define PART_MAX 16384 /* of a long body, in one go */

static size_t unacknowledged(const struct front_request *rq)
{
	int fd = request_socket(rq), held = 0;

	if (fd < 0 || ioctl(fd, SIOCOUTQ, &held) != 0 || held < 0)
		return 0;
	return (size_t)held;
}

void lent_look(struct front_request *rq)
{
	size_t held, taken;

	if (!rq->lent.over || !rq->connection)
		return;
	held = unacknowledged(rq);
	taken = rq->lent_at > held ? rq->lent_at - held : 0;
	if (taken <= rq->lent_taken)
		return;
	rq->lent_taken = taken;
	rq->lent_until = loop_now() + FRONT_LENT_IDLE_S * INT64_C(1000);
	if (!rq->front->closing)
		rq->lent.moved(rq->lent.owner, taken);
}

/* All before that was handed to the socket. */
static void lent_moved(struct front_request *rq, size_t at)
{
	rq->lent_at = at;
	lent_look(rq);
}

/* Not all of it arrived, and it goes on. */
static bool lent_waits(struct front_request *rq)
{
	lent_look(rq);
	return rq->lent.over && rq->lent_taken < rq->text_len &&
	       loop_now() < rq->lent_until;
}

void lent_over(struct front_request *rq)
{
	void (*over)(void *owner, size_t taken) = rq->lent.over;

	rq->lent.over = NULL;
	if (over)
		over(rq->lent.owner, rq->lent_taken);
}

/*
 * The body of an answer behind which the connection is closed. After its last
 * byte the connection rests until the peer had time to close.
 */
static ssize_t read_answer(void *cls, uint64_t at, char *out, size_t max)
{
	struct front_request *rq = cls;
	size_t left = at < rq->text_len ? rq->text_len - (size_t)at : 0;

	lent_moved(rq, (size_t)at);
	if (left > 0) {
		left = left < max ? left : max;
		memcpy(out, (rq->lent.over ? rq->lent.data : rq->text) + at,
		       left);
		return (ssize_t)left;
	}
	if (rq->grace_over || rq->front->closing)
		return MHD_CONTENT_READER_END_OF_STREAM;
	rq->suspended = true;
	MHD_suspend_connection(rq->connection);
	rq->grace_end = loop_now() + CLOSE_GRACE_MS;
	start_grace(rq, request_grace, CLOSE_LOOK_MS);
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

/* The timer grace: the peer had time to close. */
void request_grace(void *owner)
{
	struct front_request *rq = owner;

	if (rq->connection && (loop_now() < rq->grace_end || lent_waits(rq)) &&
	    !peer_closed(rq)) {
		timer_start(&rq->grace, CLOSE_LOOK_MS);
		return;
	}
	rq->grace_over = true;
	request_resume(rq);
}

void front_http_look(struct front *f)
{
	for (struct front_request *rq = f->requests; rq; rq = rq->next) {
		struct http_guest *g = rq->suspended && rq->grace_end ?
					       http_guest_of(rq->connection) :
					       NULL;

		if (!g || rq->grace_over || !peer_closed(rq))
			continue;
		share_close(&g->share);
		rq->grace_over = true;
		request_resume(rq);
	}
}

/*
 * libmicrohttpd ends such a connection at once when it knows the length. So
 * it is not told: the length is a header of ours, and the stream ends late.
 */
static struct MHD_Response *closing_response(struct front_request *rq)
{
	struct MHD_Response *r = MHD_create_response_from_callback(
		MHD_SIZE_UNKNOWN, rq->lent.over ? PART_MAX : 4096, read_answer,
		rq, NULL);
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

/* The header fields of its response. */
static void response_fill(const struct front_request *rq,
			  const char *content_type,
			  const struct headers *headers)
{
	struct MHD_Response *r = rq->response;

	if (content_type)
		MHD_add_response_header(r, MHD_HTTP_HEADER_CONTENT_TYPE,
					content_type);
	if (!headers || !headers_get(headers, MHD_HTTP_HEADER_CACHE_CONTROL))
		MHD_add_response_header(r, MHD_HTTP_HEADER_CACHE_CONTROL,
					"no-store");
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
	front_unwatch(&rq->watch);
	request_answer(rq, &answer);
	request_resume(rq);
}

static void begin_lent(struct front_request *rq, const char *content_type,
		       const struct headers *headers)
{
	const int held = LENT_HELD;

	setsockopt(request_socket(rq), SOL_SOCKET, SO_SNDBUF, &held,
		   sizeof(held));
	MHD_set_connection_option(rq->connection, MHD_CONNECTION_OPTION_TIMEOUT,
				  (unsigned)FRONT_LENT_IDLE_S);
	rq->lent_until = loop_now() + FRONT_LENT_IDLE_S * INT64_C(1000);
	rq->closes = true;
	rq->response = closing_response(rq);
	if (rq->response)
		response_fill(rq, content_type, headers);
	front_unwatch(&rq->watch);
	request_resume(rq);
}

/* NOLINTNEXTLINE(readability-function-size) see front_table */
void front_lend(struct front_request *rq, int status, const char *content_type,
		const struct headers *headers, const struct front_lent *body)
{
	assert(!rq->status);
	rq->status = (unsigned)status;
	rq->lent = *body;
	rq->text_len = body->len;
	if (rq->connection)
		begin_lent(rq, content_type, headers);
	else
		request_drop(rq);
}

void front_reply(struct front_request *rq, int status, const char *content_type,
		 const char *body, size_t len)
{
	front_reply_with(rq, status, content_type, NULL, body, len);
}

/* NOLINTNEXTLINE(readability-function-size) see front_table */
void front_reply_file(struct front_request *rq, const char *content_type,
		      const struct headers *headers, int fd, uint64_t size)
{
	if (rq->status || !rq->connection) {
		close(fd);
		front_reply(rq, MHD_HTTP_OK, content_type, "", 0);
		return;
	}
	front_unwatch(&rq->watch);
	rq->status = MHD_HTTP_OK;
	rq->response = MHD_create_response_from_fd64(size, fd);
	rq->file = rq->response != NULL;
	rq->front->files += rq->file;
	if (rq->response)
		response_fill(rq, content_type, headers);
	else
		close(fd);
	request_resume(rq);
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

/*
 * The fields of a form, by libmicrohttpd's post processor. It gives them in
 * pieces; here each becomes whole.
 */

/* What the processor looks at in one go. */
#define PIECE_MAX 65536

struct post_form {
	front_form_field *field;
	void *owner;
	char *name, *filename, *type; /* of the field that has begun */
	struct buf data;
	bool begun;
};

static void finish_field(struct post_form *f)
{
	if (f->begun)
		f->field(f->owner, f->name, f->filename, f->type,
			 buf_string(&f->data), f->data.len);
	f->begun = false;
	buf_reset(&f->data);
	mem_free(TAKE(f->name));
	mem_free(TAKE(f->filename));
	mem_free(TAKE(f->type));
}

/* The first piece of a field may be empty, and then the next one begins at 0 too. */
static bool goes_on(const struct post_form *f, uint64_t offset,
		    const char *name, const char *filename)
{
	if (!f->begun)
		return false;
	return offset > 0 || (f->data.len == 0 && text_equal(f->name, name) &&
			      text_equal(f->filename, filename));
}

/* NOLINTNEXTLINE(readability-function-size) the signature is libmicrohttpd's */
static enum MHD_Result on_piece(void *cls, enum MHD_ValueKind kind,
				const char *name, const char *filename,
				const char *type, const char *encoding,
				const char *data, uint64_t offset, size_t len)
{
	struct post_form *f = cls;

	(void)kind;
	(void)encoding;
	name = name ? name : "";
	if (!goes_on(f, offset, name, filename)) {
		finish_field(f);
		f->begun = true;
		f->name = mem_strdup(name);
		f->filename = mem_strdup(filename);
		f->type = mem_strdup(type);
	}
	buf_add(&f->data, data, len);
	return MHD_YES;
}

/* The end of the boundary in a Content-Type, quoted or not; NULL: it has none. */
static char *boundary_end(const char *type)
{
	char *at = strstr(type, "boundary=");

	if (!at)
		return NULL;
	at += strlen("boundary=");
	if (*at != '"')
		return at + strcspn(at, "; \t");
	at += 1 + strcspn(at + 1, "\"");
	return at + (*at == '"');
}

/* The processor takes all that follows "boundary=" for the boundary. */
static struct MHD_PostProcessor *processor_of(struct front_request *rq,
					      struct post_form *f)
{
	/* It lies in the buffer of the connection, which writes there, too. */
	const char *type = MHD_lookup_connection_value(
		rq->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_TYPE);
	char *end = type ? boundary_end(type) : NULL, was = '\0';
	struct MHD_PostProcessor *processor;

	if (end) {
		was = *end;
		*end = '\0';
	}
	processor = MHD_create_post_processor(rq->connection, PIECE_MAX,
					      on_piece, f);
	if (end)
		*end = was;
	return processor;
}

int front_form(struct front_request *rq, front_form_field *field, void *owner,
	       struct error *err)
{
	struct post_form f = { .field = field, .owner = owner };
	struct MHD_PostProcessor *processor = NULL;
	bool whole;

	if (rq->connection)
		processor = processor_of(rq, &f);
	if (!processor)
		return error_set(err, ERR_PROTOCOL,
				 "the body is no form (multipart/form-data)");
	whole = MHD_post_process(processor, buf_string(&rq->body),
				 rq->body.len) == MHD_YES;
	whole = MHD_destroy_post_processor(processor) == MHD_YES && whole;
	/* A field that was cut is none. */
	f.begun = f.begun && whole;
	finish_field(&f);
	buf_done(&f.data);
	if (!whole)
		return error_set(err, ERR_PROTOCOL,
				 "the form in the body is broken or cut");
	return 0;
}

/*
 * Answers that go on until they are ended. What waits is kept here, bounded;
 * while nothing waits the connection is suspended. Knows no event streams.
 */

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

/* The request is over. */
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
	start_grace(rq, on_never, 0);
	return s;
}

/* A peer that reads nothing holds the library back: its socket is ended. */
static void cut(struct front_request *rq)
{
	rq->cut = true;
	shutdown(request_socket(rq), SHUT_RDWR);
	request_resume(rq);
}

size_t front_stream_waiting(const struct front_stream *s)
{
	return s->waiting.len - s->sent;
}

void front_stream_write(struct front_stream *s, const char *data, size_t len)
{
	struct front_request *rq = s->request;

	if (rq->cut || rq->front->closing)
		return;
	if (len > FRONT_STREAM_MAX - front_stream_waiting(s)) {
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
		start_grace(rq, on_never, 0);
}
