/* SPDX-License-Identifier: MIT */
/*
 * libmicrohttpd on the loop: requests come in, are judged, and go to the owner.
 */
#include "net/front_http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/front_answer.h"
#include "net/front_private.h"
#include "net/front_room.h"

/* As its owner sees it, once its head is there. */
static struct front_head request_head(struct front_request *rq)
{
	struct http_guest *g = http_guest_of(rq->connection);

	return (struct front_head){ .address = rq->peer,
				    .local = rq->local,
				    .method = rq->method,
				    .path = rq->path,
				    .query = rq->query,
				    .headers = &rq->headers,
				    .tls = rq->tls,
				    .share = &g->share };
}

/*
 * Which requests of HTTP reach the owner at all. Here, and not where the head
 * was looked at, since a connection that is kept brings more of them.
 */

static enum MHD_Result add_header(void *cls, enum MHD_ValueKind kind,
				  const char *name, const char *value)
{
	(void)kind;
	headers_add(cls, name, value ? value : "");
	return MHD_YES;
}

/* The body is not read: the connection ends with the answer. */
static enum MHD_Result request_refuse(struct front_request *rq, int status,
				      const char *reason)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"error\":\"%s\"}\n", reason);
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct front_answer answer = { .status = status,
					     .content_type = "application/json",
					     .headers = &headers,
					     .body = text,
					     .len = strlen(text) };
	char seconds[16];

	snprintf(seconds, sizeof(seconds), "%d",
		 budget_retry_after(rq->front->budget));
	if (status == MHD_HTTP_TOO_MANY_REQUESTS)
		headers_add(&headers, "Retry-After", seconds);
	rq->closes = true;
	request_answer(rq, &answer);
	return request_queue_answer(rq);
}

static enum MHD_Result refuse_head_judge(struct front_request *rq,
					 const char *reason)
{
	front_noise(rq->front, FRONT_BROKEN, rq->peer);
	return request_refuse(rq, 400, reason);
}

/* Who asks, and has its address had more than it gets? Not of those that are known. */
static enum MHD_Result charge(struct front_request *rq)
{
	struct http_guest *g = http_guest_of(rq->connection);
	struct front *f = rq->front;
	const struct front_head head = request_head(rq);
	enum front_standing standing = front_standing(f, &head);

	g->known = standing != FRONT_STRANGER;
	if (standing == FRONT_SHOWN)
		share_close(&g->share);
	if (share_is_over(&g->share))
		front_http_look(f);
	if (!g->known && share_is_over(&g->share) &&
	    !front_end_other(f, &g->share)) {
		front_lacks(f, LACK_CONNECTIONS, rq->peer);
		return request_refuse(rq, MHD_HTTP_SERVICE_UNAVAILABLE,
				      BUSY_ADDRESS);
	}
	if (!f->config.counts_questions ||
	    share_spend(&g->share, g->known ? BUDGET_NAMED : BUDGET_QUESTIONS,
			1))
		return MHD_YES;
	front_lacks(f, LACK_QUESTIONS, rq->peer);
	return request_refuse(rq, MHD_HTTP_TOO_MANY_REQUESTS,
			      "too many requests of this address");
}

static enum MHD_Result request_judge(struct front_request *rq, bool http_1_0)
{
	const struct sockaddr_storage peer = connection_peer(rq->connection);
	struct http_guest *g = http_guest_of(rq->connection);
	CLEANUP(mem_free_ptr) char *host = NULL;
	struct front_head head;
	const char *reason;
	int status;

	g->chunked = headers_get(&rq->headers, "Transfer-Encoding") != NULL;
	host = head_target_host(rq->uri, strlen(rq->uri));
	reason = head_problem(&rq->headers, host, http_1_0);
	if (reason)
		return refuse_head_judge(rq, reason);
	front_share_whose(rq->front, &g->share, &peer, &rq->headers, rq->peer);
	rq->tls = forwarded_by_tls(&rq->front->admit.proxies, &rq->headers,
				   (const struct sockaddr *)&peer);
	head = request_head(rq);
	reason = front_refuse(rq->front, &head, false, &status);
	if (reason)
		return request_refuse(rq, status, reason);
	rq->guest = mem_strdup(admit_guest(&rq->front->admit, &rq->headers));
	return charge(rq);
}

static bool request_preflight(struct front_request *rq, const char *method)
{
	const struct headers *asked = &rq->headers;
	const char *fields =
		headers_get(asked, "Access-Control-Request-Headers");
	CLEANUP(headers_done) struct headers headers = { 0 };
	const struct front_answer answer = { .status = MHD_HTTP_NO_CONTENT,
					     .headers = &headers };

	if (!rq->guest || strcmp(method, "OPTIONS") != 0 ||
	    !headers_get(asked, "Access-Control-Request-Method"))
		return false;
	headers_add(&headers, "Access-Control-Allow-Methods",
		    "GET, POST, DELETE, OPTIONS");
	if (fields && header_value_fits(fields))
		headers_add(&headers, "Access-Control-Allow-Headers", fields);
	/* A page of the Internet that asks a private address (Chromium). */
	if (headers_get(asked, "Access-Control-Request-Private-Network"))
		headers_add(&headers, "Access-Control-Allow-Private-Network",
			    "true");
	request_answer(rq, &answer);
	return true;
}

/*
 * libmicrohttpd on the loop, without a socket of its own to listen on: its
 * epoll descriptor is polled, its timeout is a timer. It reads requests with
 * their bodies and sends what the owner answers.
 */

/* Room for a head of FRONT_HEAD_MAX and what the library makes of it. */
#define CONNECTION_MEMORY (4u * FRONT_HEAD_MAX)
/* A body above the limit is read and dropped up to this many times the limit. */
#define DROP_FACTOR 4
/* Of whom we know at least this: firmware writes on and on, and would wait for long on a connection that is cut. */
#define DRAIN_MAX (64u << 20)
/* How long a stranger's body may keep others waiting, if it comes in drops. */
#define BODY_MS 5000

static void take_addresses(struct front_request *rq)
{
	struct sockaddr_storage peer = connection_peer(rq->connection),
				local = { 0 };
	socklen_t len = sizeof(local);

	getsockname(request_socket(rq), (struct sockaddr *)&local, &len);
	address_print((struct sockaddr *)&peer, rq->peer, sizeof(rq->peer));
	address_print((struct sockaddr *)&local, rq->local, sizeof(rq->local));
}

/* libmicrohttpd: a request line came; what is returned becomes its context. */
static void *on_uri(void *cls, const char *uri, struct MHD_Connection *c)
{
	struct front *f = cls;
	struct front_request *rq = mem_zalloc(sizeof(*rq));

	rq->front = f;
	rq->connection = c;
	rq->uri = mem_strdup(uri);
	rq->began = loop_now();
	take_addresses(rq);
	buf_init(&rq->body, f->config.body_max);
	rq->next = f->requests;
	f->requests = rq;
	return rq;
}

/* It may send as much as is taken at all: the owner saw a token. */
static bool is_trusted(const struct front_request *rq)
{
	return rq->front->events.body_max &&
	       rq->body.max == rq->front->config.body_max;
}

/* What is read of a body, and dropped above its limit. */
static size_t drain_max(const struct front_request *rq)
{
	size_t max = rq->front->config.body_max;

	max = max > SIZE_MAX / DROP_FACTOR ? SIZE_MAX : max * DROP_FACTOR;
	return is_trusted(rq) && max < DRAIN_MAX ? DRAIN_MAX : max;
}

/* It ended, and nobody was asked for an answer. */
static void tell_unasked(const struct front_request *rq,
			 enum MHD_RequestTerminationCode code)
{
	/* Its body went on and on: we ended it. */
	if (rq->started && rq->received > drain_max(rq))
		front_noise(rq->front,
			    is_trusted(rq) ? FRONT_BODY_TOO_LARGE :
					     FRONT_BODY_OF_STRANGER,
			    rq->peer);
	/* Its head came whole, its body did not. */
	else if (rq->started)
		front_noise(rq->front,
			    code == MHD_REQUEST_TERMINATED_TIMEOUT_REACHED ?
				    FRONT_SLOW :
				    FRONT_CUT,
			    rq->peer);
	/* The library answered by itself. */
	else if (code == MHD_REQUEST_TERMINATED_COMPLETED_OK ||
		 code == MHD_REQUEST_TERMINATED_WITH_ERROR)
		front_noise(rq->front, FRONT_BROKEN, rq->peer);
}

static bool is_owned(const struct front_request *rq)
{
	return rq->told && !rq->status && !rq->front->closing;
}

/* False: nobody listens, so it goes when the answer comes. */
static bool tell_gone(struct front_request *rq)
{
	struct front *f = rq->front;

	if (!f->events.gone)
		return false;
	rq->status = MHD_HTTP_REQUEST_TIMEOUT; /* no answer any more */
	f->events.gone(f->owner, rq);
	return true;
}

/* What it holds from now on is what any connection does that came. */
static void await_next(struct front *f, struct MHD_Connection *c)
{
	const struct sockaddr_storage peer = connection_peer(c);
	struct http_guest *g = http_guest_of(c);

	if (!g)
		return;
	http_guest_moved(g, false);
	g->known = g->chunked = false;
	front_share_begin(f, &g->share, (const struct sockaddr *)&peer);
}

static void on_completed(void *cls, struct MHD_Connection *c, void **context,
			 enum MHD_RequestTerminationCode code)
{
	struct front_request *rq = *context;

	*context = NULL;
	await_next(cls, c);
	if (!rq)
		return;
	if (!rq->told && !rq->status)
		tell_unasked(rq, code);
	lent_look(rq);
	rq->connection = NULL;
	if (is_owned(rq) && !tell_gone(rq))
		return;
	stream_over(&rq->stream);
	request_drop(rq);
}

static void on_connection(void *cls, struct MHD_Connection *c, void **context,
			  enum MHD_ConnectionNotificationCode code)
{
	struct front *f = cls;

	if (code == MHD_CONNECTION_NOTIFY_STARTED) {
		f->http_connections++;
		http_guest_add(f, c, context);
		return;
	}
	f->http_connections--;
	http_guest_remove(f, context);
	f->less(f);
}

/* The body is there: ask the owner. */
static void tell(struct front_request *rq)
{
	struct front *f = rq->front;
	const struct front_head head = request_head(rq);

	rq->told = true;
	if (request_preflight(rq, rq->method))
		return;
	f->events.http(f->owner, rq, &head, buf_string(&rq->body),
		       rq->body.len);
	headers_done(&rq->headers);
}

static enum MHD_Result refuse_body(struct front_request *rq)
{
	char text[128];
	size_t max = rq->body.max;
	bool stranger = max < rq->front->config.body_max;

	front_noise(rq->front,
		    stranger ? FRONT_BODY_OF_STRANGER : FRONT_BODY_TOO_LARGE,
		    rq->peer);
	rq->closes = true;
	snprintf(text, sizeof(text), "the body is too large: above %zu bytes%s",
		 max, stranger ? ", and who sends it is not known" : "");
	return request_refuse(rq, stranger ? 403 : 413, text);
}

/* Memory is kept for a body as far as the owner trusts who sends it. */
static void limit_body(struct front_request *rq)
{
	struct front *f = rq->front;
	const struct front_head head = request_head(rq);
	size_t max;

	if (!f->events.body_max || f->closing)
		return;
	max = f->events.body_max(f->owner, &head);
	if (max < rq->body.max)
		rq->body.max = max;
}

static bool announces_too_much(const struct front_request *rq)
{
	const char *length =
		MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_CONTENT_LENGTH);

	return length && strtoull(length, NULL, 10) > rq->body.max;
}

/* An answer before the end is read by those only who asked for one. */
static bool is_drained(const struct front_request *rq)
{
	const char *length =
		MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_CONTENT_LENGTH);

	return is_trusted(rq) &&
	       !MHD_lookup_connection_value(rq->connection, MHD_HEADER_KIND,
					    MHD_HTTP_HEADER_EXPECT) &&
	       strtoull(length, NULL, 10) <= drain_max(rq);
}

/*
 * A WebSocket on a connection that had other requests before, as some proxies
 * dial (those in Go, nginx with keepalive): the library has its head already.
 * Ended without an answer it is asked again, on a new one (RFC 9112, 9.3.1).
 */
static bool is_late_upgrade(const struct front_request *rq)
{
	return rq->front->events.upgrade &&
	       text_same(headers_get(&rq->headers, "Upgrade"), "websocket");
}

static enum MHD_Result start_request(struct front_request *rq,
				     const char *method, const char *version)
{
	bool http_1_0 = strcmp(version, MHD_HTTP_VERSION_1_0) == 0;
	enum MHD_Result result;

	rq->started = true;
	snprintf(rq->method, sizeof(rq->method), "%s", method);
	head_split_target(rq->uri, strlen(rq->uri), &rq->path, &rq->query);
	MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, add_header,
				  &rq->headers);
	rq->closes = headers_have(&rq->headers, "Connection", "close") ||
		     (http_1_0 &&
		      !headers_have(&rq->headers, "Connection", "keep-alive"));
	result = request_judge(rq, http_1_0);
	if (rq->status)
		return result;
	if (is_late_upgrade(rq)) {
		rq->status = MHD_HTTP_UPGRADE_REQUIRED;
		return MHD_NO;
	}
	limit_body(rq);
	return announces_too_much(rq) && !is_drained(rq) ? refuse_body(rq) :
							   MHD_YES;
}

static enum MHD_Result take_body(struct front_request *rq, const char *data,
				 size_t *len)
{
	struct http_guest *g = http_guest_of(rq->connection);

	rq->received += *len;
	if (g->known || loop_now() - rq->began < BODY_MS)
		http_guest_moved(g, false);
	if (!rq->unheld)
		buf_add(&rq->body, data, *len);
	if (!share_hold(&g->share, rq->body.len)) {
		front_lacks(rq->front, LACK_BYTES, rq->peer);
		rq->unheld = true;
		buf_done(&rq->body);
		share_hold(&g->share, 0);
	}
	*len = 0;
	/* An answer cannot be queued amid a body; someone who goes on and on is dropped. */
	return rq->received > drain_max(rq) ? MHD_NO : MHD_YES;
}

/* NOLINTNEXTLINE(readability-function-size) the signature is libmicrohttpd's */
static enum MHD_Result on_request(void *cls, struct MHD_Connection *c,
				  const char *url, const char *method,
				  const char *version, const char *data,
				  size_t *len, void **context)
{
	struct front_request *rq = *context;
	struct front *f = cls;

	(void)url;
	if (!rq || f->closing || rq->cut)
		return MHD_NO;
	if (!rq->started)
		return start_request(rq, method, version);
	if (*len > 0)
		return take_body(rq, data, len);
	if (rq->unheld)
		return request_refuse(rq, MHD_HTTP_SERVICE_UNAVAILABLE,
				      "busy: too much is held already");
	if (rq->body.full)
		return refuse_body(rq);
	http_guest_moved(http_guest_of(c), true);
	if (!rq->told)
		tell(rq);
	if (rq->status)
		return request_queue_answer(rq);
	if (f->events.gone)
		request_watch(rq);
	rq->suspended = true;
	MHD_suspend_connection(rq->connection);
	return MHD_YES;
}

static void run_daemon(struct front *f)
{
	MHD_UNSIGNED_LONG_LONG wait;

	if (f->closing)
		return;
	f->http_due = false;
	MHD_run(f->daemon);
	/* An event may have closed us meanwhile; the daemon lives until the next turn. */
	if (f->closing)
		return;
	if (MHD_get_timeout(f->daemon, &wait) != MHD_YES) {
		front_rests(f, true);
		return;
	}
	front_rests(f, wait > 0);
	/* It does not know of those that an event of another one resumed. */
	timer_start(&f->http_timer, f->http_due ? 0 : (int64_t)wait);
}

static void on_epoll(uv_poll_t *poll, int status, int events)
{
	(void)status;
	(void)events;
	run_daemon(poll->data);
}

static void on_timer(void *owner)
{
	run_daemon(owner);
}

static void no_log(void *cls, const char *format, va_list args)
{
	(void)cls;
	(void)format;
	(void)args;
}

/*
 * All of it is in this thread. Where it is not told so (from 1.0 on), a socket
 * that is added is counted, and may be dropped, only when it runs next.
 */
#if MHD_VERSION >= 0x00097707
#	define ONE_THREAD MHD_USE_NO_THREAD_SAFETY
#else
#	define ONE_THREAD 0
#endif

static struct MHD_Daemon *start_daemon(struct front *f)
{
	unsigned limit = (unsigned)f->config.connections_max;

	return MHD_start_daemon(
		MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG |
			MHD_ALLOW_SUSPEND_RESUME | ONE_THREAD,
		0, NULL, NULL, on_request, f, MHD_OPTION_EXTERNAL_LOGGER,
		no_log, NULL, MHD_OPTION_CONNECTION_LIMIT, limit,
		MHD_OPTION_CONNECTION_TIMEOUT, f->config.idle,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY,
		MHD_OPTION_URI_LOG_CALLBACK, on_uri, f,
		MHD_OPTION_NOTIFY_COMPLETED, on_completed, f,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, f, MHD_OPTION_END);
}

int front_http_open(struct front *f, struct error *err)
{
	const union MHD_DaemonInfo *info;

	f->daemon = start_daemon(f);
	if (!f->daemon)
		return error_set(err, ERR_CONNECT,
				 "the HTTP server could not be started");
	info = MHD_get_daemon_info(f->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	if (!info ||
	    uv_poll_init(loop_uv(f->loop), &f->http_poll, info->epoll_fd)) {
		MHD_stop_daemon(TAKE(f->daemon));
		return error_set(err, ERR_CONNECT,
				 "the HTTP server could not join the loop");
	}
	f->http_poll.data = f;
	uv_poll_start(&f->http_poll, UV_READABLE, on_epoll);
	timer_open(&f->http_timer, f->loop, on_timer, f);
	f->handles += 2;
	return 0;
}

void front_http_add(struct front *f, int fd, const struct visitor *v)
{
	/* Takes fd, also when it fails. */
	if (MHD_add_connection(f->daemon, fd, (const struct sockaddr *)&v->peer,
			       v->peer_len) == MHD_YES)
		front_http_later(f);
}

static void on_poll_closed(uv_handle_t *handle)
{
	front_handle_closed(handle->data);
}

void front_http_close(struct front *f)
{
	struct front_request *next;

	uv_close((uv_handle_t *)&f->http_poll, on_poll_closed);
	timer_close(&f->http_timer, front_handle_closed);
	/* The library ends the process if a connection is suspended now. */
	for (struct front_request *rq = f->requests; rq; rq = rq->next) {
		if (rq->suspended && rq->connection)
			MHD_resume_connection(rq->connection);
		rq->suspended = false;
	}
	MHD_stop_daemon(TAKE(f->daemon));
	for (struct front_request *rq = f->requests; rq; rq = next) {
		next = rq->next;
		request_drop(rq);
	}
}
