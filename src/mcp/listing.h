/* SPDX-License-Identifier: MIT */
/*
 * tools/list, resources/list, resources/templates/list and prompts/list over
 * all pages, as a step machine without I/O: ask for the params of the next
 * request, feed its reply, until done. Guards: a repeated cursor, an empty
 * cursor, an empty page, LISTING_PAGES_MAX pages, bytes_max bytes of memory.
 */
#ifndef MCP_LISTING_H
#define MCP_LISTING_H

#include "base/json.h"
#include "mcp/types.h"
#include "wire/jsonrpc.h"

enum list_kind { LIST_RESOURCES, LIST_TEMPLATES, LIST_PROMPTS };

struct list_item {
	/* what names it to commands: uri, uriTemplate or name; "" if missing */
	const char *key;
	const char *name; /* NULL if it sent none */
	const char *title, *description, *mime; /* NULL if it sent none */
	const cJSON *json; /* the whole object */
	struct span text; /* the same as received */
};

/* Owns the messages that its items borrow from. */
struct page_list {
	enum list_kind kind;
	struct list_item *item;
	size_t count, capacity;
	struct message *page;
	size_t pages, pages_capacity;
	bool misnamed; /* resources came as `contents` */
};
void page_list_done(struct page_list *l);

/*
 * Add the items of one result; takes the message. -1 (ERR_PROTOCOL, detail the
 * frame): the array is missing. What is no object is skipped and counted.
 */
int page_list_add_take(struct page_list *l, struct message *page,
		       size_t *skipped, struct error *err);
/* By key, then by name; NULL. */
const struct list_item *page_list_find(const struct page_list *l,
				       const char *key);
/* The key nearest to a wrong one; NULL. */
const char *page_list_nearest(const struct page_list *l, const char *key);

/* "resources/list" and "resources", … */
const char *list_method(enum list_kind kind);
const char *list_member(enum list_kind kind);
/* "resource", "template", "prompt" */
const char *list_noun(enum list_kind kind);

#define LISTING_PAGES_MAX 10000
#define LISTING_BYTES_MAX ((size_t)64 << 20)

struct listing {
	/* filled; the caller's: the one or the other */
	struct tool_list *list;
	struct page_list *items;
	bool user_tools; /* send withUserTools on every page */
	/* That is found out by the first page; see listing_init. */
	bool may_be_board;
	bool modern; /* an empty cursor is one like any other (modern.md 11) */
	bool done;
	char *cursor; /* of the next page; NULL for the first */
	struct name_set seen; /* cursors so far, to the page that sent them */
	size_t bytes; /* of memory, of the pages so far */
	size_t bytes_max; /* LISTING_BYTES_MAX, unless less is set */
	size_t skipped; /* elements that were no objects */
};

/*
 * list is empty at first, and is kept: it must live as long. Without
 * user_tools, may_be_board may be set: then, if the first page names the tool
 * that all firmware has (device.md 3.10), the listing begins anew with
 * withUserTools, for it is the door of a board (device.md 3.11).
 */
void listing_init(struct listing *l, struct tool_list *list, bool user_tools);
/* The same for an empty list of items->kind. */
void listing_init_items(struct listing *l, struct page_list *items);
void listing_done(struct listing *l);

/* "tools/list", … */
const char *listing_method(const struct listing *l);

/*
 * The params of the next request into out (emptied first); "" means: send no
 * params. withUserTools stands on every page, as firmware wants it
 * (device.md 3.5).
 */
void listing_params(const struct listing *l, struct buf *out);

/*
 * Feed the reply to that request; takes it. 0: see l->done. -1
 * (ERR_PROTOCOL): a guard struck, each with its own message; what came before
 * is kept in the list. A JSON-RPC error is given to listing_failed instead.
 */
int listing_feed_take(struct listing *l, struct message *reply,
		      struct error *err);

/*
 * The request for the next page failed and err says why: puts the number of
 * the page in front, unless it is the first, and a hint where firmware's words
 * mean more than they say (device.md 3.5). Always -1.
 */
int listing_failed(const struct listing *l, struct error *err);

#endif
