/* SPDX-License-Identifier: MIT */
/*
 * Which tools a model is not shown unasked: those that are for users, that
 * destroy something, that make a board fetch or send what somebody names.
 */
#ifndef BRIDGE_HIDDEN_H
#define BRIDGE_HIDDEN_H

#include "bridge/catalogue.h"

/* Why the host does not see it, in words that name the option; NULL: it does. Yours. */
char *hidden_why(const struct bridge_source *s, const struct tool *t,
		 const struct bridge_rules *rules);

#endif
