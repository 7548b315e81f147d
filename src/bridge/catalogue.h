/* SPDX-License-Identifier: MIT */
/*
 * What a host of MCP sees of the tools behind the bridge: under which names, with
 * which schemas, and which of them not, and why. Pure: lists of tools in, a table
 * out; it depends on names and rules only, so it is the same after a restart.
 */
#ifndef BRIDGE_CATALOGUE_H
#define BRIDGE_CATALOGUE_H

#include "base/error.h"
#include "mcp/types.h"

/* A board, or a server, behind the bridge. Lent while the catalogue lives. */
struct bridge_source {
	/* alias, name of an mcp.json, else the last six hex digits of its id */
	const char *prefix;
	const char
		*id; /* Device-Id, or the target without secrets: for _meta */
	const struct tool_list *tools; /* NULL: not known yet */
	bool device; /* firmware's ways are known of it */
	bool asleep; /* said in the descriptions */
	bool wants_all; /* mcp-c-sdk: every declared argument, or -32602 */
};

enum bridge_names { BRIDGE_FLAT, BRIDGE_DOTS, BRIDGE_RAW };

struct bridge_rules {
	enum bridge_names names;
	bool user_tools; /* also those for users only */
	bool read_only; /* none but those that read */
	bool merge; /* equal tools of many boards become one with `device` */
	bool no_own; /* not `devices`, `refresh` */
	bool generic; /* `call_device_tool` as well */
	bool awake_only;
	const struct words *allow,
		*deny; /* globs of the device's names; NULL */
	size_t most; /* tools; 0: any number */
};

struct bridge_tool {
	char *name; /* as the host calls it; NULL: it does not see it */
	char *json; /* as it stands in tools/list; NULL likewise */
	const struct tool *tool; /* the original; NULL: one of our own */
	size_t source; /* index; of a merged one the first */
	bool merged; /* argument `device` says whose */
	char *why; /* why the host does not see it, in words; NULL */
	const char *
		mark; /* what is odd about its texts (instructions to a model…); NULL */
};

struct bridge_catalogue {
	struct bridge_tool *tool;
	size_t count, shown;
	bool merged; /* by the rule, or since there were too many */
};

void bridge_catalogue_make(struct bridge_catalogue *out,
			   const struct bridge_source *source, size_t count,
			   const struct bridge_rules *rules);
void bridge_catalogue_done(struct bridge_catalogue *c);
/* By the name that the host calls; NULL: as if there were none. */
const struct bridge_tool *
bridge_catalogue_find(const struct bridge_catalogue *c, const char *name);

#endif
