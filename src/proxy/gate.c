/* SPDX-License-Identifier: MIT */
/* Accepting; the contract is in the header. */
#include "proxy/gate.h"
#include "base/mem.h"
#include "base/split.h"
#include "net/endpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "net/bind.h"

/* Few: those that make room for them have gone in the next turn of the loop. */
#define ACCEPTS_AT_ONCE 8
#define REFUSED_AT_ONCE 32
#define RETRY_MS 100

static void on_poll(uv_poll_t *poll, int status, int events);

static void watch(struct gate *g)
{
	uv_poll_start(&g->uv, UV_READABLE, on_poll);
}

static void on_retry(void *owner)
{
	struct gate *g = owner;

	if (g->open)
		watch(g);
}

/* It looks away for a while, since that changes slowly. */
static void look_away(struct gate *g)
{
	uv_poll_stop(&g->uv);
	timer_start(&g->retry, RETRY_MS);
}

static int take_one(const struct gate *g, struct sockaddr_storage *from)
{
	socklen_t len = sizeof(*from);

	return accept4(g->fd, (struct sockaddr *)from, &len,
		       SOCK_CLOEXEC | SOCK_NONBLOCK);
}

/* Some descriptor, that it can be given up for another. */
static void take_reserve(struct gate *g)
{
	if (g->reserve < 0)
		g->reserve = fcntl(g->fd, F_DUPFD_CLOEXEC, 0);
}

void gate_refuse(struct gate *g, enum lack what, const struct sockaddr *from)
{
	char address[ADDRESS_TEXT_MAX];

	address_print(from, address, sizeof(address));
	lacks_tell(&g->lacks, what, address);
}

/* No descriptor is left: one who waits is refused by means of the reserve. */
static bool refuse_one(struct gate *g)
{
	struct sockaddr_storage from = { 0 };
	int fd = -1;

	if (g->reserve >= 0) {
		close(g->reserve);
		g->reserve = -1;
		fd = take_one(g, &from);
	}
	if (fd >= 0) {
		gate_refuse(g, LACK_FILES, (struct sockaddr *)&from);
		close(fd);
	}
	take_reserve(g);
	return fd >= 0;
}

/* False: it is refused. */
static bool let_in(struct gate *g, int fd, const struct sockaddr *from)
{
	struct share share = { 0 };
	bool over;

	share_open(&share, g->budget, budget_key_address(from));
	over = share_is_over(&share);
	if (!over && !mem_is_short()) {
		g->events->came(g->owner, fd, from, &share);
		return true;
	}
	gate_refuse(g, over ? LACK_CONNECTIONS : LACK_MEMORY, from);
	share_close(&share);
	close(fd);
	return false;
}

/* How many were refused; -1: nobody waits any more. */
static int accept_one(struct gate *g)
{
	struct sockaddr_storage from = { 0 };
	int fd = take_one(g, &from);

	if (fd >= 0)
		return !let_in(g, fd, (struct sockaddr *)&from);
	if (errno == ECONNABORTED || errno == EINTR)
		return 0;
	if (errno == EAGAIN)
		return -1;
	return refuse_one(g) ? 1 : REFUSED_AT_ONCE;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct gate *g = poll->data;
	int refused = 0;

	(void)status;
	(void)events;
	take_reserve(g);
	for (int i = 0; g->open && i < ACCEPTS_AT_ONCE; i++) {
		int more = accept_one(g);

		if (more < 0)
			return;
		refused += more;
		if (refused < REFUSED_AT_ONCE)
			continue;
		look_away(g);
		return;
	}
}

int gate_open(struct gate *g, const char *host, uint16_t port,
	      struct error *err)
{
	struct sockaddr_storage own = { 0 };
	socklen_t len = sizeof(own);
	int fd = bind_tcp(host, port, err);

	if (fd < 0)
		return -1;
	g->fd = fd;
	if (uv_poll_init(loop_uv(g->loop), &g->uv, fd)) {
		close(fd);
		return error_set(err, ERR_CONNECT,
				 "cannot watch a listening socket");
	}
	getsockname(fd, (struct sockaddr *)&own, &len);
	g->port = address_port((struct sockaddr *)&own);
	g->uv.data = g;
	g->open = true;
	g->reserve = -1;
	take_reserve(g);
	timer_open(&g->retry, g->loop, on_retry, g);
	g->lacks.again_ms = LACKS_AGAIN_MS;
	g->lacks.refused = g->events->refused;
	g->lacks.owner = g->owner;
	lacks_open(&g->lacks, g->loop);
	g->handles = 3;
	watch(g);
	return 0;
}

static void on_handle_closed(void *owner)
{
	struct gate *g = owner;

	if (--g->handles == 0)
		g->events->closed(g->owner);
}

static void on_poll_closed(uv_handle_t *uv)
{
	on_handle_closed(uv->data);
}

void gate_close(struct gate *g)
{
	if (!g->open)
		return;
	g->open = false;
	uv_close((uv_handle_t *)&g->uv, on_poll_closed);
	timer_close(&g->retry, on_handle_closed);
	lacks_close(&g->lacks, on_handle_closed, g);
	close(g->fd);
	if (g->reserve >= 0)
		close(g->reserve);
}

char *gate_host(const struct words *listen)
{
	char *host = NULL;
	uint16_t port;

	if (listen && listen->count)
		endpoint_parse_listen(listen->word[0], &host, &port, NULL);
	return host;
}
