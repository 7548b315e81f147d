/* SPDX-License-Identifier: MIT */
/*
 * Browsers that look on: an event stream each. Twice a second, while there is
 * one, the rows that it shows are looked at, and those that changed are sent: so
 * whatever changes in between is one change, and nothing has to tell of itself.
 */
#ifndef SERVE_PAGES_LIVE_H
#define SERVE_PAGES_LIVE_H

#include "base/loop.h"
#include "net/front.h"
#include "serve/pages_rows.h"
#include "serve/pages_status.h"

#define PAGES_LIVE_MAX 32 /* browsers, or pages in one */

struct pages_looker;
struct pages_live { /* zeroed at first */
	struct loop *loop;
	const struct registry *registry;
	const struct front_table *front;
	struct pages_looker *first;
	size_t count;
	struct pages_status status; /* asked for while somebody looks on */
	struct timer timer;
};
void pages_live_open(struct pages_live *l, struct loop *loop,
		     const struct registry *r);
/* Nobody looks on any more. */
void pages_live_end_all(struct pages_live *l);
/* The same for good; then closed(owner), from the loop. */
void pages_live_close(struct pages_live *l, void (*closed)(void *owner),
		      void *owner);

/* A looker more; the query is taken over. False: there are too many; *q stays. */
bool pages_live_add_take(struct pages_live *l, const struct front_table *front,
			 struct front_request *rq,
			 const struct headers *headers, struct pages_query *q);

#endif
