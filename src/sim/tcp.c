/* SPDX-License-Identifier: MIT */
/* libuv's TCP for one outgoing connection; the contract is in the header. */
#include "sim/tcp.h"

#include <stdio.h>
#include <string.h>

#include "base/lookup.h"
#include "base/mem.h"
#include "base/module.h"

#define READ_SIZE 65536

/* One write that the kernel did not take at once. */
struct rest {
	uv_write_t uv;
	size_t len;
	char data[];
};

static void try_next(struct tcp *t);
static void write_raw(struct tcp *t, const void *data, size_t len);

static void maybe_closed(struct tcp *t)
{
	if (!t->closing || !t->handle_gone || !t->timer_gone)
		return;
	if (t->tls)
		t->tls_table->free(TAKE(t->tls));
	mem_free(TAKE(t->why));
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

/* TLS between the socket and the events. */

/* What TLS has for the network. */
static void flush(struct tcp *t)
{
	char piece[4096];
	size_t len;

	while ((len = t->tls_table->pending(t->tls, piece, sizeof(piece))) > 0)
		write_raw(t, piece, len);
}

static void fail_tls(struct tcp *t, struct error *why)
{
	t->why = mem_printf("%s%s%s", why->text, *why->hint ? "; " : "",
			    why->hint);
	error_reset(why);
	end(t, t->why);
}

static void shake(struct tcp *t)
{
	struct error why = { 0 };
	int done = t->tls_table->shake(t->tls, &why);

	flush(t);
	if (done < 0) {
		fail_tls(t, &why);
	} else if (done > 0) {
		t->shaken = true;
		t->events->connected(t);
	}
}

static void take_tls(struct tcp *t, const char *data, size_t len)
{
	char piece[16384];
	ptrdiff_t got = 0;

	t->tls_table->feed(t->tls, data, len);
	if (!t->shaken)
		shake(t);
	while (t->shaken && !t->closing) {
		got = t->tls_table->read(t->tls, piece, sizeof(piece));
		flush(t);
		if (got <= 0)
			break;
		t->events->data(t, piece, (size_t)got);
	}
	if (t->shaken && got < 0) {
		uv_read_stop((uv_stream_t *)&t->uv);
		end(t, NULL);
	}
}

static void on_read(uv_stream_t *uv, ssize_t got, const uv_buf_t *buf)
{
	struct tcp *t = uv->data;

	if (t->closing || got == 0)
		return;
	if (got > 0 && t->tls)
		take_tls(t, buf->base, (size_t)got);
	else if (got > 0)
		t->events->data(t, buf->base, (size_t)got);
	if (got > 0)
		return;
	uv_read_stop(uv);
	if (t->tls && !t->shaken && got == UV_EOF)
		end(t, "it ended the TLS handshake: does it speak TLS there?");
	else
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
	if (t->tls)
		shake(t);
	else
		t->events->connected(t);
}

/* Begin with the next address; the last failure is told when none is left. */
static void try_next(struct tcp *t)
{
	const struct sockaddr *to;
	uv_connect_t *rq;

	if (t->next == t->count) {
		end(t, t->why ? t->why : uv_strerror(t->status));
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

/* It ends before it began: told from the loop, as everything is. */
static void end_soon(struct tcp *t)
{
	t->retrying = true;
	uv_tcp_init(loop_uv(t->loop), &t->uv);
	t->uv.data = t;
	t->open = true;
	uv_close((uv_handle_t *)&t->uv, on_handle_closed);
}

static int open_tls(struct tcp *t, const struct tcp_order *o)
{
	struct error why = { 0 };

	if (!o->trust)
		return 0;
	t->tls_table = module_table("tls", TLS_TABLE, &why);
	if (t->tls_table)
		t->tls = t->tls_table->open(o->host, o->trust, &why);
	if (t->tls)
		return 0;
	t->why = mem_strdup(why.text);
	error_reset(&why);
	return -1;
}

void tcp_open(struct tcp *t, const struct tcp_order *o)
{
	*t = (struct tcp){ 0 };
	t->loop = o->loop;
	t->events = o->events;
	t->owner = o->owner;
	timer_open(&t->timer, o->loop, on_timer, t);
	if (open_tls(t, o)) {
		end_soon(t);
		return;
	}
	if (!uv_ip4_addr(o->host, o->port, &t->address[0])) {
		t->count = 1;
		try_next(t);
		return;
	}
	t->status = look_up(t, o->host, o->port);
	if (t->status)
		end_soon(t); /* too long a name */
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

static void write_raw(struct tcp *t, const void *data, size_t len)
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

void tcp_write(struct tcp *t, const void *data, size_t len)
{
	if (!t->tls) {
		write_raw(t, data, len);
		return;
	}
	if (t->closing || !t->shaken)
		return;
	t->tls_table->write(t->tls, data, len);
	flush(t);
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
