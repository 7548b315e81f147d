/* SPDX-License-Identifier: MIT */
/*
 * What resources/list, resources/templates/list and prompts/list give: pages
 * of named items. The walk over the pages is mcp/listing's, with its guards.
 */
#ifndef MCP_PAGE_LIST_H
#define MCP_PAGE_LIST_H

#include "base/json.h"
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

#endif
