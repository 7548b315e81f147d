/* SPDX-License-Identifier: MIT */
/* Once through each layer of a peer (diag/ladder.h), with the time it took. */
#ifndef CLI_ROUND_TRIP_H
#define CLI_ROUND_TRIP_H

#include "cli/connection.h"

/*
 * A Ping, where this way has one, and a request behind it; of a Pong that is
 * missing then, a finding (D138). -1: the request was not answered, or the user
 * ended it.
 */
int round_trip(struct connection *c, struct ping_record *out,
	       struct error *err);

#endif
