/* SPDX-License-Identifier: MIT */
/*
 * Where a connection of a board goes on to: an address, read as the board
 * reads it; and which address each board was told, until we put ours in its
 * place.
 */
#ifndef PROXY_UPSTREAM_H
#define PROXY_UPSTREAM_H

#include "base/buf.h"
#include "base/error.h"
#include "base/map.h"

struct upstream {
	char *url; /* as it was written; owned, as these are */
	char *host, *path; /* the path with its query */
	uint16_t port;
	bool has_port; /* another one than the scheme's own */
	bool tls;
};
/* -1 (ERR_USAGE): no board takes it for an address. */
int upstream_read(struct upstream *out, const char *url, struct error *err);
/* "HOST" or "HOST:PORT", as Host has it; appended. */
void upstream_host(const struct upstream *u, bool port, struct buf *out);
void upstream_done(struct upstream *u);

#define TOLD_MAX 10000

/*
 * Which URL a board was told, by its Device-Id and the host that it asked from:
 * a question from elsewhere in its name changes nothing. Starts zeroed.
 */
struct told_urls {
	struct map map;
	struct told_url *first,
		*last; /* in the order in which they were told */
	size_t count;
};
struct told_question { /* lent */
	const char *device, *from; /* its host, "192.168.1.7" */
	const char *url;
	const char *reached; /* HOST:PORT of ours by which it asked */
};
/* Returns what it was told before, if that was another URL; yours. NULL. */
char *told_add(struct told_urls *t, const struct told_question *o);
/* Lent until the next change. Of one that is not known: the URL that all were
   told, if it is one. NULL. */
const char *told_find(const struct told_urls *t, const char *device,
		      const char *from);
/* Of that one alone; NULL. */
const char *told_reached(const struct told_urls *t, const char *device,
			 const char *from);
void told_done(struct told_urls *t);

#endif
