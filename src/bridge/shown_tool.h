/* SPDX-License-Identifier: MIT */
/*
 * A board's tool as it stands in the list that a host gets: its texts and schema
 * mended, hints, and in _meta whose it is and what it is called there.
 */
#ifndef BRIDGE_SHOWN_TOOL_H
#define BRIDGE_SHOWN_TOOL_H

#include "bridge/catalogue.h"

struct shown_tool {
	const char *name; /* as the host calls it */
	const struct tool *tool;
	const struct bridge_source *source; /* all of them */
	char *const *label; /* theirs */
	const size_t *member; /* of which boards it is: indices */
	size_t members;
	bool merged; /* the argument `device` says which */
	bool several; /* there are other boards: the title says whose it is */
};

/* Yours. */
char *shown_tool_json(const struct shown_tool *s);

#endif
