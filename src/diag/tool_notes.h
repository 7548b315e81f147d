/* SPDX-License-Identifier: MIT */
/*
 * What the backends that people run will do to a tool, as sentences for who
 * looks at it: drop it, rename it, confuse it with another. From the same
 * judges as the findings over lists.
 */
#ifndef DIAG_TOOL_NOTES_H
#define DIAG_TOOL_NOTES_H

#include "base/split.h"
#include "diag/codebook.h"
#include "mcp/types.h"

#define NOTE_HAS_NO_CODE DIAG_CODE_COUNT /* what is as it should be */

struct tool_notes {
	struct tool_note {
		enum diag_code code;
		char *text; /* raw: names of the device stand in it; owned */
	} * item;
	size_t count, capacity;
};
void tool_notes_done(struct tool_notes *n);

/*
 * One a hazard, none if there is none. list must be in the order of the
 * device, with user-only tools or without.
 */
void tool_notes_find(struct tool_notes *out, const struct tool_list *list,
		     const struct tool *t);

/* A sentence for each limit of backends that the list passes (D110). */
void list_limits(struct words *out, const struct tool_list *list);

#endif
