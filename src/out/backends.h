/* SPDX-License-Identifier: MIT */
/*
 * What the backends that people run will do to a tool: drop it, rename it,
 * confuse it with another. Facts about other programs, in words.
 */
#ifndef OUT_BACKENDS_H
#define OUT_BACKENDS_H

#include "base/split.h"
#include "mcp/types.h"

/* How many tools the MQTT gateway and the Java server keep. */
#define BACKEND_TOOLS_MAX 32
/* Bytes of one message; above, the MQTT gateway closes the connection. */
#define GATEWAY_MESSAGE_MAX 8192

/*
 * One sentence a hazard into out, none if there is none. list must be in the
 * order of the device, with user-only tools or without.
 */
void backend_notes(const struct tool_list *list, const struct tool *t,
		   struct words *out);

/*
 * How many tools those two see: they drop the whole page that would pass
 * their limit, and stop there. They ask without user-only tools: where some of
 * those lie on an earlier page, their pages are others than these, and so it
 * is not known. False then.
 */
bool backend_visible(const struct tool_list *list, size_t *out);

#endif
