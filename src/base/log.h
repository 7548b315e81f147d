/* SPDX-License-Identifier: MIT */
/*
 * Debug lines for developers of mcpctl, on stderr, off unless MCPCTL_DEBUG is
 * set. Not for users: what they must know is an event, a record or an error.
 * Secrets never stand in them.
 */
#ifndef BASE_LOG_H
#define BASE_LOG_H

#include "base/base.h"

void log_debug(const char *format, ...) PRINTF_LIKE(1, 2);

#endif
