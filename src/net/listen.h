/* SPDX-License-Identifier: MIT */
/*
 * listen: as a transport: a port (net/port.h) with a place for one board. It
 * refuses a second one, and takes a board that dials again for restarted: its
 * old connection ends.
 */
#ifndef NET_LISTEN_H
#define NET_LISTEN_H

#include "net/port.h"
#include "net/transport.h"

extern const struct transport_ops listen_ops;

/* What was counted of strangers is told now: before it is closed, when nobody hears it. Any other transport is left alone. */
void listen_hush(const struct transport *t);

/* The port of an open listen: transport; NULL for any other. */
const struct port *listen_port(const struct transport *t);

/* The page's middle. host: as the browser named us; device: NULL if none is connected. */
void listen_page(struct buf *out, const char *host, const char *device);

/* True if some token is acceptable: `given` is "Bearer T" or T (NULL: none). Takes the same time for all. */
bool listen_token_fits(const struct words *tokens, const char *given);

#endif
