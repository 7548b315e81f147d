/* SPDX-License-Identifier: MIT */
/*
 * The two loaded parts of a port that takes WebSockets: net/front and net/ws.
 */
#ifndef NET_PORT_PARTS_H
#define NET_PORT_PARTS_H

#include "net/front.h"
#include "net/ws.h"

/* -1 (ERR_CONNECT): one of them is missing; the hint names the package. */
int port_parts_load(const struct front_table **front,
		    const struct ws_table **ws, struct error *err);

#endif
