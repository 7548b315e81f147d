/* SPDX-License-Identifier: MIT */
/*
 * Tools grouped by the parts of their names between dots. Decides what stands
 * in which line, not how it looks.
 */
#ifndef OUT_TOOLS_TREE_H
#define OUT_TOOLS_TREE_H

#include "mcp/types.h"

struct tree_line {
	size_t depth;
	const char *text; /* a part of a name, lent, not NUL-terminated */
	size_t len;
	const struct tool *tool; /* NULL: only what others begin with */
};

struct tools_tree {
	struct tree_line *line;
	size_t count, capacity;
};

/* Those that match filter, by name; a part with one part inside is joined with it. */
void tools_tree_init(struct tools_tree *t, const struct tool_list *list,
		     const char *filter);
void tools_tree_done(struct tools_tree *t);

#endif
