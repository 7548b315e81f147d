/* SPDX-License-Identifier: MIT */
/* Transfers by libcurl on the loop. */
#ifndef NET_HTTP_CURL_H
#define NET_HTTP_CURL_H

#include "net/http_private.h"

/* NULL (ERR_CONNECT): libcurl does not start. */
struct http_engine *http_engine_take(struct loop *l, struct error *err);
/* The last user's leaving closes the connections that were kept. */
void http_engine_release(struct http_engine *e);
void http_engine_forget(struct http_engine *e, struct http_transfer *t);
/* What fails is an outcome. */
void curl_engine_start(struct curl_engine *e, struct http_transfer *t);
/* What its connection shows; transport_ops.layers. */
bool http_transfer_layers(const struct http_transfer *t, struct layers *out);
/* All of its body; until then curl reads it where it is lent. Started. */
bool http_transfer_is_sent(const struct http_transfer *t);
/* Also while it runs; t->request is released. */
void curl_engine_stop(struct curl_engine *e, struct http_transfer *t);

#endif
