/* SPDX-License-Identifier: MIT */
/*
 * What only the shell understands: `use`, `set`, `last`, `reconnect` and
 * others.
 */
#ifndef SHELL_BUILTINS_H
#define SHELL_BUILTINS_H

#include "shell/shell.h"

const struct builtin *builtin_find(const char *name);

/* To completion, which is below the shell. */
void builtins_offer(void);
/* Whether it can be a target at all; the first one also with the options that
   were given. */
int shell_check_target(const struct shell *s, const char *target, bool later,
		       struct error *err);

#endif
