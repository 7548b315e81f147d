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
/* Where hosts reach it; yours. */
char *mcp_http_address(const struct mcp_http *h);

#endif
