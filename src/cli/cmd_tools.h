/* SPDX-License-Identifier: MIT */
/*
 * What `mcpctl` alone adds to its help: the devices of a running serve.
 */
#ifndef CLI_CMD_TOOLS_H
#define CLI_CMD_TOOLS_H

#include "cli/app.h"

/* A few lines on stdout; nothing at all where no serve answers at once. */
void brief_devices(struct app *app);

#endif
