/* SPDX-License-Identifier: MIT */
/*
 * A connection to an access point, kept: dialled, dialled again when it ends,
 * asked by Pings of our own whether it lives. It carries messages and knows none.
 */
#ifndef CLIENTS_POINT_LINK_H
#define CLIENTS_POINT_LINK_H

#include "base/loop.h"
#include "net/head.h"

#define POINT_PING_MS 30000
#define POINT_SILENT_MS 150000 /* no byte for so long: it is dead */

struct point_link;

struct point_link_order { /* lent until it is closed */
	struct loop *loop;
	const char *url; /* a secret */
	const char *shown; /* the same without, for lines */
	const char *cacert; /* NULL: the system's */
	bool insecure;
	const struct headers *headers; /* of its request; NULL */
	size_t message_max; /* bytes of one that comes; 0: 1 MB */
	int64_t ping; /* ms; 0: POINT_PING_MS */
	/* ms after which it is dialled again, whatever happened; 0: by point_pace */
	int64_t again;
	bool once; /* it is dialled once only */
};

struct point_link_events { /* from the loop only */
	void (*up)(void *owner);
	void (*message)(void *owner, const char *text, size_t len);
	/* It was up. */
	void (*down)(void *owner);
	/* What happened, in a line, without a secret. */
	void (*line)(void *owner, const char *text);
	/* It is not dialled again: why; lent. Of `once`: how it ended. */
	void (*over)(void *owner, const struct error *why);
	/* Behind point_link_close. */
	void (*closed)(void *owner);
};

/* -1 (ERR_USAGE): the address is none, or the part for WebSockets is missing. */
int point_link_open(struct point_link **out, const struct point_link_order *o,
		    const struct point_link_events *events, void *owner,
		    struct error *err);
/* -1: it is down, or does not read. */
int point_link_send(struct point_link *l, const char *text, size_t len,
		    struct error *err);
bool point_link_is_up(const struct point_link *l);
/* Once; ends in `closed`, from the loop. No other event from now on. */
void point_link_close(struct point_link *l);

#endif
