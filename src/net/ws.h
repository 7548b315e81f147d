/* SPDX-License-Identifier: MIT */
/*
 * WebSocket by libwebsockets: framing and handshake only. This is a loaded
 * part: take its table with module_table("ws", WS_TABLE, err).
 */
#ifndef NET_WS_H
#define NET_WS_H

#include "net/transport.h"

#define WS_TABLE "ws_table"

/*
 * What ends a connection whose share (net/budget.h) is used up, as the code of
 * the Close frame and of the error that closed brings (registered beyond RFC
 * 6455).
 */
#define WS_TRY_AGAIN_LATER 1013

struct ws_table {
	/* ws:// and wss://: dial out. */
	struct transport_ops dial;
	/*
	 * A transport over a socket that was accepted and whose request head is
	 * still unread (net/front peeked only): answers the handshake, then
	 * `ready` with peer (copied; address, ids, path, ota). Takes fd, also on failure.
	 */
	int (*adopt)(struct transport *t, int fd, const struct peer_info *peer,
		     size_t message_max, struct error *err);
	/*
	 * Call it before the first connection if there may be more than some
	 * 250 at a time: then as many as RLIMIT_NOFILE allows are possible, at
	 * the price of two tables of that size.
	 */
	void (*many)(void);
	/*
	 * Make what connections of this loop need, and keep it until let_go: a
	 * port does so before the first one comes, since later there may be no
	 * descriptor for it. -1 (ERR_CONNECT): it cannot be had.
	 */
	int (*hold)(struct loop *l, struct error *err);
	void (*let_go)(struct loop *l);
};

/* Exported by the module. */
extern const struct ws_table ws_table;

#endif
