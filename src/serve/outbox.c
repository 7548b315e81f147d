/* SPDX-License-Identifier: MIT */
/*
 * A ring of shared packets, written with as few calls as possible. It waits
 * for nothing and closes nothing.
 */
#include "serve/outbox.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "base/mem.h"

#define PIECES 64 /* packets in one call */
#define PACKET_COST 64 /* bytes that a packet takes besides its own */
#define KEEP_CAPACITY 64 /* slots that an empty ring keeps */

struct packet {
	size_t holders;
	size_t len;
	char *data;
};

struct packet *packet_take(struct buf *b)
{
	struct packet *p = mem_zalloc(sizeof(*p));

	p->holders = 1;
	p->len = b->len;
	p->data = buf_take(b);
	return p;
}

struct packet *packet_new(enum control_kind kind, const void *data, size_t len)
{
	struct buf b = { 0 };

	control_encode(&b, kind, data, len);
	return packet_take(&b);
}

void packet_release(struct packet *p)
{
	if (!p || --p->holders)
		return;
	mem_free(p->data);
	mem_free(p);
}

static struct packet **slot(const struct outbox *o, size_t i)
{
	return &o->item[(o->first + i) % o->capacity];
}

static void drop_first(struct outbox *o)
{
	struct packet *p = *slot(o, 0);

	o->bytes -= p->len + PACKET_COST;
	o->first = (o->first + 1) % o->capacity;
	o->count--;
	o->written = 0;
	packet_release(p);
}

void outbox_done(struct outbox *o)
{
	while (o->count)
		drop_first(o);
	mem_free(o->item);
	*o = (struct outbox){ 0 };
}

static void grow(struct outbox *o)
{
	size_t capacity = o->capacity ? o->capacity * 2 : 8;
	struct packet **item = mem_zalloc(capacity * sizeof(struct packet *));

	for (size_t i = 0; i < o->count; i++)
		item[i] = *slot(o, i);
	mem_free(o->item);
	o->item = item;
	o->capacity = capacity;
	o->first = 0;
}

static void append(struct outbox *o, struct packet *p)
{
	if (o->count == o->capacity)
		grow(o);
	p->holders++;
	*slot(o, o->count++) = p;
	o->bytes += p->len + PACKET_COST;
}

/* Where frames are missing, the command is told how many. */
static void tell_lost(struct outbox *o)
{
	char text[64];
	struct packet *p;
	int len;

	if (!o->lost)
		return;
	len = snprintf(text, sizeof(text),
		       "{\"op\":\"lost\",\"count\":%" PRIu64 "}", o->lost);
	o->lost = 0;
	p = packet_new(CONTROL_JSON, text, (size_t)len);
	append(o, p);
	packet_release(p);
}

int outbox_add(struct outbox *o, struct packet *p)
{
	if (o->bytes + p->len + PACKET_COST > OUTBOX_MAX)
		return -1;
	tell_lost(o);
	append(o, p);
	return 0;
}

void outbox_offer(struct outbox *o, struct packet *p)
{
	if (o->bytes > OUTBOX_LONG || outbox_add(o, p))
		o->lost++;
}

static size_t gather(const struct outbox *o, struct iovec *piece)
{
	size_t skip = o->written, n;

	for (n = 0; n < o->count && n < PIECES; n++) {
		const struct packet *p = *slot(o, n);

		piece[n].iov_base = p->data + skip;
		piece[n].iov_len = p->len - skip;
		skip = 0;
	}
	return n;
}

static void consume(struct outbox *o, size_t n)
{
	while (n) {
		size_t rest = (*slot(o, 0))->len - o->written;

		if (n < rest) {
			o->written += n;
			return;
		}
		n -= rest;
		drop_first(o);
	}
}

int outbox_write(struct outbox *o, int fd)
{
	struct iovec piece[PIECES];
	struct msghdr message = { .msg_iov = piece };

	while (o->count) {
		ssize_t n;

		message.msg_iovlen = gather(o, piece);
		n = sendmsg(fd, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno == EAGAIN || errno == ENOBUFS ? 0 : -1;
		consume(o, (size_t)n);
		if (!o->count)
			tell_lost(o);
	}
	if (o->capacity > KEEP_CAPACITY)
		outbox_done(o);
	return 0;
}
