/* SPDX-License-Identifier: MIT */
/*
 * Tool lists as received, shared by content: a thousand boards of one firmware
 * keep one list. Pure memory; no tree is kept.
 */
#ifndef SERVE_TOOL_LISTS_H
#define SERVE_TOOL_LISTS_H

#include "base/buf.h"
#include "base/json.h"
#include "base/map.h"

struct tool_list;

/* One list: the tools' JSON texts, an index by name. Lent by those who hold it. */
struct shared_list {
	char id[17]; /* 16 hex digits of its content: names it in wire/control_frames.h */
	size_t count, user; /* all tools, and the user-only ones among them */
	char *text; /* the tools one after the other, minified */
	size_t len;
	size_t *at; /* count + 1 offsets into text, sorted by tool name */
	unsigned holders;
};

struct tool_lists {
	struct map lists; /* by id */
};

void tool_lists_done(struct tool_lists *b);

/* The list with this content (a finished listing), held once more. */
struct shared_list *tool_lists_hold(struct tool_lists *b,
				    const struct tool_list *list);
void tool_lists_release(struct tool_lists *b,
			struct shared_list *list); /* NULL is fine */
struct shared_list *tool_lists_find(const struct tool_lists *b, const char *id);

/* Index of the first tool whose name does not come before this one. */
size_t shared_list_find(const struct shared_list *list, const char *name);
/* The text of tool i, in the order of names; i below count. */
struct span shared_list_text(const struct shared_list *list, size_t i);
/* Its name; yours. */
char *shared_list_name(const struct shared_list *list, size_t i);

/* The text of a tool by name; false: there is none. */
bool shared_list_tool(const struct shared_list *list, const char *name,
		      struct span *out);
/*
 * The text of the tool that word means (tool_list_meant); NULL in out->text:
 * none. -1: as there.
 */
int shared_list_meant(const struct shared_list *list, const char *word,
		      struct span *out, struct error *err);
/* The nearest name, or NULL; yours. */
char *shared_list_nearest(const struct shared_list *list, const char *name);

#endif
