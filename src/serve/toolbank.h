/* SPDX-License-Identifier: MIT */
/*
 * Tool lists as received, shared by content: a thousand boards of one firmware
 * keep one list. Pure memory; no tree is kept.
 */
#ifndef SERVE_TOOLBANK_H
#define SERVE_TOOLBANK_H

#include "base/buf.h"
#include "base/json.h"

struct tool_list;

/* One list: the tools' JSON texts, an index by name. Lent by those who hold it. */
struct banked {
	char id[17]; /* 16 hex digits of its content: names it in wire/control.h */
	size_t count, user; /* all tools, and the user-only ones among them */
	char *text; /* the tools one after the other, minified */
	size_t len;
	size_t *at; /* count + 1 offsets into text, sorted by tool name */
	unsigned holders;
	struct banked *next;
};

struct toolbank {
	struct banked **slot; /* by hash */
	size_t slots, count;
};

void toolbank_done(struct toolbank *b);

/* The list with this content (a finished listing), held once more. */
struct banked *toolbank_hold(struct toolbank *b, const struct tool_list *list);
void toolbank_release(struct toolbank *b,
		      struct banked *list); /* NULL is fine */
struct banked *toolbank_find(const struct toolbank *b, const char *id);

/* Index of the first tool whose name does not come before this one. */
size_t banked_find(const struct banked *list, const char *name);
/* The text of tool i, in the order of names; i below count. */
struct span banked_text(const struct banked *list, size_t i);
/* Its name; yours. */
char *banked_name(const struct banked *list, size_t i);

/* The text of a tool by name; false: there is none. */
bool banked_tool(const struct banked *list, const char *name, struct span *out);
/* The nearest name, or NULL; yours. */
char *banked_nearest(const struct banked *list, const char *name);

#endif
