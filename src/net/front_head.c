/* SPDX-License-Identifier: MIT */
/*
 * A visitor: an accepted socket whose request head is looked at without being
 * read, so that the library which serves it finds it untouched.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/front_private.h"

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
