/* SPDX-License-Identifier: MIT */
/*
 * A connection that is being dialled: the part of struct ws that an adopted
 * one does not have, and the words for its failures.
 */
#ifndef NET_WS_DIAL_H
#define NET_WS_DIAL_H

#include "net/ws_private.h"

struct ws_tls {
	bool insecure;
	char host[256];
	char problem
		[128]; /* what is wrong with the certificate or the handshake; "" */
};

/* Lives until the thread that looks up has ended, however long that takes. */
struct ws_lookup {
	uv_getaddrinfo_t uv;
	struct ws *ws; /* NULL: nobody waits any more */
};

struct ws_ask;

struct ws_dial {
	char *host, *path, *host_header, *subprotocol;
	uint16_t port;
	bool use_tls;
	struct ws_tls tls;
	struct headers headers;
	struct lws_vhost *vhost;
	int64_t timeout, deadline;

	struct ws_lookup *lookup;
	struct addrinfo *addresses, *address; /* all, the one being tried */
	struct ws_ask *ask;

	/* of the attempt under way */
	bool starting; /* inside the library's connect function */
	bool over; /* its wsi has gone; the timer goes on from here */
	bool connected; /* TCP stands */
	bool handshake_sent; /* TLS stands too, if there is any */
	bool timed_out;
	int status; /* HTTP; 0 if none came */
	char *location;
	char said[128]; /* the library's words */
};

/* ws_dial.c: -1 (ERR_USAGE): the target or its headers cannot be dialled. */
int ws_dial_check(const struct endpoint *to, struct error *err);
/* Copies what it needs. */
struct ws_dial *ws_dial_new(struct ws *ws, const struct endpoint *to);
/* Append the headers of the user to a handshake. -1: no room. */
int ws_dial_headers(const struct ws_dial *d, char **at, size_t room);

/* ws_failure.c: set ws->why. */
void ws_fail_lookup(struct ws *ws, int status);
void ws_fail_connect(struct ws *ws, int error);
void ws_fail_handshake(struct ws *ws);

/* ws_tls.c: the certificate check; 0 accepts. store is OpenSSL's X509_STORE_CTX. */
int ws_tls_verify(struct ws_tls *tls, void *store, bool verified);
/*
 * Note why the handshake on this descriptor failed, if it was no certificate's
 * fault. ws_tls_watch makes that known for all connections of an SSL_CTX.
 */
void ws_tls_watch(void *ssl_ctx);
void ws_tls_reason(struct ws_tls *tls, int fd);
/* "TLSv1.3" */
void ws_tls_version(struct lws *wsi, char *out, size_t size);

/*
 * ws_ask.c: ask the kernel why an address cannot be connected to. done comes
 * once, from the loop, with an errno (0 if it can be connected to now), unless
 * closed before. Frees itself.
 */
struct ws_ask *ws_ask_open(struct loop *l, const struct sockaddr *to,
			   uint16_t port, void (*done)(void *owner, int error),
			   void *owner);
void ws_ask_close(struct ws_ask *a);

#endif
