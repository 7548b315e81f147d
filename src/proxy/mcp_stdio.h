/* SPDX-License-Identifier: MIT */
/* An MCP server that is a program: its stdin, stdout and end are ours. */
#ifndef PROXY_MCP_STDIO_H
#define PROXY_MCP_STDIO_H

#include "proxy/mcp_relay.h"

/* closed: all is given back; after mcp_…_close, once. */
int mcp_stdio_open(struct proxy *p, void (*closed)(struct proxy *p),
		   struct mcp_stdio **out, struct error *err);
void mcp_stdio_close(struct mcp_stdio *s);

#endif
