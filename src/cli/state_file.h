/* SPDX-License-Identifier: MIT */
/*
 * Where this program keeps what lasts: logs, the history of the shell.
 */
#ifndef CLI_STATE_FILE_H
#define CLI_STATE_FILE_H

#include "base/error.h"

/*
 * $XDG_STATE_HOME/mcpctl/NAME, or below ~/.local/state, its folders made; yours.
 * -1: ERR_USAGE (HOME is not set) or ERR_OUTPUT.
 */
int state_file(char **out, const char *name, struct error *err);

#endif
