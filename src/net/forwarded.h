/* SPDX-License-Identifier: MIT */
/*
 * Whom a reverse proxy asks for. Only a proxy that the user named
 * (--trusted-proxy) is believed: anybody can send these fields. Pure functions.
 */
#ifndef NET_FORWARDED_H
#define NET_FORWARDED_H

#include <sys/socket.h>

#include "net/endpoint.h"

struct forwarded_proxy {
	unsigned char address[16]; /* of IPv4 as in IPv6 (::ffff:…) */
	unsigned bits; /* of those 128 */
};
struct forwarded { /* the proxies of the user */
	struct forwarded_proxy *proxy;
	size_t count;
};

/* ADDRESS[/BITS] each; NULL: none. -1 (ERR_USAGE). */
int forwarded_open(struct forwarded *f, const struct words *proxies,
		   struct error *err);
void forwarded_done(struct forwarded *f);

bool forwarded_is_proxy(const struct forwarded *f, const struct sockaddr *peer);

/*
 * Who sent a request with these fields, which came from peer: where that is a
 * proxy of the user's, *peer becomes the last address of X-Forwarded-For or
 * Forwarded (RFC 7239, 4) that is no such proxy. What stands before it may be
 * anybody's invention. True: *peer is another one now, its port 0 unless told.
 * False, and *peer stays, if it is no such proxy, names nobody, names somebody
 * in a way that is none ("unknown", a hidden name), or the two fields tell two
 * addresses: one of them was the client's own.
 */
bool forwarded_peer(const struct forwarded *f, const struct headers *h,
		    struct sockaddr_storage *peer);

/*
 * Whether a proxy of the user's says that it was asked by TLS: the last
 * X-Forwarded-Proto, or the last proto= of Forwarded (RFC 7239, 5.4). Not if
 * peer is no such proxy, or the two fields differ.
 */
bool forwarded_by_tls(const struct forwarded *f, const struct headers *h,
		      const struct sockaddr *peer);

#endif
