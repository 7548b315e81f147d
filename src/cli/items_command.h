/* SPDX-License-Identifier: MIT */
/*
 * What resources, templates and prompts share: they list, pick, show.
 */
#ifndef CLI_ITEMS_COMMAND_H
#define CLI_ITEMS_COMMAND_H

#include "cli/app.h"

/* argv[0], if there is one: WORD|GLOB. -1: what the listing says, or
   ERR_UNMET: nothing was found. */
int items_command(const struct invocation *in, enum list_kind kind,
		  struct error *err);

#endif
