/* SPDX-License-Identifier: MIT */
/*
 * The level from which on a server logs (notifications/message).
 */
#ifndef CLI_CMD_LOGLEVEL_H
#define CLI_CMD_LOGLEVEL_H

#include "cli/connection.h"

/* -1 (ERR_USAGE): no such level; the nearest. */
int log_level_check(const char *level, struct error *err);
/* Tell the connected server. -1: it does not log, or what it answered. */
int log_level_set(struct connection *c, const char *level, struct error *err);

#endif
