/* SPDX-License-Identifier: MIT */
/*
 * serve --mcp-mqtt: the bridge that shows its boards at a broker, a command of
 * ours beside it (bridge --mcp-mqtt), since serve itself dials nobody. What that
 * says is in the log; where it ends, it is started again; it ends with serve.
 */
#ifndef CLI_SERVE_BRIDGE_H
#define CLI_SERVE_BRIDGE_H

#include "cli/config.h"

struct serve;
struct serve_bridge;

/* Which bridge: its own options of these names. */
struct serve_bridge_order {
	const char *broker; /* NULL: none is wanted */
	struct words allow, deny;
	bool user_tools, read_only, keep_asleep;
};

/* Before the fences: it may be started there, where serve was. */
void serve_bridge_allow(const char *folder, const struct serve_bridge_order *o,
			const struct config *c);
/* NULL: none is wanted. */
struct serve_bridge *serve_bridge_start(struct serve *s, struct loop *l,
					const char *folder,
					const struct serve_bridge_order *o,
					const struct config *c);
/* It is ended, and says nothing any more. NULL is fine. */
void serve_bridge_stop(struct serve_bridge *b);

#endif
