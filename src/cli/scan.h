/* SPDX-License-Identifier: MIT */
/*
 * targets --scan: names of files, serves of this user, and who announces a
 * server in this network; each with the command that reaches it.
 */
#ifndef CLI_SCAN_H
#define CLI_SCAN_H

#include "cli/app.h"
#include "cli/named.h"

struct scan_options {
	struct words interfaces; /* none: all but loopback */
	int64_t duration; /* ms; 0: the default */
	int64_t count; /* that many in the network are enough; 0: never */
};

/*
 * The servers that announce themselves at the configured broker (mcp+mqtt:),
 * each asked whether it is there. -1: ERR_UNMET, none is; as brokered_open.
 */
int scan_broker(struct app *app, struct error *err);

/* -1: ERR_UNMET, nobody answered; as neighbours_open; ended by a signal. */
int scan_run(struct app *app, const struct named_search *search,
	     const struct scan_options *options, struct error *err);

#endif
