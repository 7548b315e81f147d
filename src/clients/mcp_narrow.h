/* SPDX-License-Identifier: MIT */
/* The port as a small SDK has it: one path, one type of answer. */
#ifndef CLIENTS_MCP_NARROW_H
#define CLIENTS_MCP_NARROW_H

#include "clients/mcp_port_state.h"

/* Any request, where mcp_port_options.path is given. */
void port_narrow(struct mcp_port *p, struct front_request *rq,
		 const struct port_message *m);

#endif
