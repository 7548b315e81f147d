/* SPDX-License-Identifier: MIT */
/*
 * What `describe TOOL` and `call TOOL --help` share.
 */
#ifndef CLI_CMD_DESCRIBE_H
#define CLI_CMD_DESCRIBE_H

#include "cli/connection.h"

/*
 * Connect if that is not done, find the tool and show it. -1: as connection_open
 * and tools_cache_find; ERR_USAGE for a name that the peer does not have.
 */
int describe_tool(struct connection *c, const char *name, struct error *err);

#endif
