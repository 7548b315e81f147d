/* SPDX-License-Identifier: MIT */
/*
 * The bridge as an MCP server: who answers the hosts that come by its fronts
 * (clients/answerer.h). Both eras; initialize and lists at once, whoever is
 * there behind; calls when their peer has answered, or their time is over.
 */
#ifndef BRIDGE_BRIDGE_HOST_H
#define BRIDGE_BRIDGE_HOST_H

#include "bridge/bridge.h"
#include "clients/answerer.h"

struct bridge_host;

/* bridge must last as long. */
struct bridge_host *bridge_host_new(struct bridge *bridge);
/* All clients were freed. NULL is fine. */
void bridge_host_free(struct bridge_host *h);
/* Lent. */
const struct answerer *bridge_host_answerer(const struct bridge_host *h);

/*
 * Main line: those who wait hear that it goes on. Returns the loop_now() ms at
 * which to come again at the latest.
 */
int64_t bridge_host_tend(struct bridge_host *h);

#endif
