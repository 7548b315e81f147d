/* SPDX-License-Identifier: MIT */
/* libuv's TCP for one outgoing connection; the contract is in the header. */
#include "sim/tcp.h"

#include <stdio.h>
#include <string.h>

#include "base/lookup.h"
#include "base/mem.h"

#define READ_SIZE 65536

/* One write that the kernel did not take at once. */
struct rest {
	uv_write_t uv;
	size_t len;
	char data[];
};

static void try_next(struct tcp *t);

static void maybe_closed(struct tcp *t)
{
	if (!t->closing || !t->handle_gone || !t->timer_gone)
		return;
	t->events->closed(t);
}

static void on_handle_closed(uv_handle_t *uv)
{
	struct tcp *t = uv->data;

	t->open = false;
	if (t->retrying && !t->closing) {
		t->retrying = false;
		try_next(t);
		return;
	}
	t->handle_gone = true;
	maybe_closed(t);
}

static void on_timer_closed(void *owner)
{
	struct tcp *t = owner;

	t->timer_gone = true;
	maybe_closed(t);
}

void tcp_close(struct tcp *t)
{
	if (t->closing)
		return;
	t->closing = true;
	timer_close(&t->timer, on_timer_closed);
	if (t->lookup) { /* it may take long and cannot be stopped: let go */
		t->lookup->data = NULL;
		uv_cancel((uv_req_t *)t->lookup);
		t->lookup = NULL;
	}
	if (!t->open)
		t->handle_gone = true;
	else if (!t->retrying) /* its close is under way then */
		uv_close((uv_handle_t *)&t->uv, on_handle_closed);
}

static void end(struct tcp *t, const char *why)
{
	if (!t->closing)
		t->events->ended(t, why);
}

static void on_alloc(uv_handle_t *uv, size_t suggested, uv_buf_t *out)
{
	/* Read and given on in one step, so that all connections share it. */
	static char shared[READ_SIZE];

	(void)uv;
	(void)suggested;
	*out = uv_buf_init(shared, sizeof(shared));
}

static void on_read(uv_stream_t *uv, ssize_t got, const uv_buf_t *buf)
{
	struct tcp *t = uv->data;

	if (t->closing || got == 0)
		return;
	if (got > 0) {
		t->events->data(t, buf->base, (size_t)got);
		return;
	}
	uv_read_stop(uv);
	end(t, got == UV_EOF ? NULL : uv_strerror((int)got));
}

static void on_connect(uv_connect_t *rq, int status)
{
	struct tcp *t = rq->handle->data;

	mem_free(rq);
	if (t->closing)
		return;
	if (status) {
		t->status = status;
		t->retrying = true;
		uv_close((uv_handle_t *)&t->uv, on_handle_closed);
		return;
	}
	uv_tcp_nodelay(&t->uv, 1);
	uv_read_start((uv_stream_t *)&t->uv, on_alloc, on_read);
	t->events->connected(t);
}

/* Begin with the next address; the last failure is told when none is left. */
static void try_next(struct tcp *t)
{
	const struct sockaddr *to;
	uv_connect_t *rq;

	if (t->next == t->count) {
		end(t, uv_strerror(t->status));
		return;
	}
	to = (const struct sockaddr *)&t->address[t->next++];
	uv_tcp_init(loop_uv(t->loop), &t->uv);
	t->uv.data = t;
	t->open = true;
	rq = mem_zalloc(sizeof(*rq));
	t->status = uv_tcp_connect(rq, &t->uv, to, on_connect);
	if (!t->status)
		return;
	mem_free(rq);
	t->retrying = true;
	uv_close((uv_handle_t *)&t->uv, on_handle_closed);
}

static void on_resolved(uv_getaddrinfo_t *rq, int status, struct addrinfo *list)
{
	struct tcp *t = rq->data;
	const struct addrinfo *a;

	for (a = list; t && a && t->count < TCP_TRIES; a = a->ai_next)
		memcpy(&t->address[t->count++], a->ai_addr,
		       sizeof(t->address[0]));
	if (list)
		uv_freeaddrinfo(list);
	mem_free(rq);
	if (!t)
		return;
	t->lookup = NULL;
	t->status = status ? status : UV_EADDRNOTAVAIL;
	try_next(t);
}

static void on_timer(void *owner)
{
	struct tcp *t = owner;

	if (t->overflow)
		end(t, "the peer does not read what is sent");
	else if (!t->closing)
		t->events->deadline(t);
}

static int look_up(struct tcp *t, const char *host, uint16_t port)
{
	/* The board's own addresses are IPv4 (device.md 1.2). */
	const struct addrinfo hints = { .ai_family = AF_INET,
					.ai_socktype = SOCK_STREAM };
	uv_getaddrinfo_t *rq = mem_zalloc(sizeof(*rq));
	char service[8];
	int status;

	snprintf(service, sizeof(service), "%u", (unsigned)port);
	rq->data = t;
	status = lookup_start(t->loop, rq, on_resolved, host, service, &hints);
	if (status)
		mem_free(rq);
	else
		t->lookup = rq;
	return status;
}

void tcp_open(struct tcp *t, struct loop *l, const char *host, uint16_t port,
	      const struct tcp_events *events, void *owner)
{
	*t = (struct tcp){ 0 };
	t->loop = l;
	t->events = events;
	t->owner = owner;
	timer_open(&t->timer, l, on_timer, t);
	if (!uv_ip4_addr(host, port, &t->address[0])) {
		t->count = 1;
		try_next(t);
		return;
	}
	t->status = look_up(t, host, port);
	if (!t->status)
		return;
	/* Too long a name: told from the loop, as everything is. */
	t->retrying = true;
	uv_tcp_init(loop_uv(l), &t->uv);
	t->uv.data = t;
	t->open = true;
	uv_close((uv_handle_t *)&t->uv, on_handle_closed);
}

void tcp_deadline(struct tcp *t, int64_t ms)
{
	if (t->closing)
		return;
	if (ms > 0)
		timer_start(&t->timer, ms);
	else
		timer_stop(&t->timer);
}

static void on_written(uv_write_t *uv, int status)
{
	struct rest *rest = (struct rest *)uv;
	struct tcp *t = uv->handle->data;

	mem_free(rest);
	if (status && status != UV_ECANCELED)
		end(t, uv_strerror(status));
}

static void write_rest(struct tcp *t, const char *data, size_t len)
{
	struct rest *rest = mem_alloc(sizeof(*rest) + len);
	uv_buf_t buf;

	memcpy(rest->data, data, len);
	rest->len = len;
	buf = uv_buf_init(rest->data, (unsigned)len);
	if (uv_write(&rest->uv, (uv_stream_t *)&t->uv, &buf, 1, on_written))
		mem_free(rest);
}

size_t tcp_waiting(const struct tcp *t)
{
	return t->open && !t->closing ? uv_stream_get_write_queue_size(
						(const uv_stream_t *)&t->uv) :
					0;
}

void tcp_write(struct tcp *t, const void *data, size_t len)
{
	size_t queued = uv_stream_get_write_queue_size((uv_stream_t *)&t->uv);
	uv_buf_t buf;
	int done = 0;

	if (t->closing || !t->open || t->retrying)
		return;
	if (!queued) {
		/* libuv takes a buffer that it does not change. */
		memcpy(&buf.base, &data, sizeof(buf.base));
		buf.len = len;
		done = uv_try_write((uv_stream_t *)&t->uv, &buf, 1);
		if (done < 0)
			done = 0; /* the reason comes with the next read */
	}
	if ((size_t)done == len || t->overflow)
		return;
	if (queued + len > TCP_QUEUE_MAX) {
		t->overflow = true;
		timer_start(&t->timer, 0);
		return;
	}
	write_rest(t, (const char *)data + done, len - (size_t)done);
}

static void on_shutdown(uv_shutdown_t *rq, int status)
{
	struct tcp *t = rq->handle->data;

	(void)status;
	mem_free(rq);
	tcp_close(t);
}

void tcp_finish(struct tcp *t)
{
	uv_shutdown_t *rq;

	if (t->closing || !t->open || t->retrying) {
		tcp_close(t);
		return;
	}
	rq = mem_zalloc(sizeof(*rq));
	if (!uv_shutdown(rq, (uv_stream_t *)&t->uv, on_shutdown))
		return;
	mem_free(rq);
	tcp_close(t);
}
