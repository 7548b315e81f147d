/* SPDX-License-Identifier: MIT */
/*
 * What is known of the peer of a WebSocket before its handshake is over, kept
 * until `ready` tells it.
 */
#ifndef NET_WS_PEER_H
#define NET_WS_PEER_H

#include "net/transport.h"

struct ws_peer {
	struct peer_info info; /* its pointers lead to the copies below */
	char *text[5];
	struct headers headers;
	struct ota_request ota;
	char tls[16];
};

/* A deep copy, but for tls, which the handshake tells. */
struct ws_peer *ws_peer_new(const struct peer_info *from);
/* NULL is fine. */
void ws_peer_free(struct ws_peer *p);

#endif
