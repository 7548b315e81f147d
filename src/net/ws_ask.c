/* SPDX-License-Identifier: MIT */
/*
 * libwebsockets says only "Unable to connect". So, when it could not, the
 * kernel is asked once more, for its error number alone.
 */
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/ws_dial.h"

#define ASK_MS 1000

struct ws_ask {
	uv_poll_t poll;
	int fd; /* -1: there was no socket to be had */
	int error;
	struct timer timer;
	void (*done)(void *owner, int error); /* NULL: nobody waits any more */
	void *owner;
	unsigned handles;
};

static void part_closed(struct ws_ask *a)
{
	void (*done)(void *owner, int error) = a->done;
	void *owner = a->owner;
	int error = a->error;

	if (--a->handles > 0)
		return;
	if (a->fd >= 0)
		close(a->fd);
	mem_free(a);
	if (done)
		done(owner, error);
}

static void on_timer_closed(void *owner)
{
	part_closed(owner);
}

static void on_poll_closed(uv_handle_t *handle)
{
	part_closed(handle->data);
}

static void finish(struct ws_ask *a, int error)
{
	a->error = error;
	if (a->fd >= 0)
		uv_close((uv_handle_t *)&a->poll, on_poll_closed);
	timer_close(&a->timer, on_timer_closed);
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
	struct ws_ask *a = poll->data;
	socklen_t len = sizeof(int);
	int error = 0;

	(void)events;
	if (status < 0)
		error = -status;
	getsockopt(a->fd, SOL_SOCKET, SO_ERROR, &error, &len);
	finish(a, error);
}

static void on_timer(void *owner)
{
	struct ws_ask *a = owner;

	finish(a, a->error ? a->error : ETIMEDOUT);
}

static void set_port(struct sockaddr_storage *address, uint16_t port)
{
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;

	if (address->ss_family == AF_INET) {
		memcpy(&v4, address, sizeof(v4));
		v4.sin_port = htons(port);
		memcpy(address, &v4, sizeof(v4));
	} else {
		memcpy(&v6, address, sizeof(v6));
		v6.sin6_port = htons(port);
		memcpy(address, &v6, sizeof(v6));
	}
}

struct ws_ask *ws_ask_open(struct loop *l, const struct sockaddr *to,
			   uint16_t port, void (*done)(void *owner, int error),
			   void *owner)
{
	socklen_t len = to->sa_family == AF_INET ? sizeof(struct sockaddr_in) :
						   sizeof(struct sockaddr_in6);
	struct sockaddr_storage address = { 0 };
	struct ws_ask *a = mem_zalloc(sizeof(*a));
	int64_t wait = ASK_MS;

	memcpy(&address, to, len);
	set_port(&address, port);
	a->done = done;
	a->owner = owner;
	a->handles = 1;
	timer_open(&a->timer, l, on_timer, a);
	a->fd = socket(to->sa_family,
		       SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (a->fd < 0 || (connect(a->fd, (struct sockaddr *)&address, len) &&
			  errno != EINPROGRESS)) {
		a->error = errno;
		wait = 0;
	}
	if (a->fd >= 0) {
		a->handles++;
		uv_poll_init(loop_uv(l), &a->poll, a->fd);
		a->poll.data = a;
		if (wait)
			uv_poll_start(&a->poll, UV_WRITABLE, on_writable);
	}
	timer_start(&a->timer, wait);
	return a;
}

void ws_ask_close(struct ws_ask *a)
{
	a->done = NULL;
	finish(a, 0);
}
