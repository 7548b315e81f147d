/* SPDX-License-Identifier: MIT */
/*
 * The server side of MCP as xiaozhi-esp32 firmware does it (device.md 3):
 * lenient about what it reads, silent where firmware is silent, error texts
 * pasted in without escaping, pages of about 8,000 bytes. Pure but for its
 * events: no sockets, no clock. It does not run tools: a call that passed the
 * checks is handed out, and its outcome is encoded when the owner has one.
 */
#ifndef MCP_FIRMWARE_H
#define MCP_FIRMWARE_H

#include <cjson/cJSON.h>

#include "base/buf.h"

#define SERVER_PAGE_MAX 8000 /* bytes of a tools/list result (device.md 3.5) */

enum firmware_dialect {
	SERVER_2_4_2, /* errors without a code (device.md 3.7) */
	SERVER_2_5_0 /* codes and other words, also called next (device.md 3.8) */
};

enum firmware_type { SERVER_BOOLEAN, SERVER_INTEGER, SERVER_STRING };

struct firmware_argument {
	char *name;
	enum firmware_type type;
	bool has_default; /* without one it is required */
	int32_t number; /* default of an integer; 0 or 1 of a boolean */
	char *text; /* default of a string */
	bool has_minimum, has_maximum;
	int32_t minimum, maximum;
	int32_t max_length; /* bytes of a string; SERVER_2_5_0 only; 0: any */
};

struct firmware_tool {
	char *name, *description;
	bool user_only;
	struct firmware_argument *argument;
	size_t argument_count;
	char *json; /* as tools/list shows it; made by firmware_tool_prepare */
	size_t json_len;
	const void *behaviour; /* the owner's: what a call does; not touched */
};

/* What a board offers. Shared by any number of servers, which only read it. */
struct firmware_catalog {
	const char *board, *version; /* serverInfo; borrowed */
	/* without one a vision address is not kept (device.md 3.4) */
	bool camera;
	struct firmware_tool *tool;
	size_t count, capacity;
};

/* Add an empty tool at `at` (count: at the end); fill it in, then prepare it. */
struct firmware_tool *firmware_catalog_add(struct firmware_catalog *c,
					   size_t at);
void firmware_catalog_remove(struct firmware_catalog *c, size_t at);
/* By name, with case; NULL. */
struct firmware_tool *firmware_catalog_find(const struct firmware_catalog *c,
					    const char *name);
/* Releases the tools. */
void firmware_catalog_done(struct firmware_catalog *c);

/* Add an empty argument; fill it in. */
struct firmware_argument *firmware_tool_add_argument(struct firmware_tool *t);
void firmware_tool_drop_arguments(struct firmware_tool *t);
/* The index of an argument by its exact name; -1. */
int firmware_tool_argument(const struct firmware_tool *t, const char *name);
/* Make t->json anew, keys in the firmware's order (device.md 3.5). */
void firmware_tool_prepare(struct firmware_tool *t,
			   enum firmware_dialect dialect);

/* The checked value of one argument. */
struct firmware_value {
	int32_t number; /* of integers; 0 or 1 of booleans */
	char *text; /* of strings; owned by the call */
};

/* A tool call that passed all checks, to be run and then answered. */
struct firmware_call {
	int32_t id;
	const struct firmware_tool *tool;
	struct firmware_value *value; /* tool->argument_count of them */
	/* The first that has its default because its type was wrong; NULL. */
	const struct firmware_argument *defaulted;
	struct firmware_call *next; /* for queues of the owner */
};
void firmware_call_free(struct firmware_call *c); /* NULL is fine */

enum firmware_method {
	SERVER_INITIALIZE,
	SERVER_LIST,
	SERVER_CALL,
	SERVER_UNKNOWN
};

/* One reply, still in parts, so that it can be bent before it is encoded. */
struct firmware_reply {
	enum firmware_method method; /* of the request */
	int32_t id;
	bool is_error;
	int code; /* of an error; shown by SERVER_2_5_0 only */
	const char *
		body; /* a result as JSON, or an error's message as it is; lent */
	size_t len;
	const struct firmware_tool
		*first; /* SERVER_LIST: first tool of the page; NULL */
	const struct firmware_tool
		*next; /* SERVER_LIST: where the next page begins; NULL */
};
/*
 * Append the JSON-RPC payload. An error's message is not escaped (device.md
 * 3.7).
 */
void firmware_reply_encode(const struct firmware_reply *r,
			   enum firmware_dialect dialect, struct buf *out);

struct firmware_events {
	/* A reply to send; lent. */
	void (*reply)(void *owner, const struct firmware_reply *r);
	/* A tool to run: the call is yours; answer with firmware_outcome. */
	void (*call)(void *owner, struct firmware_call *call);
};

struct firmware {
	const struct firmware_catalog *catalog;
	enum firmware_dialect dialect;
	char *vision_url, *vision_token; /* from initialize; NULL; owned */
	const struct firmware_events *events;
	void *owner;
};
/* Forget what initialize told, as a restart does. Also releases. */
void firmware_reset(struct firmware *s);

/*
 * One message from the client, in the order of checks of 3.2; calls an event
 * or nothing. The tree stays the caller's.
 */
void firmware_receive(struct firmware *s, const cJSON *message);

enum firmware_outcome_kind {
	SERVER_TEXT, /* text is the result's text */
	SERVER_ITEMS, /* text is content objects, a comma between: no firmware does it */
	SERVER_IMAGE, /* text is base64, mime its type: the wrapped shape of 3.6 */
	SERVER_FAILED /* text is the exception's text */
};
struct firmware_outcome {
	enum firmware_outcome_kind kind;
	const char *text, *mime;
	size_t len;
};
/* What a finished call replies: fills *out, whose body is put in *body. */
void firmware_outcome(const struct firmware_call *c,
		      const struct firmware_outcome *o, struct buf *body,
		      struct firmware_reply *out);

/* Append a checked value as it is, a text without quotes. */
void firmware_value_text(const struct firmware_argument *a,
			 const struct firmware_value *v, struct buf *out);

/* By the name of a firmware, next included. -1: not known. */
int firmware_dialect_named(const char *version, enum firmware_dialect *out);

#endif
