/* SPDX-License-Identifier: MIT */
#ifndef DIAG_LIST_RULES_H
#define DIAG_LIST_RULES_H
#include "diag/diag.h"
#include "mcp/types.h"
static inline void diag_list(struct diag *d, const struct tool_list *l)
{
	(void)d;
	(void)l;
}
static inline void diag_list_again(struct diag *d, const struct tool_list *a,
				   const struct tool_list *b)
{
	(void)d;
	(void)a;
	(void)b;
}
#endif
