/* SPDX-License-Identifier: MIT */
/*
 * The process that starts programs. It holds nothing but a socket, its list of
 * what may be started and opened, and what it started. It reads nothing that
 * strangers sent, but argument words of what it starts.
 */
#ifndef BASE_SPAWNER_HELPER_H
#define BASE_SPAWNER_HELPER_H

#include "base/base.h"

/* Serves `socket` until its end is closed. Never returns. */
void spawner_help(int socket, bool away) __attribute__((__noreturn__));

#endif
