/* SPDX-License-Identifier: MIT */
/*
 * One HTTP request and its answer, whoever carries it out; and the site that
 * it goes to. What an answer means is not known here.
 */
#ifndef NET_HTTP_TRANSFER_H
#define NET_HTTP_TRANSFER_H

#include "net/http_private.h"

void http_site_done(struct http_site *s);
struct http_transfer *
http_transfer_new(struct http_engine *e, const struct http_site *site,
		  const struct http_request_line *line,
		  const struct http_transfer_events *events, void *owner);
/* Before start. A value that cannot stand in a header is left out. */
void http_transfer_header(struct http_transfer *t, const char *name,
			  const char *value);
void http_transfer_start(struct http_transfer *t);
/* Also while it runs; NULL is fine. */
void http_transfer_free(struct http_transfer *t);

/* Of the answer; "" and NULL if it does not say. Lent. */
const char *http_transfer_type(const struct http_transfer *t);
const char *http_transfer_answer(const struct http_transfer *t,
				 const char *name);
/* Where it redirects to, as a whole URL; yours; NULL. */
char *http_transfer_location(const struct http_transfer *t);
/* ms; 0: it did not say. At most HTTP_RETRY_AFTER_MAX_S. */
int64_t http_transfer_retry_after(const struct http_transfer *t);

#endif
