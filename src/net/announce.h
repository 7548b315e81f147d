/* SPDX-License-Identifier: MIT */
/*
 * Announces a service in this network, by multicast DNS (RFC 6762) and DNS-SD
 * (RFC 6763): asks whether its name is another's, says that it is there, answers
 * who asks for it, and says goodbye. IPv4, beside others of this machine that do
 * so (port 5353 is shared). Who asks is a stranger: only those of the interface's
 * own net are heard, only names of ours are answered, and how much is read and
 * sent in a second is bounded.
 */
#ifndef NET_ANNOUNCE_H
#define NET_ANNOUNCE_H

#include "base/loop.h"
#include "base/split.h"

struct announce;

struct announce_order { /* lent until it is closed, but label */
	const char
		*label; /* what people see: "mcpctl on lab"; may get a number */
	const char *service; /* "_mcp._tcp" */
	const char *host; /* the first label of our own name in DNS */
	uint16_t port;
	const char *address; /* where it listens, a number; NULL: all of ours */
	const char *const *text; /* "path=/mcp"; NULL-terminated */
	const struct words *interfaces; /* names; none: all but loopback */
};

struct announce_events {
	/* Under which name it is announced, where; what goes wrong. From the loop, too. */
	void (*told)(void *owner, const char *line);
	void *owner;
};

/*
 * -1: ERR_USAGE: an interface that was named is none, or has not that address;
 * ERR_CONNECT: nowhere can it be announced, or the part is missing.
 */
int announce_open(struct announce **out, struct loop *l,
		  const struct announce_order *order,
		  const struct announce_events *events, struct error *err);
/* Says goodbye; ends in the loop. NULL is fine. */
void announce_close(struct announce *a);

#endif
