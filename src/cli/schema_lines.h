/* SPDX-License-Identifier: MIT */
/*
 * What stands in a file of schema_cache.h: written from a list, checked and
 * indexed in memory. Opens nothing.
 */
#ifndef CLI_SCHEMA_LINES_H
#define CLI_SCHEMA_LINES_H

#include "base/buf.h"
#include "cli/schema_cache.h"

/* The first line; bytes: the size of the others. */
void schema_lines_head(struct buf *out, int64_t time, size_t bytes,
		       const char *target);
/* The others. out->full: they are more than it takes. */
void schema_lines_write(struct buf *out, const struct tool_list *list);

/* map and size are set: fill the rest. -1: damaged; then it is unfinished. */
int schema_lines_read(struct schema_cache *c);

#endif
