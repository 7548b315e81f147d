/* SPDX-License-Identifier: MIT */
/*
 * The arguments object against the tool's schema, with errors that a user can
 * act on. For arguments*.c only.
 */
#ifndef MCP_ARGUMENTS_CHECK_H
#define MCP_ARGUMENTS_CHECK_H

#include "mcp/arguments.h"

/* -1 (ERR_USAGE): as arguments_build says, less the detail. */
int arguments_check(const cJSON *object,
		    const struct arguments_options *options,
		    struct buf *warnings, struct error *err);

#endif
