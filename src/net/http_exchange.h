/* SPDX-License-Identifier: MIT */
/* The transport's requests and what is answered to them. */
#ifndef NET_HTTP_EXCHANGE_H
#define NET_HTTP_EXCHANGE_H

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
void http_message_look(struct http_message *out, const char *text, size_t len);
/* ms of error.data.retry_after; 0: it does not say. At most HTTP_RETRY_AFTER_MAX_S. */
int64_t http_message_retry_after(const char *text, size_t len);

struct http_exchange *http_exchange_new(struct http *h,
					enum http_purpose purpose);
/* Send it, or send it again. */
void http_exchange_start(struct http_exchange *x);
void http_exchange_stop(struct http_exchange *x); /* this try */
void http_exchange_end(struct http_exchange *x);
void http_exchange_sweep(struct http *h);
/* The first that lives, and whose end matters; NULL. */
struct http_exchange *http_exchange_find(const struct http *h,
					 enum http_purpose purpose);
/* A request has no reply yet. */
bool http_awaits_reply(const struct http *h);
/* Follow a redirection within the origin. False: it is none, or must not be. */
bool http_exchange_redirect(struct http_exchange *x);
void http_post_alarm(struct http_exchange *x);
/* http.judged: an exchange that waited for a token is sent (again), or ends. */
void http_exchange_judged(void *arg, enum bearer_verdict verdict,
			  const struct error *why);

#endif
