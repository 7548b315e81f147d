/* SPDX-License-Identifier: MIT */
/*
 * Between a host of MCP and its server. The same kind is served on this side:
 * over stdio, with our stdin and stdout for the server's, so that any host can
 * be told to start mcpctl in its place; or over HTTP, with a port of this
 * machine for the server's address. Bytes go on as they came; messages are read
 * beside them.
 *
 * The server is who answers, as a board is: what it says is FROM_DEVICE.
 *
 * Files: mcp_relay.c says which kind it is, mcp_stdio.c and mcp_http.c pass on.
 */
#ifndef PROXY_MCP_RELAY_H
#define PROXY_MCP_RELAY_H

#include "proxy/talk.h"

/* A message that is larger passes without being looked into. */
#define MCP_KEPT_MAX (1u << 20)

struct mcp_stdio;
struct mcp_http;

struct mcp_relay { /* one of the two */
	struct mcp_stdio *stdio;
	struct mcp_http *http;
};

/* MCP servers. */
int mcp_relay_open(struct proxy *p, struct error *err);
void mcp_relay_addresses(const struct proxy *p, struct words *out);
void mcp_relay_close(struct proxy *p);

#endif
