/* SPDX-License-Identifier: MIT */
/*
 * Rules over a whole list of tools: what its device, the backends behind it and
 * their models make of it (backends.md 1.1, 1.10). A list is lent for the call.
 */
#ifndef DIAG_LIST_RULES_H
#define DIAG_LIST_RULES_H

#include "diag/diag.h"
#include "mcp/types.h"

/*
 * A complete list, in the order of the device, with user-only tools or without:
 * D108, D112, D117, D118, D119, and of a board (d->about) D110, D111, D113.
 * Each once, with the first tool that it is true of and how many more.
 */
void diag_list(struct diag *d, const struct tool_list *list);

/*
 * D109: second came later than first. Where one of both was asked for without
 * user-only tools, these are left out.
 */
void diag_list_again(struct diag *d, const struct tool_list *first,
		     const struct tool_list *second);

#endif
