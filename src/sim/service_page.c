/* SPDX-License-Identifier: MIT */
/* The page that a browser gets from a pretend service: how to reach it. */
#include "net/page.h"
#include "sim/service_listen_private.h"

static void add_address(struct buf *out, const char *what, const char *before,
			const char *host, const char *behind)
{
	buf_printf(out, "<p>%s: <b>%s", what, before);
	page_text(out, host);
	buf_printf(out, "%s</b></p>\n", behind);
}

void port_page(const struct service_port *p, struct buf *out, const char *host)
{
	page_start(out);
	buf_text(out, "<p>This is an MCP server, played by 'mcpctl sim': ");
	page_text(out, service_name(p->service));
	buf_text(out, ".</p>\n");
	add_address(out, "JSON-RPC and Streamable HTTP", "http://", host, "/");
	add_address(out, "HTTP+SSE", "http://", host, "/sse");
	add_address(out, "WebSocket", "ws://", host, "/");
	page_end(out);
}
