/* SPDX-License-Identifier: MIT */
/* Accepting; the contract is in the header. */
#include "proxy/gate.h"
#include "base/split.h"
#include "net/endpoint.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "net/address.h"
#include "net/bind.h"

#define ACCEPTS_AT_ONCE 256
#define RETRY_MS 100
#define TELL_AGAIN_MS 60000

static void on_poll(uv_poll_t *poll, int status, int events);

static void watch(struct gate *g)
{
	uv_poll_start(&g->uv, UV_READABLE, on_poll);
}

static void on_retry(void *owner)
{
	watch(owner);
}

/* It looks away for a while, since that changes slowly. */
static void is_full(struct gate *g, int error)
{
	uv_poll_stop(&g->uv);
	timer_start(&g->retry, RETRY_MS);
	if (g->told_at && loop_now() - g->told_at < TELL_AGAIN_MS)
		return;
	g->told_at = loop_now();
	g->events->full(g->owner, strerror(error));
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct gate *g = poll->data;

	(void)status;
	(void)events;
	for (int i = 0; g->open && i < ACCEPTS_AT_ONCE; i++) {
		struct sockaddr_storage from = { 0 };
		socklen_t len = sizeof(from);
		int fd = accept4(g->fd, (struct sockaddr *)&from, &len,
				 SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd >= 0) {
			g->events->came(g->owner, fd, (struct sockaddr *)&from);
			continue;
		}
		if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS ||
		    errno == ENOMEM)
			is_full(g, errno);
		if (errno != ECONNABORTED && errno != EINTR)
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
	timer_open(&g->retry, g->loop, on_retry, g);
	watch(g);
	return 0;
}

static void on_timer_closed(void *owner)
{
	struct gate *g = owner;

	g->events->closed(g->owner);
}

static void on_poll_closed(uv_handle_t *uv)
{
	struct gate *g = uv->data;

	timer_close(&g->retry, on_timer_closed);
}

void gate_close(struct gate *g)
{
	if (!g->open)
		return;
	g->open = false;
	uv_close((uv_handle_t *)&g->uv, on_poll_closed);
	close(g->fd);
}

char *gate_host(const struct words *listen)
{
	char *host = NULL;
	uint16_t port;

	if (listen && listen->count)
		endpoint_parse_listen(listen->word[0], &host, &port, NULL);
	return host;
}
