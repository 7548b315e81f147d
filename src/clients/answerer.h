/* SPDX-License-Identifier: MIT */
/*
 * Who answers MCP clients, whatever way they come by: a port (Streamable HTTP,
 * HTTP+SSE, WebSocket), stdin and stdout, an access point, a broker. Messages go
 * in, replies come out. It knows no sockets; who carries its messages knows no MCP
 * but what this table tells.
 */
#ifndef CLIENTS_ANSWERER_H
#define CLIENTS_ANSWERER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct headers;

/*
 * Whom to tell what comes before replies: notifications and requests of the
 * answerer. done is the only one that must be there.
 */
typedef void mcp_done(void *owner, const char *reply, size_t len);
typedef bool mcp_tell(void *owner, const char *text, size_t len);
struct mcp_hearer {
	mcp_done *done;
	/* A message that belongs to the question. False: it cannot be told. */
	mcp_tell *tell;
	/*
	 * The rest is to be fetched: the way of its messages is closed, and the
	 * client comes back after so many ms (2025-11-25, polling).
	 */
	void (*pause)(void *owner, int64_t ms);
	/* With which status of HTTP the reply goes; before done, if not 200. */
	void (*status)(void *owner, int status);
};

/* One message of a client: a request, a notification, a response, a batch, or garbage. */
struct mcp_said {
	const char *text;
	size_t len;
	const struct headers *headers; /* those of HTTP; NULL elsewhere; lent */
};

struct answerer {
	void *owner;
	/* serverInfo.name, for lines */
	const char *(*name)(void *owner);

	/* A client came; its questions are abandoned when it is freed. */
	void *(*client_new)(void *owner);
	void (*client_free)(void *client);
	bool (*is_initialized)(const void *client);
	/* The revision settled with it ("2025-06-18"); NULL before initialize. */
	const char *(*revision)(const void *client);
	/*
	 * Where to send what belongs to no question (a list changed); until the
	 * client is freed.
	 */
	void (*reach)(void *client, mcp_tell *tell, void *owner);

	/*
	 * hearer is lent until it is over. done is called exactly once with the
	 * reply, lent; "" when there is nothing to say (notification, response):
	 * at once, inside this function, or later from the loop. tell may come
	 * inside, too. Returns the question while it is open, NULL if done was
	 * called already.
	 */
	void *(*hear)(void *client, const struct mcp_said *m,
		      const struct mcp_hearer *h, void *owner);
	/* Nobody waits: done is not called. */
	void (*abandon)(void *question);

	/*
	 * Whether it is a message without a session (2026-07-28): by its headers,
	 * or by its own metadata if they name no revision that has sessions.
	 */
	bool (*is_modern)(void *owner, const struct mcp_said *m);
	/* Whether clients that begin with initialize are served, too. */
	bool (*is_legacy)(void *owner);
};

#endif
