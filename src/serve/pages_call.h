/* SPDX-License-Identifier: MIT */
/*
 * Calls of tools for browsers: sent as those of attached commands are (a board
 * that is ready, its breaker, an id of ours), and answered by a page with the
 * result.
 */
#ifndef SERVE_PAGES_CALL_H
#define SERVE_PAGES_CALL_H

#include "net/port.h"
#include "serve/board.h"
#include "serve/pages_form.h"

#define PAGES_CALLS_MAX 64 /* on their way */

struct pages_call;
struct pages_calls { /* zeroed at first */
	struct pages_call *first;
	size_t count;
	/* How a page of ours is sent, also later. */
	void (*answer)(const struct front_table *front,
		       struct front_request *rq, int status,
		       const struct buf *page);
};
/* Before the port closes: none is answered any more. */
void pages_calls_done(struct pages_calls *c);

/*
 * The form of that board's page came; its seal was judged. Answered now or
 * later, in any case.
 */
void pages_call_begin(struct pages_calls *c, const struct visit *v,
		      struct board *d, const struct pages_given *g);

/* The reply's frame as the inside of a page (HTML), appended. Pure. */
void pages_call_result(struct buf *out, const char *frame, size_t len);

#endif
