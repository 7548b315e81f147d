/* SPDX-License-Identifier: MIT */
/*
 * A visitor: an accepted socket whose request head is looked at, and judged,
 * without being read.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/front_private.h"

static const char *front_refuse(struct front *f, const struct front_head *head,
				bool upgrade, int *status);

/*
 * A visitor: an accepted socket whose request head is looked at without being
 * read, so that the library which serves it finds it untouched.
 */

/* A wake-up without a new byte or an end; more of them than this is a fault. */
#define IDLE_WAKES_MAX 100
/* For a head, of whom has more connections than one gets: a board says all at once. */
#define OVER_MS 1000

static void on_readable(uv_poll_t *poll, int status, int events);

static void free_poll(uv_handle_t *handle)
{
	mem_free(handle);
}

/*
 * Each watch is a handle of its own: it must be closed, not only stopped,
 * before another library puts the descriptor into the same loop.
 */
bool visitor_watch(struct visitor *v, uv_poll_cb fn)
{
	v->poll = mem_zalloc(sizeof(*v->poll));
	if (uv_poll_init(loop_uv(v->front->loop), v->poll, v->fd)) {
		mem_free(TAKE(v->poll));
		return false;
	}
	v->poll->data = v;
	uv_poll_start(v->poll, UV_READABLE | UV_DISCONNECT, fn);
	return true;
}

void visitor_unwatch(struct visitor *v)
{
	if (v->poll)
		uv_close((uv_handle_t *)TAKE(v->poll), free_poll);
}

bool visitor_await(struct visitor *v)
{
	return visitor_watch(v, on_readable);
}

static void on_timer_closed(void *owner)
{
	struct visitor *v = owner;
	struct front *f = v->front;

	mem_free(v);
	front_handle_closed(f);
}

static void list(struct visitor *v, struct front *f)
{
	v->front = f;
	v->next = f->visitors;
	if (v->next)
		v->next->previous = v;
	else
		f->visitors_last = v;
	f->visitors = v;
	f->visitor_count++;
}

static void unlist(struct visitor *v)
{
	if (v->previous)
		v->previous->next = v->next;
	else
		v->front->visitors = v->next;
	if (v->next)
		v->next->previous = v->previous;
	else
		v->front->visitors_last = v->previous;
	v->front->visitor_count--;
}

void visitor_close(struct visitor *v)
{
	if (v->closing)
		return;
	v->closing = true;
	visitor_unwatch(v);
	if (v->fd >= 0)
		close(v->fd);
	v->fd = -1;
	visitor_unqueue(v);
	share_close(&v->share);
	unlist(v);
	front_less(v->front);
	timer_close(&v->timer, on_timer_closed);
}

static void on_timer(void *owner)
{
	struct visitor *v = owner;

	if (v->lingering) {
		visitor_close(v);
		return;
	}
	if (v->queued || v->called) {
		front_noise(v->front, FRONT_BUSY, v->address);
		visitor_refuse(v, 503, "busy: too many requests at once");
		return;
	}
	if (v->seen == 0) {
		front_noise(v->front, FRONT_EMPTY, v->address);
		visitor_close(v);
		return;
	}
	front_noise(v->front, FRONT_SLOW, v->address);
	visitor_refuse(v, 408, "the request did not come in time");
}

static int64_t head_time(const struct visitor *v)
{
	int64_t usual = v->front->config.head_timeout;

	return share_is_over(&v->share) && usual > OVER_MS ? OVER_MS : usual;
}

void visitor_new(struct front *f, int fd, const struct sockaddr_storage *peer,
		 socklen_t len)
{
	struct visitor *v = mem_zalloc(sizeof(*v));

	list(v, f);
	v->fd = fd;
	v->peer = *peer;
	v->peer_len = len;
	address_print((const struct sockaddr *)peer, v->address,
		      sizeof(v->address));
	f->handles++;
	front_share_begin(f, &v->share, (const struct sockaddr *)peer);
	timer_open(&v->timer, f->loop, on_timer, v);
	timer_start(&v->timer, head_time(v));
	if (!visitor_await(v))
		visitor_close(v);
}

/* From now on whoever has the descriptor expects it as accept gave it. */
static int release_socket(struct visitor *v)
{
	const int one = 1;
	int fd = v->fd;

	visitor_unwatch(v);
	setsockopt(fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	return fd;
}

static void local_address(int fd, char *out, size_t size)
{
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	getsockname(fd, (struct sockaddr *)&local, &len);
	address_print((struct sockaddr *)&local, out, size);
}

static void upgrade(struct visitor *v, const struct front_head *view)
{
	struct front *f = v->front;
	const char *reason = "refused", *foreign;
	int fd = release_socket(v), status = 503;

	if (v->standing != FRONT_STRANGER)
		share_settle(&v->share);
	foreign = front_refuse(f, view, true, &status);
	if (foreign)
		reason = foreign;
	else if (f->events.upgrade && !f->closing)
		status = f->events.upgrade(f->owner, fd, view, &reason);
	if (status) {
		if (status == 503 && share_is_over(&v->share))
			front_lacks(f, LACK_CONNECTIONS, v->address);
		visitor_refuse(v, status, reason);
		return;
	}
	v->fd = -1;
	visitor_close(v);
}

static void refuse_head(struct visitor *v, const char *reason)
{
	front_noise(v->front, FRONT_BROKEN, v->address);
	visitor_refuse(v, 400, reason);
}

/* Not of one that is known; and another one of its address may go for it. */
static bool has_share(struct visitor *v)
{
	struct front *f = v->front;

	if (v->standing != FRONT_STRANGER || !share_is_over(&v->share) ||
	    front_end_other(f, &v->share))
		return true;
	front_lacks(f, LACK_CONNECTIONS, v->address);
	visitor_refuse(v, 503, BUSY_ADDRESS);
	return false;
}

static void serve(struct visitor *v, const struct head *head)
{
	const char *reason = head_problem(&head->headers, head->http_1_0);
	char local[ADDRESS_TEXT_MAX];
	const struct front_head view = { .address = v->address,
					 .local = local,
					 .method = head->method,
					 .path = head->path,
					 .query = head->query,
					 .headers = &head->headers,
					 .share = &v->share };
	int fd;

	if (reason) {
		refuse_head(v, reason);
		return;
	}
	if (mem_is_short()) {
		front_lacks(v->front, LACK_MEMORY, v->address);
		visitor_refuse(v, 503, "busy: no memory is left");
		return;
	}
	front_share_whose(v->front, &v->share, &v->peer, &head->headers,
			  v->address);
	local_address(v->fd, local, sizeof(local));
	v->standing = front_standing(v->front, &view);
	if (share_is_over(&v->share))
		front_http_look(v->front);
	switch (head_upgrade(head, &reason)) {
	case HEAD_WEBSOCKET:
		upgrade(v, &view);
		break;
	case HEAD_REFUSE:
		refuse_head(v, reason);
		break;
	case HEAD_NO_UPGRADE:
		if (!has_share(v) || !visitor_may_enter(v))
			break;
		fd = release_socket(v);
		v->fd = -1;
		front_http_add(v->front, fd, v);
		visitor_close(v);
		break;
	}
}

static void await_more(struct visitor *v, size_t len)
{
	const int wanted = (int)len + 1;

	if (len >= FRONT_HEAD_MAX) {
		front_noise(v->front, FRONT_TOO_LARGE, v->address);
		visitor_refuse(v, 431, "the request head is too large");
		return;
	}
	if (!share_hold(&v->share, len)) {
		front_lacks(v->front, LACK_BYTES, v->address);
		visitor_refuse(v, 503, "busy: too much is held already");
		return;
	}
	v->seen = len;
	setsockopt(v->fd, SOL_SOCKET, SO_RCVLOWAT, &wanted, sizeof(wanted));
}

static void look(struct visitor *v, size_t len)
{
	struct head head;

	switch (head_parse(&head, v->front->scratch, len)) {
	case HEAD_MORE:
		await_more(v, len);
		break;
	case HEAD_READY:
		serve(v, &head);
		head_done(&head);
		break;
	case HEAD_TLS:
		front_noise(v->front, FRONT_TLS, v->address);
		visitor_refuse_tls(v);
		break;
	case HEAD_GARBAGE:
		front_noise(v->front, FRONT_GARBAGE, v->address);
		visitor_refuse(v, 400, "this is no HTTP request");
		break;
	case HEAD_BAD:
		refuse_head(v, "a header line is broken");
		break;
	}
}

bool visitor_look(struct visitor *v)
{
	ssize_t len = recv(v->fd, v->front->scratch, FRONT_HEAD_MAX,
			   MSG_PEEK | MSG_DONTWAIT);

	if (len <= 0 || (size_t)len <= v->seen)
		return false;
	look(v, (size_t)len);
	return true;
}

/* Went before its head was whole; perhaps it still listens. */
static void lost(struct visitor *v)
{
	if (v->seen == 0) {
		front_noise(v->front, FRONT_EMPTY, v->address);
		visitor_close(v);
		return;
	}
	front_noise(v->front, FRONT_SLOW, v->address);
	visitor_refuse(v, 400, "the request ended amid its head");
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct visitor *v = poll->data;
	ssize_t len = recv(v->fd, v->front->scratch, FRONT_HEAD_MAX, MSG_PEEK);

	if (len < 0 && (errno == EAGAIN || errno == EINTR))
		len = (ssize_t)v->seen;
	else if (len <= 0 || status < 0) {
		lost(v);
		return;
	}
	if ((size_t)len > v->seen) {
		look(v, (size_t)len);
		return;
	}
	/* Awake without a new byte: the peer has closed. */
	if ((events & UV_DISCONNECT) || ++v->idle_wakes > IDLE_WAKES_MAX)
		lost(v);
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
enum MHD_Result request_refuse(struct front_request *rq, int status,
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

enum MHD_Result request_judge(struct front_request *rq, bool http_1_0)
{
	const struct sockaddr_storage peer = connection_peer(rq->connection);
	struct http_guest *g = http_guest_of(rq->connection);
	struct front_head head;
	const char *reason;
	int status;

	MHD_get_connection_values(rq->connection, MHD_HEADER_KIND, add_header,
				  &rq->headers);
	reason = head_problem(&rq->headers, http_1_0);
	if (reason)
		return refuse_head_judge(rq, reason);
	front_share_whose(rq->front, &g->share, &peer, &rq->headers, rq->peer);
	head = request_head(rq);
	reason = front_refuse(rq->front, &head, false, &status);
	if (reason)
		return request_refuse(rq, status, reason);
	rq->guest = mem_strdup(admit_guest(&rq->front->admit, &rq->headers));
	return charge(rq);
}

bool request_preflight(struct front_request *rq, const char *method)
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
 * Requests that are answered for nobody: pages of others, names that are not
 * ours. Each is told once a minute, and no more than a few of them; how many
 * more there were is told behind that, so that no page can fill a log.
 */

static const char *value_of(enum admit_verdict why, const struct headers *h)
{
	const char *value =
		headers_get(h, why == ADMIT_HOST ? "Host" : "Origin");

	return value ? value : "";
}

static bool is_told(const struct refusals *r, uint64_t hash)
{
	for (size_t i = 0; i < r->told; i++) {
		if (r->hash[i] == hash)
			return true;
	}
	return false;
}

static void tell_more(struct front *f)
{
	struct refusals *r = &f->refusals;
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"%" PRIu64
		" more request%s of pages, or for names that are not ours, %s refused since",
		r->more, r->more == 1 ? "" : "s",
		r->more == 1 ? "was" : "were");
	const struct front_refusal more = { .text = text, .count = r->more };

	f->events.refused(f->owner, &more);
}

static void on_timer_refused(void *owner)
{
	struct front *f = owner;
	struct refusals *r = &f->refusals;

	if (r->more && f->events.refused && !f->closing)
		tell_more(f);
	r->more = 0;
	r->told = 0;
}

/* A page that dials may be a device: some of their libraries send an Origin. */
static void add_hint(struct buf *out, enum admit_verdict why,
		     const struct front_head *head, bool upgrade)
{
	CLEANUP(buf_done) struct buf option = { 0 };

	if (admit_remedy(&option, why, head->headers))
		buf_printf(out, "if that is %s: %s",
			   why == ADMIT_HOST ? "a name of this machine" :
					       "a page of yours",
			   buf_string(&option));
	else if (why == ADMIT_ORIGIN)
		buf_text(
			out,
			"no option lets a page in whose origin is not like https://HOST: serve it from an address");
	if (why == ADMIT_ORIGIN && upgrade)
		buf_text(
			out,
			"; if it is a device: let it send its Device-Id as a header, which no page can");
}

static void tell(struct front *f, const struct front_head *head,
		 enum admit_verdict why, bool upgrade)
{
	const char *value = value_of(why, head->headers);
	CLEANUP(buf_done) struct buf hint = { 0 };
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		why == ADMIT_HOST ?
			"refused: it asked for the host '%.120s', which is no name of ours" :
			"refused: a page of '%.120s' may not ask here",
		value);
	struct front_refusal refusal = { .address = head->address,
					 .text = text,
					 .count = 1 };

	add_hint(&hint, why, head, upgrade);
	refusal.hint = hint.len ? buf_string(&hint) : NULL;
	f->events.refused(f->owner, &refusal);
}

/*
 * NULL, or why such a request is not answered, with the
 * status of HTTP; it was told then.
 */
static const char *front_refuse(struct front *f, const struct front_head *head,
				bool upgrade, int *status)
{
	enum admit_verdict why = admit_judge(&f->admit, head->headers, upgrade);
	struct refusals *r = &f->refusals;
	const char *value = value_of(why, head->headers);
	uint64_t hash = text_hash(value, strlen(value));

	if (why == ADMIT_YES)
		return NULL;
	if (r->told == 0 && r->more == 0)
		timer_start(&r->timer, f->config.refused_again);
	if (r->told == REFUSALS_TOLD || is_told(r, hash)) {
		r->more++;
	} else if (f->events.refused && !f->closing) {
		r->hash[r->told++] = hash;
		tell(f, head, why, upgrade);
	}
	*status = why == ADMIT_HOST ? 421 : 403;
	return why == ADMIT_HOST ?
		       "this is no name of this server (--allow-host)" :
		       "pages of this origin may not ask here (--allow-origin)";
}

void front_refusals_open(struct front *f)
{
	timer_open(&f->refusals.timer, f->loop, on_timer_refused, f);
	f->handles++;
}

static void on_timer_closed_refused(void *owner)
{
	front_handle_closed(owner);
}

void front_refusals_close(struct front *f)
{
	timer_close(&f->refusals.timer, on_timer_closed_refused);
}
