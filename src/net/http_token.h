/* SPDX-License-Identifier: MIT */
/* Tokens of OAuth at its requests: sent, refused, waited for. */
#ifndef NET_HTTP_TOKEN_H
#define NET_HTTP_TOKEN_H

#include "net/http_private.h"

/* Tokens of OAuth */
void http_token_add(struct http_exchange *x); /* to its headers */
/* The token is over: x waits for another one, and is sent then. */
bool http_token_renewed(struct http_exchange *x);
/*
 * x was refused, and another token may help: it is parked, sent again or ended
 * later. False: it is to be ended now.
 */
bool http_token_refused(struct http_exchange *x);
/* It waits no more: that is what was said. */
void http_token_told(struct http_exchange *x, enum bearer_verdict verdict,
		     const struct error *why);
void http_token_forget(struct http_exchange *x); /* it waits no more */
void http_token_done(struct http_exchange *x);

#endif
