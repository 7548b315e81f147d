/* SPDX-License-Identifier: MIT */
/* Why HTTP failed: the facts for `net/why`. */
#ifndef NET_HTTP_FAILURE_H
#define NET_HTTP_FAILURE_H

#include "net/http_private.h"

/* A transfer that ended without a whole answer. */
void http_fail_transfer(struct error *why, const struct http_site *site,
			const struct http_transfer *t);

/* HTTP+SSE: nothing is where the event stream told to send messages. */
void http_fail_endpoint(struct error *why, const struct http *h);

/* A status that is not as wanted; body: what came with it. */
void http_fail_status(struct error *why, const struct http_site *site,
		      const struct http_transfer *t, const struct buf *body);
/* What needs no other facts; number: a status, an errno, or 0. */
void http_fail_as(struct error *why, const struct http_site *site,
		  enum why what, int number);
/* A 2xx whose body is no message. */
void http_fail_body(struct error *why, const struct http_site *site,
		    const struct http_transfer *t, const struct buf *body);
/* Its body is an event stream that is read as it comes. */
bool http_is_stream(const struct http_transfer *t);

/* What initialize waits for (transport_ops.explain). */
int http_explain(struct transport *t, struct error *err);

#endif
