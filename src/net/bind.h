/* SPDX-License-Identifier: MIT */
/*
 * Sockets of ours that others reach: bound to a host, or to all addresses of
 * this machine (of both families, where there are both), not blocking. port 0:
 * any. -1 (ERR_CONNECT, code errno): who has the port, if that can be known,
 * and what to do.
 */
#ifndef NET_BIND_H
#define NET_BIND_H

#include "base/error.h"

/* It listens. host: a name or a number; NULL: all. */
int bind_tcp(const char *host, uint16_t port, struct error *err);
/* For audio; the words name --udp-port. */
int bind_udp(const char *host, uint16_t port, struct error *err);

#endif
