/* SPDX-License-Identifier: MIT */
/* The transport's requests and what is answered to them. */
#ifndef NET_HTTP_EXCHANGE_H
#define NET_HTTP_EXCHANGE_H

#include "net/http_private.h"

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
