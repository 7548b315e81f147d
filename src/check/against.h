/* SPDX-License-Identifier: MIT */
/* The list of tools alone, and what backends would make of it. */
#ifndef CHECK_AGAINST_H
#define CHECK_AGAINST_H

#include "check/parts.h"

/* --against: -1 (ERR_USAGE): a backend that is not known. */
int check_against_read(struct checkup *k, struct error *err);
/* What each of them would make of the list; nothing without --against. */
void check_against(struct checkup *k, const struct tool_list *l);

#endif
