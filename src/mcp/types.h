/* SPDX-License-Identifier: MIT */
/*
 * MCP's objects decoded: tools and the content of results. Records borrow
 * from the message that they came in; see each owner.
 */
#ifndef MCP_TYPES_H
#define MCP_TYPES_H

#include "base/json.h"
#include "mcp/name_set.h"
#include "wire/jsonrpc.h"

struct tool_source;

struct tool {
	const char *name; /* "" if the peer sent none */
	const char *title; /* may be NULL */
	const char *description; /* "" if none */
	const cJSON *schema; /* inputSchema; NULL if none */
	const cJSON *json; /* the whole object */
	bool user_only; /* annotations.audience is ["user"] */
	bool duplicate; /* a tool of that name stands before it */
	size_t position; /* 0, 1, … in the listing */
	size_t page; /* 0, 1, … */
	size_t element; /* 0, 1, … in result.tools of that page */
	struct tool_source *source; /* where tool_text looks */
};

/* All pages of a listing. Owns the messages that its tools borrow from. */
struct tool_list {
	struct tool *tool;
	size_t count, capacity;
	size_t user_only;
	struct message *page;
	size_t pages, pages_capacity;
	struct tool_source **source; /* one a page */
	size_t source_capacity;
	struct name_set names; /* name to index */
};

/* What backends make of a name (backends.md 1.1, 1.10 item 9), and what hosts take. Every rule writes into out. */
enum sanitise_rule {
	SANITISE_WIDE, /* all but [a-zA-Z0-9_-] and U+4E00..U+9FFF becomes _ */
	SANITISE_DOTS, /* only '.' becomes _ */
	SANITISE_FLAT, /* all but [a-zA-Z0-9_-] becomes _ */
	SANITISE_SPEC, /* all but [a-zA-Z0-9_.-], which MCP asks for */
	SANITISE_LOOK /* not theirs: what the eye takes it for (text_skeleton) */
};

enum content_kind {
	CONTENT_TEXT,
	CONTENT_IMAGE,
	CONTENT_AUDIO,
	CONTENT_RESOURCE,
	CONTENT_LINK,
	CONTENT_UNKNOWN
};

struct content {
	enum content_kind kind;
	/* The text; the URI of links and resources; may be NULL. */
	const char *text;
	const char *mime; /* may be NULL */
	const char *inside; /* the text of a resource; NULL: it has bytes */
	const char *role; /* of a prompt's message: "user", …; NULL */
	struct buf data; /* bytes of image, audio, resource; owned */
	bool bad_data; /* base64 was wrong, or missing; the wrap was no JSON */
	bool wrapped; /* the firmware's image inside a string (device.md 3.6) */
	cJSON *inner; /* the unwrapped object; owned */
	const cJSON *json;
};

struct result {
	struct message message; /* owned */
	struct content *content;
	size_t count;
	bool is_error, has_is_error;
	bool from_device; /* what backends make of its shape is worth a note */
	bool odd_is_error; /* isError is no boolean; is_error is what it may mean */
	int64_t took_us;
	/* Files of pictures that the peer sent to us meanwhile; lent; NULL: none. */
	const struct words *pictures;
	/* Static text, such as: the reboot dropped the connection as documented. NULL. */
	const char *note;
};

#endif
