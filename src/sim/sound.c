/* SPDX-License-Identifier: MIT */
/* Heads, sequences and the socket; the cipher is the mqtt module's. */
#include "sim/sound.h"
#include "base/lookup.h"
#include "base/mem.h"
#include "net/head.h"

#include <stdio.h>
#include <string.h>

#define PACKET_MAX 1500 /* bytes; the board's receive buffer */

struct sound {
	uv_udp_t uv;
	struct sound_order order;
	uv_getaddrinfo_t *lookup; /* under way; NULL */
	unsigned char key[16], nonce[16];
	uint32_t sent, received; /* the last sequence of each side */
	bool connected;
};

static void odd(struct sound *s, uint64_t *count, enum diag_code code,
		const char *detail)
{
	++*count;
	s->order.found(s->order.owner, code, detail);
}

static void hear(struct sound *s, const unsigned char *packet, size_t len)
{
	unsigned char payload[PACKET_MAX];

	s->order.table->cipher(s->key, packet, packet + UDP_AUDIO_HEAD, len,
			       payload);
	s->order.heard(s->order.owner, payload, len);
}

static void take_packet(struct sound *s, const void *data, size_t len)
{
	struct sim_audio *counts = s->order.counts;
	struct udp_audio_head head;

	if (udp_audio_decode(&head, data, len, NULL)) {
		odd(s, &counts->broken, M411,
		    "its type is not 1, or its length not what it says");
	} else if (head.sequence <= s->received) {
		odd(s, &counts->repeated, M412,
		    "not higher than the one before it: the device drops it");
	} else {
		counts->lost += head.sequence - s->received - 1;
		s->received = head.sequence;
		counts->received++;
		hear(s, data, head.length);
	}
}

static void on_alloc(uv_handle_t *uv, size_t suggested, uv_buf_t *out)
{
	/* Looked at and forgotten in one step: all sockets share it. */
	static char shared[PACKET_MAX];

	(void)uv;
	(void)suggested;
	*out = uv_buf_init(shared, sizeof(shared));
}

static void on_packet(uv_udp_t *uv, ssize_t got, const uv_buf_t *buf,
		      const struct sockaddr *from, unsigned flags)
{
	struct sound *s = uv->data;

	if (got < 0 ||
	    !from) /* the end of a burst, or an ICMP that came back */
		return;
	take_packet(s, buf->base, (flags & UV_UDP_PARTIAL) ? 0 : (size_t)got);
}

static void join(struct sound *s, const struct sockaddr *to)
{
	if (uv_udp_connect(&s->uv, to) ||
	    uv_udp_recv_start(&s->uv, on_alloc, on_packet))
		return;
	s->connected = true;
}

static void on_resolved(uv_getaddrinfo_t *rq, int status, struct addrinfo *list)
{
	struct sound *s = rq->data;

	if (s) {
		s->lookup = NULL;
		if (!status && list)
			join(s, list->ai_addr);
	}
	if (list)
		uv_freeaddrinfo(list);
	mem_free(rq);
}

static void look_up(struct sound *s, const struct udp_offer *offer)
{
	const struct addrinfo hints = { .ai_family = AF_INET,
					.ai_socktype = SOCK_DGRAM };
	uv_getaddrinfo_t *rq = mem_zalloc(sizeof(*rq));
	char port[8];

	snprintf(port, sizeof(port), "%u", (unsigned)offer->port);
	rq->data = s;
	if (lookup_start(s->order.loop, rq, on_resolved, offer->server, port,
			 &hints))
		mem_free(rq);
	else
		s->lookup = rq;
}

struct sound *sound_open(const struct sound_order *order,
			 const struct udp_offer *offer)
{
	struct sound *s = mem_zalloc(sizeof(*s));
	struct sockaddr_in to;

	s->order = *order;
	hex_decode_16(s->key, offer->key);
	hex_decode_16(s->nonce, offer->nonce);
	uv_udp_init(loop_uv(order->loop), &s->uv);
	s->uv.data = s;
	if (!uv_ip4_addr(offer->server, offer->port, &to))
		join(s, (const struct sockaddr *)&to);
	else
		look_up(s, offer);
	return s;
}

static void put_32(unsigned char *out, uint32_t value)
{
	int shift;

	for (shift = 24; shift >= 0; shift -= 8)
		*out++ = (unsigned char)(value >> shift & 0xff);
}

void sound_send(struct sound *s, uint32_t timestamp, const void *data,
		size_t len)
{
	unsigned char packet[PACKET_MAX];
	uv_buf_t buf;

	if (!s->connected || !len || len > PACKET_MAX - UDP_AUDIO_HEAD)
		return;
	/* The nonce is the head; type, flags and ssrc stay as it has them. */
	memcpy(packet, s->nonce, UDP_AUDIO_HEAD);
	packet[2] = (unsigned char)(len >> 8);
	packet[3] = (unsigned char)(len & 0xff);
	put_32(packet + 8, timestamp);
	put_32(packet + 12, ++s->sent);
	s->order.table->cipher(s->key, packet, data, len,
			       packet + UDP_AUDIO_HEAD);
	buf = uv_buf_init((char *)packet, (unsigned)(UDP_AUDIO_HEAD + len));
	if (uv_udp_try_send(&s->uv, &buf, 1, NULL) > 0)
		s->order.counts->sent++;
}

static void on_closed(uv_handle_t *uv)
{
	mem_free(uv->data);
}

void sound_close(struct sound *s)
{
	if (!s)
		return;
	if (s->lookup) { /* it may take long and cannot be stopped: let go */
		s->lookup->data = NULL;
		uv_cancel((uv_req_t *)s->lookup);
	}
	uv_close((uv_handle_t *)&s->uv, on_closed);
}
