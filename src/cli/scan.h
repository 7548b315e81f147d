/* SPDX-License-Identifier: MIT */
/*
 * targets --scan: names of files, serves of this user, who announces a server
 * in this network, and what --probe finds; each with the command that reaches
 * it. Who was found there is asked for initialize before it is called a server,
 * without a token, a header or a login.
 */
#ifndef CLI_SCAN_H
#define CLI_SCAN_H

#include "cli/app.h"
#include "cli/named.h"

struct scan_options {
	struct words interfaces; /* none: all but loopback */
	int64_t duration; /* ms; 0: the default */
	int64_t count; /* that many in the network are enough; 0: never */
	struct words probes; /* HOST[:PORT] or NETWORK/BITS: see net/probe.h */
	bool watch; /* go on: who comes and goes; duration: so long, 0: for ever */
};

/* -1 (ERR_USAGE): the configured target is not of that kind. */
int scan_no_broker(const struct app *app, struct error *err);

/*
 * The servers that announce themselves at the configured broker (brokered_fits),
 * each asked whether it is there. -1: ERR_UNMET, none is; as brokered_open. To
 * watch: each when it comes, and when it goes; nobody need be there.
 */
int scan_broker(struct app *app, const struct scan_options *options,
		struct error *err);

/*
 * -1: ERR_UNMET, nobody answered; as neighbours_open and probe_add; ended by a
 * signal.
 */
int scan_run(struct app *app, const struct named_search *search,
	     const struct scan_options *options, struct error *err);

#endif
