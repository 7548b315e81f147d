/* SPDX-License-Identifier: MIT */
/* What `info` tells, for the shell too. */
#ifndef CLI_CMD_INFO_H
#define CLI_CMD_INFO_H

#include "cli/connection.h"

/* What is known of the connected peer. */
void info_show(const struct connection *c, struct renderer *r);

#endif
