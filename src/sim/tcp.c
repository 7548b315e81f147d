/* SPDX-License-Identifier: MIT */
/* libuv's TCP for one outgoing connection; the contract is in the header. */
#include "sim/tcp.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"

#define READ_SIZE 65536

/* One write that the kernel did not take at once. */
struct rest {
	uv_write_t uv;
	size_t len;
	char data[];
};

static void write_raw(struct tcp *t, const void *data, size_t len);

static void maybe_closed(struct tcp *t)
{
	if (t->open || !t->timer_gone)
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
	dial_close(TAKE(t->dial));
	if (t->open)
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
	t->why = error_line(why);
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

static void on_connected(void *owner, int fd)
{
	struct tcp *t = owner;
	int status;

	t->dial = NULL;
	uv_tcp_init(loop_uv(t->loop), &t->uv);
	t->uv.data = t;
	t->open = true;
	status = uv_tcp_open(&t->uv, fd);
	if (status) {
		close(fd);
		end(t, uv_strerror(status));
		return;
	}
	uv_tcp_nodelay(&t->uv, 1);
	uv_read_start((uv_stream_t *)&t->uv, on_alloc, on_read);
	if (t->tls)
		shake(t);
	else
		t->events->connected(t);
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	struct tcp *t = owner;
	int status = f->stage == DIAL_NAME ? f->error :
					     uv_translate_sys_error(f->error);

	t->dial = NULL;
	if (status == UV_ETIMEDOUT)
		t->events->deadline(t);
	else
		end(t, uv_strerror(status ? status : UV_EADDRNOTAVAIL));
}

static void on_timer(void *owner)
{
	struct tcp *t = owner;

	if (t->overflow)
		end(t, "the peer does not read what is sent");
	else if (t->why && !t->tls)
		end(t, t->why);
	else if (!t->closing)
		t->events->deadline(t);
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
	t->why = error_line(&why);
	error_reset(&why);
	return -1;
}

void tcp_open(struct tcp *t, const struct tcp_order *o)
{
	/* The board's own addresses are IPv4 (device.md 1.2). */
	const struct dial_order order = { .host = o->host,
					  .port = o->port,
					  .family = AF_INET,
					  .timeout = TCP_CONNECT_MS,
					  .connected = on_connected,
					  .failed = on_failed,
					  .owner = t };

	*t = (struct tcp){ 0 };
	t->loop = o->loop;
	t->events = o->events;
	t->owner = o->owner;
	timer_open(&t->timer, o->loop, on_timer, t);
	/* Why not is told from the loop, as everything is. */
	timer_start(&t->timer, open_tls(t, o) ? 0 : TCP_CONNECT_MS);
	if (!t->why)
		t->dial = dial_open(o->loop, &order);
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

	if (t->closing || !t->open)
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

	if (t->closing || !t->open) {
		tcp_close(t);
		return;
	}
	rq = mem_zalloc(sizeof(*rq));
	if (!uv_shutdown(rq, (uv_stream_t *)&t->uv, on_shutdown))
		return;
	mem_free(rq);
	tcp_close(t);
}
