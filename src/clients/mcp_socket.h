/* SPDX-License-Identifier: MIT */
/* Its WebSockets. */
#ifndef CLIENTS_MCP_SOCKET_H
#define CLIENTS_MCP_SOCKET_H

#include "clients/mcp_port_state.h"

int port_upgrade(void *owner, int fd, const struct front_head *head,
		 const char **reason);
void port_sockets_close(struct mcp_port *p);

#endif
