/* SPDX-License-Identifier: MIT */
/*
 * How requests of a client are begun, in either era, and what is known of the
 * server for that: its capabilities, and what it listed of its tools.
 */
#ifndef MCP_CLIENT_START_H
#define MCP_CLIENT_START_H

#include "mcp/client.h"

/*
 * A server that is no device says which of its parts it has. True: it has
 * `name` ("resources", "prompts", "completions", "logging", "tools"), or it
 * cannot be known (device, --no-init).
 */
bool client_offers(const struct client *c, const char *name);
/* A device, or no initialize: nothing is known of its parts. */
bool client_is_silent(const struct client *c);

/* What a listing said of a tool, in client.hints. */
enum tool_hint {
	HINT_REPEATABLE = 1,
	/* up to 2025-11-25 */
	HINT_TASK_ONLY = 2,
	HINT_TASK_NEVER = 4 /* and the server has tasks */
};

struct client_request {
	const char *method;
	const char *params; /* JSON text; NULL */
	bool progress; /* with a progressToken, where the peer may know it */
	/* tools/call: its arguments, JSON text; NULL: none are headers */
	const char *arguments;
	int64_t timeout; /* ms; 0: the session's */
	bool tasks; /* what comes may be a task (mcp/tasks.h) */
};

/*
 * What a listing says of tools, for client_call_tool: which may be repeated
 * (guard), which can only be called as a task. client_list_tools does it;
 * lists that came otherwise are told here. Nothing is kept of the list.
 */
void client_know_tools(struct client *c, const struct tool_list *list);
void client_forget_tools(struct client *c);

/*
 * Arguments of a tool as the server takes them: the same text, or another one in
 * room. NULL: err. What is special about them is told once.
 */
const char *client_tool_arguments(struct client *c, const char *tool,
				  const char *arguments, struct buf *room,
				  struct error *err);

/*
 * Up to 2025-11-25 tasks are a capability (*tasks: what it has of them, NULL:
 * none), later an extension. False: the server has said that it has none.
 */
bool client_has_tasks(const struct client *c, const cJSON **tasks);

/* Begun, whoever waits for it; its result comes to call. */
int client_start(struct client *c, struct call *call,
		 const struct client_request *rq, struct error *err);
/* The same of 2026-07-28, whatever c has found out. */
int client_start_modern(struct client *c, struct call *call,
			const struct client_request *rq, const char *revision,
			struct error *err);

#endif
