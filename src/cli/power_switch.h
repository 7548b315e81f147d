/* SPDX-License-Identifier: MIT */
/*
 * --power-cycle: a board's power switched off and on by the --power-cmd of the
 * running serve, for commands that go on with the board afterwards.
 */
#ifndef CLI_POWER_SWITCH_H
#define CLI_POWER_SWITCH_H

#include "base/error.h"
#include "cli/app.h"

enum {
	POWER_SWITCH_MS = 40000 /* longer than serve lets its command run */
};

/* -1: no serve is running, or it has no --power-cmd, with what to do. */
int power_possible(struct app *app, struct error *err);

/*
 * pattern: one board, as -d takes it. Waits for the end of the command, not for
 * the board. -1: refused (leased), it failed (ERR_CONNECT, with the first line
 * that it said), or took too long (ERR_TIMEOUT).
 */
int power_cycle(struct app *app, const char *pattern, struct error *err);

#endif
