/* SPDX-License-Identifier: MIT */
/*
 * A port at which MCP clients find an answerer, in every way that they come: a
 * bare POST of JSON-RPC without a session, Streamable HTTP (Mcp-Session-Id, GET
 * stream, DELETE, coming back for the rest of an answer), HTTP+SSE, WebSocket,
 * and messages of 2026-07-28. One client's end touches no other.
 */
#ifndef CLIENTS_MCP_PORT_H
#define CLIENTS_MCP_PORT_H

#include "base/loop.h"
#include "clients/answerer.h"
#include "net/admit.h"

struct mcp_port;

struct mcp_port_options { /* its texts and lists are lent until it is closed */
	const char *listen; /* [HOST:]PORT; NULL: 127.0.0.1:8088 */
	bool home; /* without HOST it is 127.0.0.1, and not all addresses */
	struct admit_options admit;
	int64_t keep_alive; /* ms between comments on idle streams; 0: 15 s */
	int64_t idle; /* ms until an unused HTTP session ends; 0: 30 min */
	/*
	 * Not NULL: as boards with a small SDK have it (espressif.md 1 to 3),
	 * at that path, and nothing else at the port.
	 */
	const char *path;
	size_t body_max; /* bytes, there; 0: as elsewhere */
	size_t connections_max; /* of HTTP, streams included; others wait; 0: 512 */
	/* Who may ask: who shows one as bearer; others get 401. NULL, none: all. */
	const struct words *tokens;
	/* MCP is at /mcp alone, WebSocket at /ws alone. */
	bool named_paths;
	const char *by; /* on the page: "played by 'mcpctl sim'" */
};
struct mcp_port_observer {
	/* Where MCP is: http://HOST:PORT/, or with named_paths …/mcp */
	void (*listening)(void *owner, const char *url);
	/* What happened, in a line; what a peer sent may be in it. */
	void (*line)(void *owner, const char *text);
	void *owner;
};
/*
 * POST /, /mcp, /rpc with JSON-RPC, GET /sse with POST /messages (a GET for an
 * event stream at the others begins HTTP+SSE too, if it names no session),
 * WebSocket at any path, a page, /health; the last two for everybody. The
 * answerer is lent until it is closed. -1 (ERR_CONNECT): the port cannot be had;
 * (ERR_USAGE): listen is no [HOST:]PORT.
 */
int mcp_port_open(struct mcp_port **out, struct loop *l,
		  const struct answerer *a, const struct mcp_port_options *o,
		  const struct mcp_port_observer *observer, struct error *err);
/*
 * All its clients end, and their questions are abandoned. Returns when nothing
 * of it is on the loop, which it runs for that. NULL is fine.
 */
void mcp_port_close(struct mcp_port *p);

#endif
