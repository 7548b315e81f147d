/* SPDX-License-Identifier: MIT */
/* Lists of tools in files, one a target: their lines, their places. */
#ifndef CLI_SCHEMA_CACHE_H
#define CLI_SCHEMA_CACHE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

struct tool_list;

#define SCHEMA_CACHE_MAX (64U << 20) /* bytes of a file */

struct schema_cache { /* a file, mapped */
	const char *map;
	void *memory; /* to be unmapped */
	size_t size;
	size_t *line; /* offsets of tools, and of the end */
	size_t count;
	int64_t time; /* Unix seconds of the listing */
	char *target; /* the key */
};

/* The key of what a serve showed last; NULL: nothing is kept. Yours. */
char *schema_cache_newest(void);

/* Write; failures are of no interest to the command (a cache), but told to err. */
int schema_cache_write(const char *key, const struct tool_list *list,
		       struct error *err);

/*
 * -1 (ERR_UNMET): none, or it is damaged (then it is as if there were none).
 * What it gave was checked to be lines as above; their JSON was not.
 */
int schema_cache_open(struct schema_cache *out, const char *key,
		      struct error *err);
void schema_cache_close(struct schema_cache *c);

/* Index of the first tool that does not come before prefix (as bytes). */
size_t schema_cache_find(const struct schema_cache *c, const char *prefix);
/* Parts of tool i; lent, not NUL-terminated. False: no such. */
bool schema_cache_tool(const struct schema_cache *c, size_t i,
		       struct span *name, struct span *brief,
		       struct span *json);

/* map and size are set: fill the rest. -1: damaged; then it is unfinished. */
int schema_lines_read(struct schema_cache *c);

/* All of them as if they had come on one page. -1: one of them is no JSON. */
int schema_cache_tools(struct tool_list *out, const struct schema_cache *c);

#endif
