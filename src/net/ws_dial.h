/* SPDX-License-Identifier: MIT */
/* The transport `ws://`: target, TLS, handshake. */
#ifndef NET_WS_DIAL_H
#define NET_WS_DIAL_H

#include "net/ws_private.h"

int ws_dial_open(struct transport *t, const struct endpoint *to,
		 struct error *err);
/* Returns -1 if the library must give the connection up. */
int ws_dial_callback(struct ws *ws, struct lws *wsi,
		     enum lws_callback_reasons reason, void *in, size_t len);
void ws_dial_timer(struct ws *ws);
void ws_dial_ready(struct ws *ws); /* just before ready is told */
void ws_dial_close(struct ws *ws);
void ws_dial_free(struct ws *ws);
void ws_dial_failed(
	struct ws *ws); /* the handshake is over, its wsi has gone */

/* The certificate check; 0 accepts. store is OpenSSL's X509_STORE_CTX. */
int ws_tls_verify(struct ws_tls *tls, void *store, bool verified);
/*
 * Note why the handshake on this descriptor failed, if it was no certificate's
 * fault. ws_tls_watch makes that known for all connections of an SSL_CTX.
 */
void ws_tls_watch(void *ssl_ctx);

#endif
