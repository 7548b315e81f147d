/* SPDX-License-Identifier: MIT */
/*
 * The listener: opens, accepts, and closes. What a connection wants is found
 * out in front_head.c; HTTP is spoken in front_http.c.
 */
#include <errno.h>
#include <limits.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/front_private.h"

/*
 * All that come at once are taken before the next of them is served: a queue
 * of the system that is full loses them.
 */
#define ACCEPTS_AT_ONCE 4096
#define RETRY_MS 500
#define BODY_MAX (1u << 20)
#define HEAD_TIMEOUT_MS 10000
#define REFUSED_AGAIN_MS 60000
#define CONNECTIONS_MAX 256

static void on_connect(uv_poll_t *poll, int status, int events);

static bool is_full(const struct front *f)
{
	size_t max = f->events.heads_max ? f->events.heads_max(f->owner) :
					   f->config.connections_max;

	return f->visitor_count >= max;
}

static void start_accepting(struct front *f)
{
	if (f->closing || f->accepting || is_full(f))
		return;
	f->accepting = !uv_poll_start(&f->accept_poll, UV_READABLE, on_connect);
}

static void stop_accepting(struct front *f)
{
	f->accepting = false;
	uv_poll_stop(&f->accept_poll);
}

static void on_accept_timer(void *owner)
{
	start_accepting(owner);
}

void front_less(struct front *f)
{
	/* Without a free descriptor the timer tries again, not each close. */
	if (f->closing)
		return;
	front_dequeue(f);
	start_accepting(f);
}

static bool accept_one(struct front *f)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t len = sizeof(peer);
	int fd = accept4(f->fd, (struct sockaddr *)&peer, &len,
			 SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd >= 0) {
		visitor_new(f, fd, &peer, len);
		return true;
	}
	if (errno == EINTR || errno == ECONNABORTED)
		return true;
	if (errno != EAGAIN) {
		/*
		 * No descriptor or memory left: the socket stays readable, so
		 * look away for a while instead of spinning.
		 */
		stop_accepting(f);
		timer_start(&f->accept_timer, RETRY_MS);
	}
	return false;
}

static void on_connect(uv_poll_t *poll, int status, int events)
{
	struct front *f = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; i < ACCEPTS_AT_ONCE && f->accepting; i++) {
		if (is_full(f)) {
			stop_accepting(f);
			return;
		}
		if (!accept_one(f))
			return;
	}
}

void front_noise(struct front *f, enum front_noise what, const char *address)
{
	if (!f->closing && f->events.noise)
		f->events.noise(f->owner, what, address);
}

static void take_config(struct front *f, const struct front_config *config)
{
	f->config = *config;
	f->config.host = NULL;
	if (!f->config.body_max)
		f->config.body_max = BODY_MAX;
	if (!f->config.head_timeout)
		f->config.head_timeout = HEAD_TIMEOUT_MS;
	if (!f->config.refused_again)
		f->config.refused_again = REFUSED_AGAIN_MS;
	if (!f->config.connections_max)
		f->config.connections_max = CONNECTIONS_MAX;
}

static uint16_t bound_port(int fd)
{
	struct sockaddr_storage local = { 0 };
	socklen_t len = sizeof(local);

	if (getsockname(fd, (struct sockaddr *)&local, &len))
		return 0;
	return address_port((struct sockaddr *)&local);
}

/* Whom it answers, before a port is taken. */
static int take_admit(struct front *f, const struct front_config *config,
		      struct error *err)
{
	char machine[HOST_NAME_MAX + 1] = "";

	if (gethostname(machine, sizeof(machine) - 1))
		machine[0] = '\0';
	return admit_open(&f->admit, &config->admit, machine, config->host,
			  err);
}

/* The socket, and who speaks HTTP at it. -1: neither. */
static int open_port(struct front *f, const struct front_config *config,
		     struct error *err)
{
	f->fd = front_bind(config->host, config->port, err);
	if (f->fd < 0)
		return -1;
	if (!front_http_open(f, err))
		return 0;
	close(f->fd);
	return -1;
}

static struct front *front_open(struct loop *l,
				const struct front_config *config,
				const struct front_events *events, void *owner,
				struct error *err)
{
	struct front *f = mem_zalloc(sizeof(*f));

	f->loop = l;
	f->events = *events;
	f->owner = owner;
	take_config(f, config);
	if (take_admit(f, config, err) || open_port(f, config, err)) {
		admit_done(&f->admit);
		mem_free(f);
		return NULL;
	}
	f->port = bound_port(f->fd);
	f->scratch = mem_alloc(FRONT_HEAD_MAX);
	uv_poll_init(loop_uv(l), &f->accept_poll, f->fd);
	f->accept_poll.data = f;
	timer_open(&f->accept_timer, l, on_accept_timer, f);
	f->handles += 2;
	front_refusals_open(f);
	start_accepting(f);
	return f;
}

static uint16_t front_port(const struct front *f)
{
	return f->port;
}

void front_handle_closed(struct front *f)
{
	void (*closed)(void *owner) = f->closed;
	void *owner = f->owner;

	if (--f->handles > 0)
		return;
	mem_free(f->scratch);
	admit_done(&f->admit);
	mem_free(f);
	if (closed)
		closed(owner);
}

static void on_timer_closed(void *owner)
{
	front_handle_closed(owner);
}

static void on_poll_closed(uv_handle_t *handle)
{
	front_handle_closed(handle->data);
}

/* The rest happens from the loop: close may be called inside an event of the HTTP daemon. */
static void close_later(void *owner)
{
	struct front *f = owner;
	struct visitor *next;

	for (struct visitor *v = f->visitors; v; v = next) {
		next = v->next;
		visitor_close(v);
	}
	front_http_close(f);
	front_refusals_close(f);
	timer_close(&f->accept_timer, on_timer_closed);
}

static void front_close(struct front *f, void (*closed)(void *owner))
{
	if (f->closing)
		return;
	f->closing = true;
	f->closed = closed;
	f->accepting = false;
	uv_close((uv_handle_t *)&f->accept_poll, on_poll_closed);
	close(f->fd);
	f->fd = -1;
	f->accept_timer.fn = close_later;
	timer_start(&f->accept_timer, 0);
}

const struct front_table front_table = {
	.open = front_open,
	.port = front_port,
	.reply = front_reply,
	.reply_with = front_reply_with,
	.stream = front_stream,
	.stream_write = front_stream_write,
	.stream_end = front_stream_end,
	.form = front_form,
	.close = front_close,
};
