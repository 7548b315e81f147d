/* SPDX-License-Identifier: MIT */
/* What `call` shows of a result, for `task wait`, too. */
#ifndef CLI_CMD_CALL_H
#define CLI_CMD_CALL_H

#include "cli/expect.h"

struct call_shown {
	struct app *app;
	const char *name; /* of the tool, for an error */
	const char *save; /* --save; NULL */
	const struct expectation *expected;
};

/*
 * Show it, save it, compare it. status and err: how it was asked for, as
 * client_call_tool has it; a failure that was expected is none any more.
 */
int call_show(const struct call_shown *s, const struct result *result,
	      int status, struct error *err);

#endif
