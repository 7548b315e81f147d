/* SPDX-License-Identifier: MIT */
/*
 * Who announces an MCP server in this network: one-shot questions for
 * _mcp._tcp by multicast DNS (RFC 6762, 5.1; RFC 6763), from a port of our own,
 * so that nothing has to be installed, and nobody else's port is taken. Sends
 * to the multicast group alone. Who answers is a stranger: what it says is
 * bounded in size and number, and kept as it came, but what could not stand in
 * an address. Of its TXT record path, version, ws_port and endpoint are read
 * (espressif.md 8); an endpoint that is not at its own host counts for nothing.
 */
#ifndef NET_NEIGHBOURS_H
#define NET_NEIGHBOURS_H

#include "base/loop.h"
#include "base/split.h"

#define NEIGHBOURS_SERVICE "_mcp._tcp"
#define NEIGHBOURS_MAX 200 /* more are counted */

struct neighbours;

struct neighbour { /* lent */
	const char *
		name; /* of the service, as it was sent; who shows it makes it safe */
	const char *host; /* "lamp.local"; NULL: not told */
	const char *
		address; /* a number: what it told, else where the answer came from */
	const char *
		path; /* of the server: plain ASCII, begins with '/'; NULL: not told */
	const char *where; /* the interface that it answered on */
	const char *version; /* plain ASCII; NULL: not told */
	uint16_t port; /* 0: not told, and so it cannot be reached */
	uint16_t ws_port; /* where it says it has a WebSocket; 0: nowhere */
	bool tls; /* its endpoint is https: */
	bool elsewhere; /* the answer came from another address than it told */
};

/*
 * Asks on the interfaces of these names; none: on all that are up and not
 * loopback, IPv4. woken, which is lent, is set at each answer. -1: ERR_USAGE,
 * there is none of that name; ERR_CONNECT: none is there, or the part is
 * missing.
 */
int neighbours_open(struct neighbours **out, struct loop *l,
		    const struct words *interfaces, bool *woken,
		    struct error *err);
/* Ask; again for who is slow, and for what is still missing of who answered. */
void neighbours_ask(struct neighbours *n);
/* Those that answered, by name; *more: those that there was no room for. Lent until the next turn of the loop. */
const struct neighbour *neighbours_list(struct neighbours *n, size_t *count,
					size_t *more);
/* Where was asked: "eth0, wlan0"; lent. */
const char *neighbours_asked(const struct neighbours *n);
/* What could not be asked, and why; NULL. Lent. */
const char *neighbours_failure(const struct neighbours *n);
/* Ends in the loop. NULL is fine. */
void neighbours_close(struct neighbours *n);

#endif
