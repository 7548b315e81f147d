/* SPDX-License-Identifier: MIT */
/*
 * The way to a TCP server: its name is looked up, then its addresses are tried
 * in turn, each with a share of the time. What came of it is told in facts;
 * the words are net/why's matter.
 */
#ifndef NET_DIAL_H
#define NET_DIAL_H

#include "base/loop.h"
#include "net/address.h"

/* No attempt, and no handshake behind it, gets less. */
#define DIAL_MIN_MS 250
#define DIAL_TRIES 8

struct dial_try {
	char address[ADDRESS_TEXT_MAX]; /* "192.168.1.7:80" */
	int error; /* an errno; ETIMEDOUT: its share of the time was over */
	int64_t ms;
};

struct dial_facts {
	enum dial_stage { DIAL_NAME, DIAL_CONNECT } stage; /* where it ended */
	/*
	 * DIAL_NAME: libuv's status, UV_ETIMEDOUT if no name server answered;
	 * 0: the name has no address. DIAL_CONNECT: the last address' errno.
	 */
	int error;
	size_t tries; /* addresses that were tried; the first ones are noted */
	struct dial_try noted[DIAL_TRIES];
};

struct dial_order {
	const char *host; /* a name or a number; copied, as all of this is */
	uint16_t port;
	int family; /* AF_UNSPEC, AF_INET, AF_INET6 */
	int64_t timeout; /* ms, for all of it */
	/*
	 * NULL: dial connects by itself. Else another does: it begins with that
	 * address, and gives up what it had begun before. It returns 0, or an
	 * errno, as for dial_refused; once connected it calls dial_close.
	 */
	int (*attempt)(void *owner, const struct addrinfo *address);
	/* One of them comes, once, from the loop; the dial is gone with it. */
	void (*connected)(void *owner, int fd); /* yours; does not block */
	void (*failed)(void *owner, const struct dial_facts *f);
	void *owner;
};

struct dial;

/* A number is not looked up. */
struct dial *dial_open(struct loop *l, const struct dial_order *o);
/* Of attempt: the address is no good; the next one follows, or failed. */
void dial_refused(struct dial *d, int error);
/* Nothing is told any more. NULL is fine; so is the dial inside its events. */
void dial_close(struct dial *d);

#endif
