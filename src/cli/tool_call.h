/* SPDX-License-Identifier: MIT */
/*
 * The words behind call, watch: a tool that was looked up, its arguments built
 * and checked. Sends nothing but the question for the list.
 */
#ifndef CLI_TOOL_CALL_H
#define CLI_TOOL_CALL_H

#include "base/buf.h"
#include "cli/command.h"

struct tool_call {
	/* Lent by the list, until that comes anew; NULL: nobody looked. */
	const struct tool *tool;
	char *name; /* whole; owned */
	struct buf arguments; /* JSON text of an object; owned */
};

struct tool_call_how {
	bool no_validate; /* ask for no list */
	const char *upload; /* an argument that gets an address; NULL */
	bool fill_defaults; /* arguments_options */
};

/* Operands of in: the tool, then what stands behind it. tool_call_done in any case. */
int tool_call_build(const struct invocation *in,
		    const struct tool_call_how *how, struct tool_call *out,
		    struct error *err);
void tool_call_done(struct tool_call *c);

#endif
