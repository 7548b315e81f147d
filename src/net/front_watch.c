/* SPDX-License-Identifier: MIT */
/*
 * Sees a peer go while its request is suspended: libmicrohttpd does not look
 * at such a socket. What then becomes of the request is not decided here.
 */
#include <sys/socket.h>

#include "base/mem.h"
#include "net/front_http.h"

static void free_poll(uv_handle_t *handle)
{
	mem_free(handle);
}

void request_unwatch(struct front_request *rq)
{
	if (rq->watch)
		uv_close((uv_handle_t *)TAKE(rq->watch), free_poll);
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct front_request *rq = poll->data;

	if (status >= 0 && !(events & UV_DISCONNECT))
		return;
	request_unwatch(rq);
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
	rq->watch = mem_zalloc(sizeof(*rq->watch));
	if (uv_poll_init(loop_uv(rq->front->loop), rq->watch, fd)) {
		mem_free(TAKE(rq->watch));
		return;
	}
	rq->watch->data = rq;
	uv_poll_start(rq->watch, UV_DISCONNECT, on_poll);
}
