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

/*
 * Time was over: which layer of the open connection is silent (diag/ladder.h)?
 */

/*
 * err is what a command ended with. After ERR_TIMEOUT the connection is looked
 * at, and for at most LADDER_ASK_MS a Ping and, of a board, an unknown method
 * are asked; what came of it, and the verdict, become err's detail and hint,
 * and a finding. Where nothing can be learned, err stays as it is.
 */
void silence_ask(struct connection *c, struct error *err);

#endif
