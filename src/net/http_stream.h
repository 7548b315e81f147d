/* SPDX-License-Identifier: MIT */
/* What lasts: the GET stream, and the older HTTP+SSE. */
#ifndef NET_HTTP_STREAM_H
#define NET_HTTP_STREAM_H

#include "net/http_private.h"

/* The GET stream, and streams taken up again */
void http_listen(struct http *h);
void http_listen_head(struct http_exchange *x);
void http_listen_done(struct http_exchange *x);
/* To who watches: that there is no stream, and why. Once. */
void http_tell_unheard(struct http *h);
/*
 * x is taken up again after a while; what: for the notice. False: it cannot
 * be, or was too often.
 */
bool http_stream_again(struct http_exchange *x, const char *what);
/* A status (0: none came) that may be another one later. */
bool http_may_pass(int status);

/* HTTP+SSE of 2024-11-05 */
void http_old_open(struct http *h);
void http_old_head(struct http_exchange *x);
void http_old_event(struct http_exchange *x, const struct sse_event *e);
void http_old_done(struct http_exchange *x);
/* It did not come to be: all that waits for it fails. why is released. */
void http_old_fail(struct http_exchange *x, struct error *why);
void http_old_alarm(struct http_exchange *x);

#endif
