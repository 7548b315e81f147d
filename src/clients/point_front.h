/* SPDX-License-Identifier: MIT */
/*
 * A tool side: an answerer at an access point, which it dials (backends.md 3).
 * One connection an address. Robots come and go behind it and share that
 * connection; each says initialize, with ids of its own.
 */
#ifndef CLIENTS_POINT_FRONT_H
#define CLIENTS_POINT_FRONT_H

#include "base/loop.h"
#include "clients/answerer.h"
#include "clients/point_url.h"

struct point_front;

struct point_front_order { /* lent until it is closed */
	struct loop *loop;
	const struct answerer *answerer;
	const struct point_url *url;
	const char *cacert; /* NULL: the system's */
	bool insecure;
	size_t tools_max; /* 0: POINT_TOOLS_MAX */
};

struct point_front_events { /* from the loop only */
	/* What happened, in a line, without a secret. */
	void (*line)(void *owner, const char *text);
	/* It does not come back: why; lent. */
	void (*over)(void *owner, const struct error *why);
	/* Behind point_front_close. */
	void (*closed)(void *owner);
};

int point_front_open(struct point_front **out,
		     const struct point_front_order *o,
		     const struct point_front_events *events, void *owner,
		     struct error *err);
/* What is open is abandoned. Once; ends in `closed`, from the loop. */
void point_front_close(struct point_front *f);

#endif
