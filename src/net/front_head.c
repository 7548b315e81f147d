/* SPDX-License-Identifier: MIT */
/*
 * A visitor: an accepted socket whose request head is looked at without being
 * read; it waits for its place, or is answered by hand.
 */
#include "net/front_head.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/chain.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/front_answer.h"
#include "net/front_http.h"
#include "net/front_private.h"
#include "net/front_room.h"
#include "net/port_parts.h"

/* A wake-up without a new byte or an end; more of them than this is a fault. */
#define IDLE_WAKES_MAX 100
/* For a head, of whom has more connections than one gets: a board says all at once. */
#define OVER_MS 1000

static void on_readable(uv_poll_t *poll, int status, int events);

static bool visitor_watch(struct visitor *v, uv_poll_cb fn)
{
	v->poll = front_watch(v->front, v->fd, UV_READABLE | UV_DISCONNECT, fn,
			      v);
	return v->poll != NULL;
}

static bool visitor_await(struct visitor *v)
{
	return visitor_watch(v, on_readable);
}

/*
 * HTTP requests that the daemon has no place for: it would drop them. They
 * wait outside, their heads unread, for the end of another connection; who is
 * known before strangers.
 */

static bool is_full(const struct front *f)
{
	return f->http_connections + f->called >= f->config.connections_max;
}

static bool is_known(const struct visitor *v)
{
	return v->standing != FRONT_STRANGER;
}

/* Behind all; one that is known, behind those only. */
static void put_in(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor **link = &f->queue_first;

	if (!is_known(v) && f->queue_last)
		link = &f->queue_last->next_queued;
	while (*link && is_known(*link))
		link = &(*link)->next_queued;
	v->next_queued = *link;
	*link = v;
	if (!v->next_queued)
		f->queue_last = v;
	v->queued = true;
	f->queued++;
}

static bool visitor_may_enter(struct visitor *v)
{
	struct front *f = v->front;

	if (v->called || !is_full(f))
		return true;
	put_in(v);
	front_unwatch(&v->poll);
	front_press(f, is_known(v));
	return false;
}

static void take_out(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor *before = NULL;

	/* Nearly always the first. */
	for (struct visitor *at = f->queue_first; at != v; at = at->next_queued)
		before = at;
	if (before)
		before->next_queued = v->next_queued;
	else
		f->queue_first = v->next_queued;
	if (f->queue_last == v)
		f->queue_last = before;
	v->next_queued = NULL;
	v->queued = false;
	f->queued--;
}

static void visitor_unqueue(struct visitor *v)
{
	if (v->queued)
		take_out(v);
	if (v->called)
		v->front->called--;
	v->called = false;
}

/* ---- here, and gone ---- */

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
	if (!f->visitors)
		f->visitors_last = v;
	CHAIN_PUSH(f->visitors, v);
	f->visitor_count++;
}

static void unlist(struct visitor *v)
{
	CHAIN_LEAVE(v->front->visitors, v->front->visitors_last, v);
	v->front->visitor_count--;
}

void visitor_close(struct visitor *v)
{
	if (v->closing)
		return;
	v->closing = true;
	front_unwatch(&v->poll);
	if (v->fd >= 0)
		close(v->fd);
	v->fd = -1;
	visitor_unqueue(v);
	share_close(&v->share);
	unlist(v);
	v->front->less(v->front);
	timer_close(&v->timer, on_timer_closed);
}

/*
 * Answers by hand for requests that no library gets to see. The socket is
 * closed only when the peer has closed or a limit is reached: closing with
 * unread bytes would reset the connection and take the answer with it.
 */

#define LINGER_MS 2000
#define DRAIN_MAX (4u << 20)

static void on_drained(uv_poll_t *poll, int status, int events)
{
	struct visitor *v = poll->data;
	ssize_t len = recv(v->fd, v->front->scratch, FRONT_HEAD_MAX, 0);

	(void)events;
	if (len < 0 && (errno == EAGAIN || errno == EINTR) && status >= 0)
		return;
	if (len > 0)
		v->drained += (size_t)len;
	if (len <= 0 || v->drained > DRAIN_MAX)
		visitor_close(v);
}

static void write_answer(int fd, int status, const char *reason)
{
	CLEANUP(buf_done) struct buf answer = { 0 };

	knock_refusal(&answer, status,
		      status == 401 ? "WWW-Authenticate: Bearer\r\n" :
		      status == 400 ? "Sec-WebSocket-Version: 13\r\n" :
				      "",
		      reason);
	/* A fresh socket takes these few bytes whole, or the peer is gone. */
	(void)!send(fd, answer.data, answer.len, MSG_NOSIGNAL);
}

/*
 * No shutdown: firmware that reads the answer must not find the end of the
 * stream before it closes by itself (device.md 5.4 item 8).
 */
static void linger(struct visitor *v)
{
	const int one = 1;

	visitor_unqueue(v);
	front_unwatch(&v->poll);
	setsockopt(v->fd, SOL_SOCKET, SO_RCVLOWAT, &one, sizeof(one));
	v->lingering = true;
	timer_start(&v->timer, LINGER_MS);
	if (!visitor_watch(v, on_drained))
		visitor_close(v);
}

static void visitor_refuse(struct visitor *v, int status, const char *reason)
{
	write_answer(v->fd, status, reason);
	linger(v);
}

void front_refuse_socket(struct front *f, int fd, const char *reason)
{
	/* What is unread when it is closed would take the answer with it. */
	(void)!recv(fd, f->scratch, FRONT_HEAD_MAX, MSG_DONTWAIT);
	write_answer(fd, 503, reason);
	shutdown(fd, SHUT_WR);
	close(fd);
}

/* ---- its head ---- */

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

	front_unwatch(&v->poll);
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

/* What is wrong with it is a proxy's doing, and nothing else. */
static bool is_half_upgrade(const struct head *head)
{
	const struct headers *h = &head->headers;

	return text_same(headers_get(h, "Upgrade"), "websocket") &&
	       headers_get(h, "Sec-WebSocket-Key") &&
	       (head->http_1_0 || !headers_have(h, "Connection", "upgrade"));
}

static void refuse_upgrade(struct visitor *v, const struct head *head,
			   const char *reason)
{
	front_noise(v->front,
		    is_half_upgrade(head) ? FRONT_HALF_UPGRADE : FRONT_BROKEN,
		    v->address);
	visitor_refuse(v, 400, reason);
}

/* Of those that the owner took, one may go for it. */
static bool owner_makes_room(const struct visitor *v)
{
	struct front *f = v->front;

	return f->events.room && !f->closing && f->events.room(f->owner) &&
	       !share_is_over(&v->share);
}

/* Not of one that is known; and another one of its address may go for it. */
static bool has_share(struct visitor *v)
{
	struct front *f = v->front;

	if (v->standing != FRONT_STRANGER || !share_is_over(&v->share) ||
	    front_end_other(f, &v->share) || owner_makes_room(v))
		return true;
	front_lacks(f, LACK_CONNECTIONS, v->address);
	visitor_refuse(v, 503, BUSY_ADDRESS);
	return false;
}

const char *front_judge(struct front *f, const struct front_head *head,
			int *status)
{
	enum budget_kind kind = front_standing(f, head) == FRONT_STRANGER ?
					BUDGET_QUESTIONS :
					BUDGET_NAMED;
	const char *foreign = front_refuse(f, head, false, status);

	if (foreign || !f->config.counts_questions ||
	    share_spend(head->share, kind, 1))
		return foreign;
	front_lacks(f, LACK_QUESTIONS, head->address);
	*status = 429;
	return "too many requests of this address";
}

/* The owner relays it, or it is refused here. */
static void hand_on(struct visitor *v, const struct front_head *view)
{
	struct front *f = v->front;
	int status = 403;
	const char *foreign = front_judge(f, view, &status);

	if (foreign) {
		visitor_refuse(v, status, foreign);
		return;
	}
	f->events.take(f->owner, release_socket(v), view);
	v->fd = -1;
	visitor_close(v);
}

/*
 * Java's own client offers HTTP/2 along with its first request (RFC 7540, 3.2),
 * Apache's HttpClient TLS (RFC 2817, 3.1); they go on where that is not taken up
 * (RFC 9110, 7.8). Who relays does not pass the offer on.
 */
static bool is_mere_offer(const struct head *head)
{
	const struct headers *h = &head->headers;
	const char *offer = headers_get(h, "Upgrade");

	return strncasecmp(offer, "TLS/1.", 6) == 0 ||
	       (text_same(offer, "h2c") && headers_get(h, "HTTP2-Settings"));
}

static enum head_upgrade wish_of(const struct head *head, const char **reason)
{
	enum head_upgrade wish = head_upgrade(head, reason);

	return wish == HEAD_REFUSE && is_mere_offer(head) ? HEAD_NO_UPGRADE :
							    wish;
}

static void serve(struct visitor *v, const struct head *head)
{
	const char *reason =
		head_problem(&head->headers, head->target_host, head->http_1_0);
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
	switch (wish_of(head, &reason)) {
	case HEAD_WEBSOCKET:
		upgrade(v, &view);
		break;
	case HEAD_REFUSE:
		refuse_upgrade(v, head, reason);
		break;
	case HEAD_NO_UPGRADE:
		if (!has_share(v))
			break;
		if (v->front->events.take && !v->front->closing) {
			hand_on(v, &view);
			break;
		}
		if (!visitor_may_enter(v))
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
		/* No alert: who asks is to see that here is no TLS. */
		visitor_refuse(v, 400, "this port speaks no TLS");
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

static bool visitor_look(struct visitor *v)
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
 * There is no place for who comes: who makes room, and who waits.
 */

static struct visitor *longest_waiting(const struct front *f)
{
	struct visitor *oldest = NULL;

	for (struct visitor *v = f->visitors_last; v; v = v->previous) {
		if (v->lingering)
			return v;
		if (!oldest && !v->queued && !v->called)
			oldest = v;
	}
	return oldest;
}

bool front_make_room(struct front *f)
{
	struct visitor *v = longest_waiting(f);

	/* Its place is free later, when the library has seen it. */
	if (!v) {
		front_end_silent(f, 1);
		return false;
	}
	if (!v->lingering) {
		/* Perhaps all of it came, and only its turn did not. */
		if (visitor_look(v))
			return true;
		front_lacks(f, LACK_PLACES, v->address);
		front_unwatch(&v->poll);
		front_refuse_socket(f, v->fd, "busy: others wait");
		v->fd = -1;
	}
	visitor_close(v);
	return true;
}

/*
 * Amid an event of the daemon: so the head is looked at in another turn of
 * the loop. Until then the place is kept, or who came later would take it.
 */
void front_dequeue(struct front *f)
{
	struct visitor *v;

	while ((v = f->queue_first) && !is_full(f)) {
		take_out(v);
		v->called = true;
		f->called++;
		if (!visitor_await(v))
			visitor_close(v);
	}
}
