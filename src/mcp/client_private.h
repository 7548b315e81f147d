/* SPDX-License-Identifier: MIT */
/*
 * The inside of a client, for its own files only: client.c (what is asked),
 * client_ask.c (how), client_parts.c (what a server offers), client_output.c,
 * opening.c.
 */
#ifndef MCP_CLIENT_PRIVATE_H
#define MCP_CLIENT_PRIVATE_H

#include "mcp/client.h"

/* What a listing said of a tool, in client.hints. */
enum tool_hint { HINT_REPEATABLE = 1, HINT_TASK_ONLY = 2 };

struct client_request {
	const char *method;
	const char *params; /* JSON text; NULL */
	bool progress; /* with a progressToken, where the peer may know it */
};

/* Start and wait, with all that client.h promises of requests; afterwards it is not in flight. */
int client_ask(struct client *c, struct call *call,
	       const struct client_request *rq, struct error *err);

/*
 * Firmware restarts before the answer is sent (device.md 3.9), also boards that
 * are dialled in plain JSON-RPC.
 */
bool client_restarted_as_told(const struct client *c, const struct call *call);

/* opening.c: initialize once more on the same session. */
int client_reopen(struct client *c, struct error *err);

#endif
