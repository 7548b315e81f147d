/* SPDX-License-Identifier: MIT */
/*
 * The library's context on our loop: made when the first connection needs it,
 * destroyed when the last one has gone, so that nothing is left at exit.
 */
#ifndef NET_WS_CONTEXT_H
#define NET_WS_CONTEXT_H

#include <libwebsockets.h>

#include "base/buf.h"
#include "base/loop.h"

/* A virtual host that dials with TLS; one for each set of trusted certificates. */
struct ws_trust {
	struct ws_trust *next;
	char *cacert; /* NULL: the system's */
	char name[16]; /* of the virtual host, which keeps no copy */
	struct lws_vhost *vhost;
};

struct ws_context {
	struct ws_context *next;
	struct loop *loop;
	struct lws_context *lws;
	struct lws_protocols protocols[2]; /* one, and the end */
	struct lws_vhost *vhost; /* without TLS: adopts and dials */
	struct ws_trust *trusts;
	unsigned users;
	struct buf scratch; /* what is being written */
	bool dying;
	uv_idle_t idle; /* both only while dying */
	uv_check_t check;
	unsigned turns;
};

/* ws_table.many */
void ws_context_many(void);
/*
 * The loop's, with one user more; callback, of whoever makes it, is told of all
 * its connections. NULL (ERR_CONNECT): it cannot be had.
 */
struct ws_context *ws_context_take(struct loop *l,
				   lws_callback_function *callback,
				   struct error *err);
void ws_context_release(struct ws_context *c);
/* The same of the loop's, if there is one. */
void ws_context_let_go(struct loop *l);
/* The virtual host that trusts this file (NULL: the system's certificates). */
struct lws_vhost *ws_context_trust(struct ws_context *c, const char *cacert,
				   struct error *err);

#endif
