/* SPDX-License-Identifier: MIT */
/*
 * The port of the bridge, announced in this network (--announce) as _mcp._tcp, so
 * that `targets --scan` and others find it. What is announced is true: it is said
 * only where the port can be reached, and has no secret in it.
 */
#ifndef BRIDGE_ANNOUNCED_PORT_H
#define BRIDGE_ANNOUNCED_PORT_H

#include "bridge/fronts.h"
#include "net/announce.h"

struct announced_port { /* zeroed at first */
	struct announce *announce; /* NULL: it is not announced */
	char *host; /* our own name there: "mcpctl-1f03a2b4" */
	struct words names; /* those of --allow-host, and that one */
};

/*
 * Before the port is opened: whether it can be announced. Fills host and names.
 * -1 (ERR_USAGE): others do not reach it, or it is no IPv4.
 */
int announced_port_check(struct announced_port *p,
			 const struct front_order *order, struct error *err);
/* It listens at that port. */
int announced_port_open(struct announced_port *p,
			const struct front_order *order, uint16_t number,
			struct error *err);
void announced_port_close(struct announced_port *p);

#endif
