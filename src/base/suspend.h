/* SPDX-License-Identifier: MIT */
/*
 * Ctrl-Z for who catches it, because the terminal must be put right before.
 */
#ifndef BASE_SUSPEND_H
#define BASE_SUSPEND_H

#include "base/base.h"

/* As if nobody caught SIGTSTP: stops here until SIGCONT. */
void suspend_here(void);
/* Whether it is ignored: a shell without job control had a reason to. */
bool suspend_ignored(void);

#endif
