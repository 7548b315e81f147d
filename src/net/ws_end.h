/* SPDX-License-Identifier: MIT */
/*
 * How TCP ended below a WebSocket: FIN, RST, not heard any more; its Ping, and
 * what its socket tells.
 */
#ifndef NET_WS_END_H
#define NET_WS_END_H

#include "net/ws_private.h"

/* Another one is due. */
void ws_ping_begin(struct ws *ws);
/* transport_ops.layers */
bool ws_layers(const struct transport *t, int64_t id, struct layers *out);
/* The one that is due, now that it can be. -1: the connection is broken. */
int ws_ping_write(struct ws *ws);
void ws_pong(struct ws *ws, const void *data, size_t len);
void ws_end_watch(int fd);
/* Nothing more can come or go: it was reset, or given up by the kernel. */
bool ws_end_is_over(int fd);
/*
 * For a connection that ended without a Close frame: says how, ERR_CONNECT.
 * who: "the device". broken: writing failed, which took the reason out of the
 * socket.
 */
void ws_end_tell(struct error *why, int fd, const char *who, bool broken);

#endif
