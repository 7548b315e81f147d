/* SPDX-License-Identifier: MIT */
/*
 * Sorted names, in which those that begin alike stand together, cut into
 * parts.
 */
#include "out/tools_tree.h"
#include "base/mem.h"
#include "mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 32 /* deeper names keep their rest as it is */
#define JOINED_MAX 32 /* parts in a line */

/* Tools whose names begin with the same `skip` bytes. */
struct tree_group {
	const struct tool **tool;
	size_t count, skip, depth;
};

/* A dot comes before all other characters: so parts stay together. */
static int rank(char c)
{
	int byte = (unsigned char)c;

	return byte == '.' ? 1 : byte ? byte + 1 : 0;
}

static int by_parts(const void *a, const void *b)
{
	const struct tool *const *x = a, *const *y = b;
	const char *p = (*x)->name, *q = (*y)->name;

	while (*p && *p == *q) {
		p++;
		q++;
	}
	if (*p != *q)
		return rank(*p) - rank(*q);
	return (*x)->position < (*y)->position ? -1 : 1;
}

/* The end of the part that begins at from: a dot between two parts, or the end. */
static size_t part_end(const char *name, size_t from)
{
	size_t at = from;

	while (name[at]) {
		at++;
		if (name[at] == '.' && name[at + 1] && name[at + 1] != '.')
			break;
	}
	return at;
}

/* Does tool n go through the first `end` bytes of tool 0, as whole parts? */
static bool goes_through(const struct tree_group *g, size_t n, size_t end)
{
	const char *name = g->tool[n]->name, *first = g->tool[0]->name;

	return strncmp(name + g->skip, first + g->skip, end - g->skip) == 0 &&
	       (!name[end] ||
		(name[end] == '.' && name[end + 1] && name[end + 1] != '.'));
}

static void add(struct tools_tree *t, const struct tree_group *g, size_t end,
		const struct tool *tool, const char *name)
{
	t->line = mem_grow(t->line, &t->capacity, t->count, sizeof(*t->line));
	t->line[t->count++] = (struct tree_line){
		.depth = g->depth,
		.text = name + g->skip,
		.len = end - g->skip,
		.tool = tool,
	};
}

/* How many tools, from the first one on, go through its first `end` bytes. */
static size_t run_length(const struct tree_group *g, size_t end)
{
	size_t n = 1;

	while (n < g->count && goes_through(g, n, end))
		n++;
	return n;
}

/* The first part, with those behind it that all of its tools go through. */
static size_t joined_end(const struct tree_group *g, size_t *count)
{
	const char *first = g->tool[0]->name;
	size_t end = part_end(first, g->skip);

	*count = run_length(g, end);
	for (int i = 0; first[end] && i < JOINED_MAX; i++) {
		size_t longer = part_end(first, end + 1);

		if (!goes_through(g, *count - 1, longer) ||
		    run_length(g, longer) != *count)
			break;
		end = longer;
	}
	return end;
}

/* NOLINTNEXTLINE(misc-no-recursion): to DEPTH_MAX */
static void add_group(struct tools_tree *t, struct tree_group g)
{
	while (g.count > 0) {
		const char *name = g.tool[0]->name;
		size_t count, own = 0;
		size_t end = joined_end(&g, &count);

		if (g.depth == DEPTH_MAX) {
			count = 1;
			end = strlen(name);
		}
		/* Those of exactly this name, more than one if it is listed twice. */
		for (; own < count && !g.tool[own]->name[end]; own++)
			add(t, &g, end, g.tool[own], name);
		if (own == 0)
			add(t, &g, end, NULL, name);
		if (own < count)
			add_group(t, (struct tree_group){ g.tool + own,
							  count - own, end + 1,
							  g.depth + 1 });
		g.tool += count;
		g.count -= count;
	}
}

void tools_tree_init(struct tools_tree *t, const struct tool_list *list,
		     const char *filter)
{
	const struct tool **tool =
		mem_alloc((list->count + 1) * sizeof(struct tool *));
	struct tree_group all = { .tool = tool };

	*t = (struct tools_tree){ 0 };
	for (size_t i = 0; i < list->count; i++) {
		if (tool_matches(&list->tool[i], filter))
			tool[all.count++] = &list->tool[i];
	}
	qsort(tool, all.count, sizeof(struct tool *), by_parts);
	add_group(t, all);
	mem_free(tool);
}

void tools_tree_done(struct tools_tree *t)
{
	mem_free(t->line);
	*t = (struct tools_tree){ 0 };
}
