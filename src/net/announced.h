/* SPDX-License-Identifier: MIT */
/*
 * A service of ours in this network: its records as DNS has them (RFC 6763), and what
 * a packet of others says of them: who asks, who knows already, who claims its name,
 * who says otherwise (RFC 6762). Pure; when and where it is said: net/announce.h.
 */
#ifndef NET_ANNOUNCED_H
#define NET_ANNOUNCED_H

#include "base/buf.h"
#include "base/split.h"
#include "net/mdns.h"

/* Starts zeroed. */
struct announced_service {
	char *service,
		*host; /* as DNS has them: "_mcp._tcp.local", "x.local" */
	char *full; /* "mcpctl on lab._mcp._tcp.local", as DNS writes it */
	struct buf text; /* of announced_add_text */
	uint16_t port;
	struct words addresses; /* of that host, numbers: one each interface */
};
void announced_done(struct announced_service *s);

/* "path=/mcp" and the like, up to a NULL; each is cut at what DNS takes. */
void announced_add_text(struct announced_service *s, const char *const *text);

/* What we have to say; each is a bit in masks of them. */
enum announced_record {
	RECORD_KINDS, /* that there are such services */
	RECORD_POINTER, /* to this one */
	RECORD_PLACE, /* its host and port */
	RECORD_ABOUT, /* its text */
	RECORD_HOST, /* the address of that host */
	RECORDS
};

#define ANNOUNCED_BIT(record) (1u << (record))
#define ANNOUNCED_ALL                                                  \
	(ANNOUNCED_BIT(RECORD_POINTER) | ANNOUNCED_BIT(RECORD_PLACE) | \
	 ANNOUNCED_BIT(RECORD_ABOUT) | ANNOUNCED_BIT(RECORD_HOST))

/* One of them, where the host has this address; lent. */
struct mdns_record announced_record(const struct announced_service *s,
				    enum announced_record which,
				    const char *address);
/* Those of the mask behind the count that out has; how many it has then. */
size_t announced_records(struct mdns_record *out, size_t count,
			 const struct announced_service *s, unsigned which,
			 const char *address);
/* What belongs to an answer goes with it, so that nobody has to ask again. */
unsigned announced_belonging(unsigned asked);

/* What a packet says of them. */
struct announced_hearing {
	const struct announced_service *of;
	unsigned asked, known;
	bool alone; /* the answer is for who asks, no other */
	bool conflict;
	int claim; /* of our name: below 0, another has it */
	bool claimed;
	char question[300]; /* the first that is ours, for who wants it back */
	unsigned type;
};

/* False: it is no packet. *id: for who wants it back. */
bool announced_hear(struct announced_hearing *h,
		    const struct announced_service *of,
		    const struct mdns_table *mdns, const void *data, size_t len,
		    uint16_t *id);

#endif
