/* SPDX-License-Identifier: MIT */
/*
 * An MCP server over HTTP: requests, answers and streams go on; sessions told
 * apart.
 */
#ifndef PROXY_MCP_HTTP_H
#define PROXY_MCP_HTTP_H

#include "proxy/mcp_relay.h"

int mcp_http_open(struct proxy *p, void (*closed)(struct proxy *p),
		  struct mcp_http **out, struct error *err);
void mcp_http_close(struct mcp_http *h);
/* Where hosts reach it, added; as --advertise says. */
void mcp_http_addresses(const struct mcp_http *h, struct words *out);

#endif
