/* SPDX-License-Identifier: MIT */
/*
 * The listener: opens, accepts, closes. What a connection wants is found out in
 * front_head.c; HTTP is spoken in front_http.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/mem.h"
#include "net/bind.h"
#include "net/front_answer.h"
#include "net/front_head.h"
#include "net/front_http.h"
#include "net/front_private.h"
#include "net/front_room.h"

/*
 * All that come at once are taken before the next of them is served: a queue
 * of the system that is full loses them.
 */
#define ACCEPTS_AT_ONCE 4096
#define RETRY_MS 100
/* For want of a descriptor; then it looks away, since that changes slowly. */
#define REFUSED_AT_ONCE 32
#define BODY_MAX (1u << 20)
#define HEAD_TIMEOUT_MS 10000
#define IDLE_S 15
#define REFUSED_AGAIN_MS 60000
#define CONNECTIONS_MAX 256

static void on_connect(uv_poll_t *poll, int status, int events);

static size_t front_sockets(const struct front *f)
{
	return f->visitor_count + f->http_connections + f->files;
}

static bool is_full(const struct front *f)
{
	size_t max = f->events.sockets_max ? f->events.sockets_max(f->owner) :
					     f->sockets_max;

	return front_sockets(f) >= max;
}

static void start_accepting(struct front *f)
{
	if (f->closing || f->accepting)
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

static void less(struct front *f)
{
	/* Without a free descriptor the timer tries again, not each close. */
	if (f->closing)
		return;
	front_dequeue(f);
	start_accepting(f);
}

static int accept_socket(struct front *f, struct sockaddr_storage *peer,
			 socklen_t *len)
{
	*len = sizeof(*peer);
	return accept4(f->fd, (struct sockaddr *)peer, len,
		       SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Some descriptor, that it can be given up for another. */
static void take_reserve(struct front *f)
{
	if (f->reserve < 0)
		f->reserve = fcntl(f->fd, F_DUPFD_CLOEXEC, 0);
}

static void turn_away(struct front *f, int fd,
		      const struct sockaddr_storage *peer, enum lack what,
		      const char *reason)
{
	char address[ADDRESS_TEXT_MAX];

	address_print((const struct sockaddr *)peer, address, sizeof(address));
	front_lacks(f, what, address);
	front_refuse_socket(f, fd, reason);
}

/* The socket may stay readable: look away for a while when there are many. */
static bool goes_on(struct front *f, bool refused)
{
	if (refused && ++f->refused_in_turn < REFUSED_AT_ONCE)
		return true;
	stop_accepting(f);
	timer_start(&f->accept_timer, RETRY_MS);
	return false;
}

/* No descriptor is left: one who waits is told so, by means of the reserve. */
static bool refuse_one(struct front *f)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t len;
	int fd = -1;

	if (f->reserve >= 0) {
		close(f->reserve);
		f->reserve = -1;
		fd = accept_socket(f, &peer, &len);
	}
	if (fd >= 0)
		turn_away(f, fd, &peer, LACK_FILES,
			  "busy: no open file is left");
	take_reserve(f);
	return goes_on(f, fd >= 0);
}

static bool accept_one(struct front *f)
{
	struct sockaddr_storage peer = { 0 };
	socklen_t len;
	int fd = accept_socket(f, &peer, &len);

	if (fd >= 0 && mem_is_short()) {
		turn_away(f, fd, &peer, LACK_MEMORY, "busy: no memory is left");
		return goes_on(f, true);
	}
	if (fd >= 0) {
		visitor_new(f, fd, &peer, len);
		return true;
	}
	if (errno == EINTR || errno == ECONNABORTED)
		return true;
	return errno != EAGAIN && refuse_one(f);
}

/* Somebody waits to be accepted. */
static bool is_called(const struct front *f)
{
	struct pollfd look = { .fd = f->fd, .events = POLLIN };

	return poll(&look, 1, 0) == 1;
}

static void on_connect(uv_poll_t *poll, int status, int events)
{
	struct front *f = poll->data;

	(void)status;
	(void)events;
	f->refused_in_turn = 0;
	take_reserve(f);
	for (int i = 0; i < ACCEPTS_AT_ONCE && f->accepting; i++) {
		if (is_full(f)) {
			if (is_called(f) && front_make_room(f))
				continue;
			/* What the owner allows can grow without a word. */
			stop_accepting(f);
			timer_start(&f->accept_timer, RETRY_MS);
			return;
		}
		if (!accept_one(f))
			return;
	}
}

static void take_config(struct front *f, const struct front_config *config)
{
	f->config = *config;
	f->config.host = NULL;
	if (!f->config.body_max)
		f->config.body_max = BODY_MAX;
	if (!f->config.head_timeout)
		f->config.head_timeout = HEAD_TIMEOUT_MS;
	if (!f->config.idle)
		f->config.idle = IDLE_S;
	if (!f->config.refused_again)
		f->config.refused_again = REFUSED_AGAIN_MS;
	if (!f->config.connections_max)
		f->config.connections_max = CONNECTIONS_MAX;
}

static size_t default_sockets(const struct front *f)
{
	size_t limit = descriptors_limit(), open = descriptors_open();
	size_t some = limit > open ? (limit - open) / 4 * 3 : 0;
	size_t usual = 2 * f->config.connections_max;

	return some < usual ? some : usual;
}

static void take_budget(struct front *f)
{
	size_t places = f->sockets_max;

	f->budget = f->config.budget;
	if (f->budget)
		return;
	f->budget = budget_new();
	if (f->events.sockets_max)
		places = f->events.sockets_max(f->owner);
	budget_set(f->budget, BUDGET_HEADS, places);
	budget_set(f->budget, BUDGET_CONNECTIONS, places);
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

static int front_take(int socket, struct error *err)
{
	int fd = fcntl(socket, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		error_set(err, ERR_CONNECT, "cannot listen: %s",
			  strerror(errno));
	return fd;
}

/* The socket, and who speaks HTTP at it. -1: neither. */
static int open_port(struct front *f, const struct front_config *config,
		     struct error *err)
{
	f->fd = config->socket ? front_take(config->socket, err) :
				 bind_tcp(config->host, config->port, err);
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
	f->less = less;
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
	front_tell_open(f);
	front_press_open(f);
	f->sockets_max = default_sockets(f);
	take_budget(f);
	f->reserve = -1;
	take_reserve(f);
	start_accepting(f);
	return f;
}

static uint16_t front_port(const struct front *f)
{
	return f->port;
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
	front_tell_close(f);
	front_press_close(f);
	timer_close(&f->accept_timer, front_handle_closed);
}

static void front_close(struct front *f, void (*closed)(void *owner))
{
	if (f->closing)
		return;
	front_tell_end(f);
	f->closing = true;
	f->closed = closed;
	f->accepting = false;
	uv_close((uv_handle_t *)&f->accept_poll, on_poll_closed);
	close(f->fd);
	if (f->reserve >= 0)
		close(f->reserve);
	f->fd = f->reserve = -1;
	f->accept_timer.fn = close_later;
	timer_start(&f->accept_timer, 0);
}

const struct front_table front_table = {
	.open = front_open,
	.port = front_port,
	.judge = front_judge,
	.lacks = front_lacks,
	.hush = front_tell_end,
	.sockets = front_sockets,
	.reply = front_reply,
	.reply_with = front_reply_with,
	.lend = front_lend,
	.reply_file = front_reply_file,
	.stream = front_stream,
	.stream_waiting = front_stream_waiting,
	.stream_write = front_stream_write,
	.stream_end = front_stream_end,
	.form = front_form,
	.close = front_close,
};
