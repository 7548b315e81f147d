/* SPDX-License-Identifier: MIT */
/*
 * What a host of MCP sees of the tools behind the bridge: under which names, with
 * which schemas, and which of them not, and why. Pure: lists of tools in, a table
 * out; it depends on names and rules only, so it is the same after a restart.
 */
#ifndef BRIDGE_CATALOGUE_H
#define BRIDGE_CATALOGUE_H

#include "base/error.h"
#include "base/map.h"
#include "mcp/types.h"

#define BRIDGE_MERGE_ABOVE 40 /* tools: equal ones become one */

/* A board, or a server, behind the bridge. Lent while the catalogue lives. */
struct bridge_source {
	/* alias, name of an mcp.json, else the last six letters or digits of its id */
	const char *prefix;
	const char
		*id; /* Device-Id, or the target without secrets: for _meta */
	const struct tool_list *tools; /* NULL: not known yet */
	bool device; /* firmware's ways are known of it */
	const char *away; /* "asleep": said in the descriptions; static; NULL */
	bool wants_all; /* mcp-c-sdk: every declared argument, or -32602 */
};

enum bridge_names { BRIDGE_FLAT, BRIDGE_DOTS, BRIDGE_RAW };

struct words;
struct bridge_rules {
	enum bridge_names names;
	bool user_tools; /* also those for users only */
	bool read_only; /* none but those that read */
	bool merge; /* equal tools of many boards become one with `device` */
	bool no_own; /* not `devices`, `refresh` */
	bool generic; /* `call_device_tool` as well */
	bool awake_only;
	/*
	 * Globs of the device's names; NULL. Allowed: although it is one of those
	 * that are not shown unasked. Denied: in any case.
	 */
	const struct words *allow, *deny;
	size_t most; /* tools; 0: any number */
};

struct bridge_tool {
	char *name; /* as the host calls it; NULL: it does not see it */
	char *json; /* as it stands in tools/list; NULL likewise */
	const struct tool *tool; /* the original; NULL: one of our own */
	size_t source; /* index; of a merged one the first */
	bool merged; /* argument `device` says whose */
	size_t *member; /* the sources of a merged one; of others NULL */
	size_t members, capacity;
	char *why; /* why the host does not see it, in words; NULL */
	bool left_out; /* only for the number: `call_device_tool` may reach it */
	/* what is odd about its texts (instructions to a model…), in words; NULL */
	char *mark;
};

/* Boards in the order of their names, then our own. */
struct bridge_catalogue {
	struct bridge_tool *tool;
	size_t count, capacity, shown;
	bool merged; /* by the rule, or since there were too many */
	/*
	 * What a board is called in the argument `device`, and in words; one a
	 * source. NULL: the source is there twice, and this one counts for nothing.
	 */
	char **label;
	size_t sources;
	struct map by_name, by_place; /* to struct bridge_tool */
};

void bridge_catalogue_make(struct bridge_catalogue *out,
			   const struct bridge_source *source, size_t count,
			   const struct bridge_rules *rules);
void bridge_catalogue_done(struct bridge_catalogue *c);
/* By the name that the host calls; NULL: as if there were none. */
const struct bridge_tool *
bridge_catalogue_find(const struct bridge_catalogue *c, const char *name);
/* By the source and the device's own name, also where no host sees it; NULL. */
const struct bridge_tool *bridge_catalogue_at(const struct bridge_catalogue *c,
					      size_t source, const char *name);
/* Which source is called so, if it is one of t's (t NULL: of all); SIZE_MAX. */
size_t bridge_catalogue_source(const struct bridge_catalogue *c,
			       const struct bridge_tool *t, const char *device);

#endif
