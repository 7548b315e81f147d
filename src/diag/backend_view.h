/* SPDX-License-Identifier: MIT */
/*
 * What backends make of a list: how many tools of it they keep, which pages
 * they see, what they change names to (backends.md 1.1). Their limits and
 * habits are those of facts.h. Pure.
 */
#ifndef DIAG_BACKEND_VIEW_H
#define DIAG_BACKEND_VIEW_H

#include "diag/subjects.h"
#include "mcp/types.h"

/* Backends that keep the same number of tools. */
struct keepers {
	struct subjects who;
	size_t most;
};

#define KEEPERS_MAX 8

/* By their limits, as the facts name them; how many. */
size_t keepers_of(struct keepers *out);

/*
 * How many tools who keeps `most` sees: the whole page that would pass it is
 * dropped, and paging ends there. They ask without user-only tools: where some
 * of those lie on an earlier page, their pages are others than these, and so it
 * is not known. False then.
 */
bool backend_visible(const struct tool_list *list, size_t most, size_t *out);

/* Whether that page begins where it does for who asks without user-only tools. */
bool backend_page_known(const struct tool_list *list, size_t page);

/* Those that ask for the first page only. */
void first_pagers(struct subjects *out);

/* Those that change names by that rule ("wide", "dots"). */
void name_changers(struct subjects *out, enum sanitise_rule rule);

/*
 * What a model behind that backend knows a tool as, appended. False: not known,
 * or another server's matter.
 */
bool backend_name(const struct backend_fact *b, const char *name,
		  struct buf *out);

#endif
