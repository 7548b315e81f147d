/* SPDX-License-Identifier: MIT */
/*
 * One attached command: frames in, frames out, its end. What they mean is told
 * to who stands above (struct control_above).
 */
#include "serve/control_peer.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/board_tell.h"
#include "serve/control.h"

#define PIECE (64u << 10) /* bytes of one read */
#define READS 8 /* in one turn: others want theirs too */
#define KEEP_INPUT (256u << 10) /* memory that an empty input may keep */
#define LINGER_MS 2000

static void on_ready(uv_poll_t *poll, int status, int events);

/* One that does not read its answers is not asked for more questions. */
static bool is_paused(const struct control_peer *p)
{
	return p->fan || p->out.bytes > OUTBOX_LONG;
}

static void arm(struct control_peer *p)
{
	int want = p->finishing || is_paused(p) ? UV_DISCONNECT : UV_READABLE;

	if (p->closing)
		return;
	if (p->out.count)
		want |= UV_WRITABLE;
	if (want == p->armed)
		return;
	p->armed = want;
	uv_poll_start(&p->poll, want, on_ready);
}

static void release_if_done(struct control_peer *p)
{
	if (--p->handles == 0)
		p->control->above->closed(p);
}

static void on_timer_closed(void *owner)
{
	release_if_done(owner);
}

static void on_poll_closed(uv_handle_t *handle)
{
	struct control_peer *p = handle->data;

	close(p->fd);
	release_if_done(p);
}

static void leave(struct control_peer *p)
{
	p->control->above->leave(p);
	p->waiting = p->watching = false;
}

void control_peer_drop_received(struct control_peer *p)
{
	if (p->received >= 0)
		close(p->received);
	p->received = -1;
}

static void close_peer(struct control_peer *p)
{
	if (p->closing)
		return;
	p->closing = p->finishing = true;
	leave(p);
	control_peer_drop_received(p);
	outbox_done(&p->out);
	buf_done(&p->in);
	mem_free(TAKE(p->pattern));
	mem_free(TAKE(p->watched));
	uv_close((uv_handle_t *)&p->poll, on_poll_closed);
	timer_close(&p->timer, on_timer_closed);
}

void control_peer_finish(struct control_peer *p, int64_t ms)
{
	if (p->finishing)
		return;
	p->finishing = true;
	leave(p);
	buf_done(&p->in);
	/* Closed from the loop, since the caller may hold it. */
	timer_start(&p->timer, p->out.count ? ms : 0);
	arm(p);
}

void control_peer_later(struct control_peer *p)
{
	if (p->working || p->finishing)
		return;
	p->working = true;
	timer_start(&p->timer, 0);
}

void control_peer_packet(struct control_peer *p, struct packet *packet)
{
	if (p->finishing)
		return;
	if (outbox_add(&p->out, packet)) {
		records_add(
			&p->server->records, RECORD_REFUSED, LEVEL_WARN,
			p->device ? p->device->id : NULL, NULL,
			"a command (pid %d) does not read its answers: it is closed",
			p->pid);
		outbox_done(&p->out);
		control_peer_finish(p, 0);
		return;
	}
	/* A failure is seen by the poll; who calls may still hold the peer. */
	if (!(p->armed & UV_WRITABLE))
		outbox_write(&p->out, p->fd);
	arm(p);
}

void control_peer_offer(struct control_peer *p, struct packet *packet)
{
	if (p->finishing)
		return;
	outbox_offer(&p->out, packet);
	if (!(p->armed & UV_WRITABLE))
		outbox_write(&p->out, p->fd);
	arm(p);
}

static void send_frame(struct control_peer *p, enum control_kind kind,
		       const void *data, size_t len)
{
	struct packet *packet = packet_new(kind, data, len);

	control_peer_packet(p, packet);
	packet_release(packet);
}

void control_error_text(struct buf *out, const char *op,
			const struct error *why)
{
	buf_printf(out, "{\"op\":\"%s\",\"error\":", op);
	control_error_encode(out, why);
	buf_char(out, '}');
}

void control_peer_send(struct control_peer *p, enum control_kind kind,
		       const void *data, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	if (p->finishing)
		return;
	if (len > CONTROL_FRAME_MAX) {
		error_set(
			&why, ERR_PROTOCOL,
			"an answer of %zu bytes is too long for the control socket",
			len);
		control_error_text(&text, "error", &why);
		send_frame(p, CONTROL_JSON, text.data, text.len);
		control_peer_finish(p, LINGER_MS);
		return;
	}
	send_frame(p, kind, data, len);
}

void control_tell_error(struct control_peer *p, const char *op,
			const struct error *why)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	control_error_text(&text, op, why);
	control_peer_send(p, CONTROL_JSON, text.data, text.len);
}

void control_begin_device(struct buf *out, const char *op,
			  const struct board *d)
{
	buf_printf(out, "{\"op\":\"%s\",\"device\":{", op);
	board_describe(out, d);
	buf_char(out, '}');
}

void control_peer_error(struct control_peer *p, const struct error *why)
{
	control_tell_error(p, "error", why);
}

/* All whole frames that came. A frame may end the peer. */
static void take_frames(struct control_peer *p)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct buf in = p->in;
	struct control_frame f;
	size_t at = 0;
	int status = 0;

	/* What is read stays where it is while its frames are handled. */
	p->in = (struct buf){ 0 };
	while (!p->finishing && !is_paused(p)) {
		status = control_decode(&f, in.data + at, in.len - at, &why);
		if (status <= 0)
			break;
		at += f.size;
		p->control->above->frame(p, &f);
	}
	if (status < 0) {
		control_peer_error(p, &why);
		control_peer_finish(p, LINGER_MS);
	}
	if (at)
		buf_consume(&in, at);
	if (p->finishing || (!in.len && in.capacity > KEEP_INPUT))
		buf_done(&in);
	p->in = in;
}

/* One descriptor is kept, the last that came; there is room for no more. */
static void keep_received(struct control_peer *p, struct msghdr *h)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS ||
		    c->cmsg_len < CMSG_LEN(sizeof(int)))
			continue;
		control_peer_drop_received(p);
		memcpy(&p->received, CMSG_DATA(c), sizeof(p->received));
	}
}

static ssize_t receive(struct control_peer *p, void *out, size_t size)
{
	union {
		struct cmsghdr head;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { out, size };
	struct msghdr h = { .msg_iov = &part,
			    .msg_iovlen = 1,
			    .msg_control = control.bytes,
			    .msg_controllen = CMSG_LEN(sizeof(int)) };
	ssize_t n = recvmsg(p->fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);

	if (n >= 0)
		keep_received(p, &h);
	return n;
}

/* 1: there may be more; 0: no more now; -1: the other end is gone. */
static int read_piece(struct control_peer *p)
{
	char piece[PIECE];
	ssize_t n;

	do
		n = receive(p, piece, sizeof(piece));
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n <= 0)
		return -1;
	buf_add(&p->in, piece, (size_t)n);
	take_frames(p);
	return (size_t)n == sizeof(piece);
}

static void read_some(struct control_peer *p)
{
	int status = 1;

	for (int i = 0; i < READS && status > 0; i++) {
		if (p->finishing || is_paused(p))
			return;
		status = read_piece(p);
	}
	if (status < 0)
		close_peer(p);
}

static void write_some(struct control_peer *p)
{
	if (outbox_write(&p->out, p->fd)) {
		close_peer(p);
	} else if (p->finishing) {
		if (!p->out.count)
			close_peer(p);
	} else if (p->fan || p->in.len) {
		/* Both wait while too much is not read. */
		control_peer_later(p);
	}
}

static void on_ready(uv_poll_t *poll, int status, int events)
{
	struct control_peer *p = poll->data;

	/* libuv has stopped the poll: an error on the socket. */
	if (status || events & UV_DISCONNECT) {
		close_peer(p);
		return;
	}
	if (events & UV_WRITABLE)
		write_some(p);
	if (events & UV_READABLE && !p->closing)
		read_some(p);
	arm(p);
}

static void on_timer(void *owner)
{
	struct control_peer *p = owner;

	p->working = false;
	if (p->finishing) {
		close_peer(p);
		return;
	}
	if (p->fan)
		p->control->above->step(p->fan);
	if (p->in.len && !p->finishing)
		take_frames(p);
	arm(p);
}

void control_peer_open(struct control *c, int fd, int pid)
{
	struct control_peer *p = mem_zalloc(sizeof(*p));

	p->control = c;
	p->server = c->server;
	p->fd = fd;
	p->received = -1;
	p->pid = pid;
	p->next = c->first;
	if (p->next)
		p->next->previous = p;
	c->first = p;
	c->count++;
	p->handles = 2;
	uv_poll_init(loop_uv(c->server->loop), &p->poll, fd);
	p->poll.data = p;
	timer_open(&p->timer, c->server->loop, on_timer, p);
	arm(p);
}
