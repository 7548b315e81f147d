/* SPDX-License-Identifier: MIT */
/*
 * The last listing of each target, in $XDG_CACHE_HOME/mcpctl/tools: one file
 * a target, mode 0600, replaced as a whole. Lines, sorted by name, so that
 * completing searches by halves and parses no JSON:
 *   mcpctl-tools 1 UNIX-TIME BYTES TARGET
 *   NAME<tab>BRIEF<tab>JSON of the tool
 * BYTES is the size of all lines after the first. Names with control
 * characters are left out, tabs and line ends in the others' briefs become
 * spaces. A name that a peer lists twice stands there twice.
 */
#ifndef CLI_SCHEMA_CACHE_H
#define CLI_SCHEMA_CACHE_H

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

/*
 * The key of a listing: the target's text, and for what serve holds "attach:"
 * with the device's id; yours. Secrets in it (user names, queries but those of
 * sim:) are left out. target may be NULL if device is not.
 */
char *schema_cache_key(const char *target, const char *device);

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

#endif
