/* SPDX-License-Identifier: MIT */
/*
 * Who listens on a port of this machine, as far as /proc lets us see.
 */
#ifndef NET_PORT_OWNER_H
#define NET_PORT_OWNER_H

#include "base/base.h"

struct port_owner {
	char program[32];
	int pid;
};

/* False if nobody does, or it is another user's and cannot be seen. */
bool port_owner_find(uint16_t port, struct port_owner *out); /* TCP */
bool port_owner_find_udp(uint16_t port, struct port_owner *out);

/*
 * One line of /proc/net/tcp or tcp6 (pure): the inode of the socket if it
 * listens on that port, else 0.
 */
unsigned long port_owner_inode(const char *line, uint16_t port);

#endif
