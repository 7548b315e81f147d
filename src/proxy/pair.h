/* SPDX-License-Identifier: MIT */
/*
 * Two connections, and what passes between them: one that a device opened, one
 * that is dialled for it. What comes is handed to the owner, who writes what is
 * to go on. The end of one side is passed on as it was: an end as an end behind
 * what was written, a reset as a reset. 1 MiB at most waits each way; then the
 * other side is not read. A deadline of the device's tcp ends both: so does
 * silence behind the end of one side.
 */
#ifndef PROXY_PAIR_H
#define PROXY_PAIR_H

#include "capture/event.h"
#include "net/budget.h"
#include "net/tcp.h"

enum side { SIDE_DEVICE, SIDE_BACKEND };
#define OTHER_SIDE(s) ((s) == SIDE_DEVICE ? SIDE_BACKEND : SIDE_DEVICE)

#define PAIR_HALF_MS 30000 /* for silence once one side has ended */
#define PAIR_WAITS_MAX ((size_t)1 << 20) /* bytes, each way */

struct pair_events { /* from the loop only */
	void (*came)(void *owner, enum side from, const char *data, size_t len);
	/* The backend's side stands, with TLS if that was wanted. */
	void (*up)(void *owner);
	/*
	 * It does not: why, with a reason of net/why.h. The owner ends the pair,
	 * by pair_reset, or pair_finish behind an answer of its own.
	 */
	void (*failed)(void *owner, const struct error *why);
	/*
	 * What waits and is kept is more than its address gets: both sides are
	 * reset behind this. NULL: nobody counts it.
	 */
	void (*crowded)(void *owner);
	/* Bytes that the owner keeps of what came, beside what waits here. */
	size_t (*kept)(void *owner);
	/* That side ended. It is passed on behind this, so the owner may write yet. */
	void (*ended)(void *owner, enum side from, enum event_end how);
	/* The last one: nothing is open, it may be released. */
	void (*closed)(void *owner);
};

struct pair_end {
	struct tcp tcp;
	bool used; /* tcp was opened, and closed did not come yet */
	bool up; /* it can be written to */
	bool ended; /* nothing comes any more */
	bool shut; /* our end of it, too */
	bool stopped; /* by pair_stop */
	bool reset; /* once what waits is gone */
};

struct pair {
	struct loop *loop;
	const struct pair_events *events;
	void *owner;
	struct pair_end end[2];
	struct buf early; /* for the backend, until it is up */
	struct share *share; /* what it holds counts there; lent; NULL */
	bool closing;
	bool told; /* closed came */
};

/* Takes fd; begins to read it. p is zeroed, but for share. */
void pair_open(struct pair *p, struct loop *l, int fd,
	       const struct pair_events *events, void *owner);
/* host is lent for the call. trust NULL: without TLS. */
void pair_dial(struct pair *p, const char *host, uint16_t port,
	       const struct tls_trust *trust);
bool pair_is_up(const struct pair *p);
/* What TLS of the backend's side came to; false: there is none. */
bool pair_tls(const struct pair *p, struct tls_facts *out);
/* For the backend: also before it is up. */
void pair_write(struct pair *p, enum side to, const void *data, size_t len);
/* That side is not read until it is let go on; for faults. */
void pair_stop(struct pair *p, enum side from, bool stop);
/* Both sides get a reset. closed follows. Again is fine. */
void pair_reset(struct pair *p);
/* Now: properly where nothing waits, else with a reset. */
void pair_leave(struct pair *p);
/* What was written goes out, then both are closed. closed follows. */
void pair_finish(struct pair *p);

#endif
