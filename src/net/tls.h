/* SPDX-License-Identifier: MIT */
/*
 * TLS of one outgoing connection without its socket: bytes of the network go
 * in and out, text goes in and out. TLS 1.2 and later, the peer verified
 * against the system's roots and its name. A loaded part: module_table("tls",
 * TLS_TABLE, err).
 */
#ifndef NET_TLS_H
#define NET_TLS_H

#include "base/error.h"

#define TLS_TABLE "tls_table"

/* Whom to believe. */
struct tls_trust {
	const char *cacert; /* PEM file instead of the system's; NULL */
	bool insecure; /* certificates are not checked */
};

struct tls_link;

/* Of a connection that stands. */
struct tls_facts {
	char version[16]; /* "TLSv1.3" */
	char issuer
		[64]; /* of the certificate, its common name, cut; "": none */
	int days; /* until it expires, whole ones; below 0: it has; INT_MAX: not known */
	char doubt
		[128]; /* why the certificate would not be believed (insecure); "" */
};

struct tls_table {
	size_t size; /* of this struct */
	/* The caller says hello first: see pending. NULL (ERR_USAGE, ERR_CONNECT): no such file, no memory. */
	struct tls_link *(*open)(const char *host,
				 const struct tls_trust *trust,
				 struct error *err);
	void (*free)(struct tls_link *t); /* NULL is fine */
	/* Bytes that came from the network. */
	void (*feed)(struct tls_link *t, const void *data, size_t len);
	/* 1: done, 0: more bytes are needed, -1 (ERR_CONNECT): it failed. */
	int (*shake)(struct tls_link *t, struct error *err);
	/*
	 * Text that came: its length; 0: none yet; -1: the end, or broken: then
	 * err is set (ERR_CONNECT). So a server tells that it wanted a
	 * certificate of ours, once the handshake of TLS 1.3 was done.
	 */
	ptrdiff_t (*read)(struct tls_link *t, char *out, size_t size,
			  struct error *err);
	/* Text to send, once it is done. */
	void (*write)(struct tls_link *t, const void *data, size_t len);
	/* Bytes for the network, moved to out; 0: none. */
	size_t (*pending)(struct tls_link *t, char *out, size_t size);
	void (*facts)(const struct tls_link *t, struct tls_facts *out);
};

/* Exported by the module. */
extern const struct tls_table tls_table;

#endif
