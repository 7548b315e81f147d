/* SPDX-License-Identifier: MIT */
/*
 * The server side of MCP as xiaozhi-esp32 firmware does it (device.md 3):
 * lenient about what it reads, silent where firmware is silent, error texts
 * pasted in without escaping, pages of about 8,000 bytes. Pure but for its
 * events: no sockets, no clock. It does not run tools: a call that passed the
 * checks is handed out, and its outcome is encoded when the owner has one.
 */
#ifndef MCP_SERVER_H
#define MCP_SERVER_H

#include <cjson/cJSON.h>

#include "base/buf.h"

#define SERVER_PAGE_MAX 8000 /* bytes of a tools/list result (3.5) */

enum server_dialect {
	SERVER_2_4_2, /* errors without a code (3.7) */
	SERVER_NEXT /* codes and other words (3.8) */
};

enum server_type { SERVER_BOOLEAN, SERVER_INTEGER, SERVER_STRING };

struct server_argument {
	char *name;
	enum server_type type;
	bool has_default; /* without one it is required */
	int32_t number; /* default of an integer; 0 or 1 of a boolean */
	char *text; /* default of a string */
	bool has_minimum, has_maximum;
	int32_t minimum, maximum;
	int32_t max_length; /* bytes of a string; SERVER_NEXT only; 0: any */
};

struct server_tool {
	char *name, *description;
	bool user_only;
	struct server_argument *argument;
	size_t argument_count;
	char *json; /* as tools/list shows it; made by server_tool_prepare */
	size_t json_len;
	const void *behaviour; /* the owner's: what a call does; not touched */
};

/* What a board offers. Shared by any number of servers, which only read it. */
struct server_catalog {
	const char *board, *version; /* serverInfo; borrowed */
	bool camera; /* without one a vision address is not kept (3.4) */
	struct server_tool *tool;
	size_t count, capacity;
};

/* Add an empty tool at `at` (count: at the end); fill it in, then prepare it. */
struct server_tool *server_catalog_add(struct server_catalog *c, size_t at);
void server_catalog_remove(struct server_catalog *c, size_t at);
/* By name, with case; NULL. */
struct server_tool *server_catalog_find(const struct server_catalog *c,
					const char *name);
/* Releases the tools. */
void server_catalog_done(struct server_catalog *c);

/* Add an empty argument; fill it in. */
struct server_argument *server_tool_add_argument(struct server_tool *t);
void server_tool_drop_arguments(struct server_tool *t);
/* The index of an argument by its exact name; -1. */
int server_tool_argument(const struct server_tool *t, const char *name);
/* Make t->json anew, keys in the firmware's order (3.5). */
void server_tool_prepare(struct server_tool *t, enum server_dialect dialect);

/* The checked value of one argument. */
struct server_value {
	int32_t number; /* of integers; 0 or 1 of booleans */
	char *text; /* of strings; owned by the call */
};

/* A tool call that passed all checks, to be run and then answered. */
struct server_call {
	int32_t id;
	const struct server_tool *tool;
	struct server_value *value; /* tool->argument_count of them */
	struct server_call *next; /* for queues of the owner */
};
void server_call_free(struct server_call *c); /* NULL is fine */

enum server_method {
	SERVER_INITIALIZE,
	SERVER_LIST,
	SERVER_CALL,
	SERVER_UNKNOWN
};

/* One reply, still in parts, so that it can be bent before it is encoded. */
struct server_reply {
	enum server_method method; /* of the request */
	int32_t id;
	bool is_error;
	int code; /* of an error; shown by SERVER_NEXT only */
	const char *
		body; /* a result as JSON, or an error's message as it is; lent */
	size_t len;
	const struct server_tool
		*first; /* SERVER_LIST: first tool of the page; NULL */
	bool more; /* SERVER_LIST: the page names a next one */
};
/* Append the JSON-RPC payload. An error's message is not escaped (3.7). */
void server_reply_encode(const struct server_reply *r,
			 enum server_dialect dialect, struct buf *out);

struct server_events {
	/* A reply to send; lent. */
	void (*reply)(void *owner, const struct server_reply *r);
	/* A tool to run: the call is yours; answer with server_outcome. */
	void (*call)(void *owner, struct server_call *call);
};

struct server {
	const struct server_catalog *catalog;
	enum server_dialect dialect;
	char *vision_url, *vision_token; /* from initialize; NULL; owned */
	const struct server_events *events;
	void *owner;
};
/* Forget what initialize told, as a restart does. Also releases. */
void server_reset(struct server *s);

/*
 * One message from the client, in the order of checks of 3.2; calls an event
 * or nothing. The tree stays the caller's.
 */
void server_receive(struct server *s, const cJSON *message);

enum server_outcome_kind {
	SERVER_TEXT, /* text is the result's text */
	SERVER_IMAGE, /* text is base64, mime its type: the wrapped shape of 3.6 */
	SERVER_FAILED /* text is the exception's text */
};
struct server_outcome {
	enum server_outcome_kind kind;
	const char *text, *mime;
	size_t len;
};
/* What a finished call replies: fills *out, whose body is put in *body. */
void server_outcome(const struct server_call *c, const struct server_outcome *o,
		    struct buf *body, struct server_reply *out);

/* Append a checked value as it is, a text without quotes. */
void server_value_text(const struct server_argument *a,
		       const struct server_value *v, struct buf *out);

/*
 * Append a JSON string as cJSON prints one: control characters escaped,
 * everything else as it is, also bytes that are no UTF-8.
 */
void server_quote(struct buf *out, const char *text, size_t len);

#endif
