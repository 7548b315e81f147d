/* SPDX-License-Identifier: MIT */
/*
 * One TCP connection: an outgoing one, for which the name is looked up (IPv4
 * alone, as on the board, unless the order says else), each address tried, TLS
 * put on if that is wanted; or one that was accepted. Bytes written and read,
 * one deadline. No framing.
 */
#ifndef NET_TCP_H
#define NET_TCP_H

#include "net/dial.h"
#include "net/tls.h"

#define TCP_CONNECT_MS 10000
#define TCP_QUEUE_MAX (64u << 20) /* bytes that the peer has not taken yet */

struct tcp;

/* From the loop only. data is lent. */
struct tcp_events {
	void (*connected)(struct tcp *t);
	void (*data)(struct tcp *t, const char *data, size_t len);
	/*
	 * It did not connect, failed, or the peer ended its side: why, with a
	 * reason of net/why.h and an errno (NULL: it closed properly).
	 */
	void (*ended)(struct tcp *t, const struct error *why);
	void (*deadline)(struct tcp *t); /* only once it is connected */
	/* Some of what waited went out: see tcp_waiting. NULL: nobody asks. */
	void (*drained)(struct tcp *t);
	/* The last event, after tcp_close: the struct may be released. */
	void (*closed)(struct tcp *t);
};

struct tcp {
	uv_tcp_t uv;
	struct timer timer;
	struct loop *loop;
	const struct tcp_events *events;
	void *owner;
	struct dial *dial; /* until it is connected; NULL */
	bool open; /* uv is a live handle */
	/* Of its peer, once it is connected: after a reset nobody else knows. */
	struct sockaddr_in6 peer;
	bool closing, timer_gone;
	bool overflow; /* the peer does not read */
	bool ended; /* nothing comes any more */
	bool held; /* see tcp_hold */
	int broken; /* libuv's status of a write, told behind what came; 0 */
	const struct tls_table *tls_table; /* NULL: no TLS */
	struct tls_link *tls;
	bool shaken; /* TLS is up */
	char *host; /* owned */
	struct error why; /* TLS could not even begin */
};

struct tcp_order { /* host is lent during the call */
	struct loop *loop;
	const char *host;
	uint16_t port;
	bool any_family; /* IPv6 will do, too */
	const struct tls_trust *trust; /* TLS, with this trust; NULL: none */
	const struct tcp_events *events;
	void *owner;
};

/*
 * Begin to connect. Nothing fails here: see ended, which comes after
 * TCP_CONNECT_MS at the latest, and then deadline, unless tcp_deadline says
 * else.
 */
void tcp_open(struct tcp *t, const struct tcp_order *o);
/* One that was accepted: fd is taken, and read at once; of o loop, events, owner count. */
void tcp_adopt(struct tcp *t, const struct tcp_order *o, int fd);
/* True: it is not read for now, so that the peer must wait. */
void tcp_hold(struct tcp *t, bool hold);
/* Our side ends, behind what was written; what comes is read on. */
void tcp_shut(struct tcp *t);
/* As tcp_close, but the peer gets a reset, and what waits is lost. */
void tcp_reset(struct tcp *t);
/* Call deadline after that time, once; 0 takes it back. */
void tcp_deadline(struct tcp *t, int64_t ms);
/* Written at once as far as it goes, the rest is copied. Too much: ended. */
void tcp_write(struct tcp *t, const void *data, size_t len);
/* The addresses of both ends; false: it is not connected. Of ADDRESS_TEXT_MAX. */
bool tcp_ends(const struct tcp *t, char *own, char *peer);
/* What TLS came to; false: it is not up. */
bool tcp_tls_facts(const struct tcp *t, struct tls_facts *out);
/* What comes is not read any more. */
void tcp_deafen(struct tcp *t);
/* See board_ws_lose. */
bool tcp_lose(struct tcp *t);
/* Bytes that the peer has not taken yet. */
size_t tcp_waiting(const struct tcp *t);
/* Ends in closed. What was written before still goes out if the kernel has it. Again is fine. */
void tcp_close(struct tcp *t);
/* The same after what was written is on its way. */
void tcp_finish(struct tcp *t);

#endif
