/* SPDX-License-Identifier: MIT */
/* libuv's TCP for one connection; the contract is in the header. */
#include "net/tcp.h"

#include <errno.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/module.h"
#include "net/why.h"

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
	mem_free(TAKE(t->host));
	error_reset(&t->why);
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

void tcp_reset(struct tcp *t)
{
	if (t->closing)
		return;
	/* Not while its end is on the way: then it is closed as it stands. */
	if (t->open && !uv_tcp_close_reset(&t->uv, on_handle_closed)) {
		t->closing = true;
		timer_close(&t->timer, on_timer_closed);
		return;
	}
	tcp_close(t);
}

static void end(struct tcp *t, const struct error *why)
{
	t->ended = true;
	if (!t->closing)
		t->events->ended(t, why);
}

/* number: an errno, 0 if there is none. */
static void fail(struct tcp *t, enum why reason, int number, const char *text)
{
	struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "%s", text);
	if (number)
		error_code(&why, number);
	error_reason(&why, (int)reason);
	end(t, &why);
	error_reset(&why);
}

/* status: libuv's, of a connection that stood. */
static void fail_uv(struct tcp *t, int status)
{
	fail(t, WHY_WENT, -status, uv_strerror(status));
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
	end(t, why);
	error_reset(why);
}

/* The peer closed before TLS was up. */
static void shaken_off(struct tcp *t)
{
	struct error why = { 0 };

	why_set(&why, &(struct why_facts){ .what = WHY_TLS,
					   .with = WITH_BOARD,
					   .host = t->host });
	fail_tls(t, &why);
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
	CLEANUP(error_reset) struct error why = { 0 };
	char piece[16384];
	ptrdiff_t got = 0;

	t->tls_table->feed(t->tls, data, len);
	if (!t->shaken)
		shake(t);
	while (t->shaken && !t->closing) {
		got = t->tls_table->read(t->tls, piece, sizeof(piece), &why);
		flush(t);
		if (got <= 0)
			break;
		t->events->data(t, piece, (size_t)got);
	}
	if (t->shaken && got < 0) {
		uv_read_stop((uv_stream_t *)&t->uv);
		end(t, why.kind ? &why : NULL);
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
		shaken_off(t);
	else if (got == UV_EOF && t->broken)
		fail_uv(t, t->broken);
	else if (got == UV_EOF)
		end(t, NULL);
	else
		fail_uv(t, (int)got);
}

/* -1: fd is closed. */
static int take_socket(struct tcp *t, int fd)
{
	int status, size = sizeof(t->peer);

	uv_tcp_init(loop_uv(t->loop), &t->uv);
	t->uv.data = t;
	t->open = true;
	status = uv_tcp_open(&t->uv, fd);
	if (status) {
		close(fd);
		return status;
	}
	uv_tcp_getpeername(&t->uv, (void *)&t->peer, &size);
	uv_tcp_nodelay(&t->uv, 1);
	if (!t->held)
		uv_read_start((uv_stream_t *)&t->uv, on_alloc, on_read);
	return 0;
}

void tcp_hold(struct tcp *t, bool hold)
{
	if (t->held == hold)
		return;
	t->held = hold;
	if (!t->open || t->closing || t->ended)
		return;
	if (hold)
		uv_read_stop((uv_stream_t *)&t->uv);
	else
		uv_read_start((uv_stream_t *)&t->uv, on_alloc, on_read);
}

static void on_connected(void *owner, int fd)
{
	struct tcp *t = owner;
	int status;

	t->dial = NULL;
	status = take_socket(t, fd);
	if (status) {
		fail(t, WHY_NO_CONNECTION, -status, uv_strerror(status));
		return;
	}
	if (t->tls)
		shake(t);
	else
		t->events->connected(t);
}

/* TCP_CONNECT_MS are over. */
static void late(struct tcp *t)
{
	if (t->open)
		fail(t, WHY_TLS_SILENT, 0, "no TLS handshake within 10 s");
	else
		fail(t, WHY_NO_CONNECTION, ETIMEDOUT, "no answer within 10 s");
}

static void on_failed(void *owner, const struct dial_facts *f)
{
	struct tcp *t = owner;
	int status = f->error ? f->error : UV_EADDRNOTAVAIL;

	t->dial = NULL;
	if (f->stage == DIAL_CONNECT && f->error == ETIMEDOUT)
		late(t);
	else if (f->stage == DIAL_CONNECT)
		fail(t, WHY_NO_CONNECTION, f->error,
		     uv_strerror(uv_translate_sys_error(f->error)));
	else if (status == UV_ETIMEDOUT)
		fail(t, WHY_NO_NAMESERVER, 0,
		     "the name server does not answer");
	else
		fail(t, WHY_NO_HOST, 0, uv_strerror(status));
}

static void on_timer(void *owner)
{
	struct tcp *t = owner;

	if (t->overflow)
		fail(t, WHY_OTHER, 0, "the peer does not read what is sent");
	else if (t->why.kind)
		end(t, &t->why);
	else if (!t->open || (t->tls && !t->shaken))
		late(t);
	else if (!t->closing)
		t->events->deadline(t);
}

static int open_tls(struct tcp *t, const struct tcp_order *o)
{
	if (!o->trust)
		return 0;
	t->tls_table = module_table("tls", TLS_TABLE, &t->why);
	if (t->tls_table)
		t->tls = t->tls_table->open(o->host, o->trust, &t->why);
	return t->tls ? 0 : -1;
}

static void tcp_init(struct tcp *t, const struct tcp_order *o)
{
	*t = (struct tcp){ 0 };
	t->loop = o->loop;
	t->events = o->events;
	t->owner = o->owner;
	timer_open(&t->timer, o->loop, on_timer, t);
}

void tcp_adopt(struct tcp *t, const struct tcp_order *o, int fd)
{
	int status;

	tcp_init(t, o);
	status = take_socket(t, fd);
	if (!status)
		return;
	error_set(&t->why, ERR_CONNECT, "%s", uv_strerror(status));
	error_reason(&t->why, WHY_OTHER);
	timer_start(&t->timer, 0);
}

void tcp_open(struct tcp *t, const struct tcp_order *o)
{
	/* The board's own addresses are IPv4 (device.md 1.2). */
	const struct dial_order order = { .host = o->host,
					  .port = o->port,
					  .family = o->any_family ? AF_UNSPEC :
								    AF_INET,
					  .timeout = TCP_CONNECT_MS,
					  .connected = on_connected,
					  .failed = on_failed,
					  .owner = t };

	tcp_init(t, o);
	t->host = mem_strdup(o->host);
	/* Why not is told from the loop, as everything is. */
	timer_start(&t->timer, open_tls(t, o) ? 0 : TCP_CONNECT_MS);
	if (!t->why.kind)
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

/* What it said before it went tells more than that we cannot write any more. */
static bool has_last_words(const struct tcp *t)
{
	char first;
	uv_os_fd_t fd;

	return !t->held && !t->ended && !t->closing &&
	       !uv_fileno((const uv_handle_t *)&t->uv, &fd) &&
	       recv(fd, &first, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

static void on_written(uv_write_t *uv, int status)
{
	struct rest *rest = (struct rest *)uv;
	struct tcp *t = uv->handle->data;

	mem_free(rest);
	if (status && status != UV_ECANCELED && has_last_words(t))
		t->broken = status;
	else if (status && status != UV_ECANCELED)
		fail_uv(t, status);
	else if (!status && !t->closing && t->events->drained)
		t->events->drained(t);
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

bool tcp_ends(const struct tcp *t, char *own, char *peer)
{
	struct sockaddr_storage here = { 0 };
	int size = sizeof(here);

	if (!t->open || uv_tcp_getsockname(&t->uv, (void *)&here, &size))
		return false;
	address_print_host((void *)&here, own, ADDRESS_TEXT_MAX);
	address_print((const void *)&t->peer, peer, ADDRESS_TEXT_MAX);
	return true;
}

bool tcp_tls_facts(const struct tcp *t, struct tls_facts *out)
{
	if (!t->shaken)
		return false;
	t->tls_table->facts(t->tls, out);
	return true;
}

void tcp_deafen(struct tcp *t)
{
	if (t->open && !t->closing)
		uv_read_stop((uv_stream_t *)&t->uv);
}

bool tcp_lose(struct tcp *t)
{
	struct sock_filter drop = { .code = BPF_RET | BPF_K };
	struct sock_fprog all = { .len = 1, .filter = &drop };
	uv_os_fd_t fd;

	if (!t->open || t->closing)
		return true;
	return uv_fileno((uv_handle_t *)&t->uv, &fd) == 0 &&
	       setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &all,
			  sizeof(all)) == 0;
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

static void on_shut(uv_shutdown_t *rq, int status)
{
	(void)status;
	mem_free(rq);
}

void tcp_shut(struct tcp *t)
{
	uv_shutdown_t *rq;

	if (t->closing || !t->open)
		return;
	rq = mem_zalloc(sizeof(*rq));
	if (uv_shutdown(rq, (uv_stream_t *)&t->uv, on_shut))
		mem_free(rq);
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
