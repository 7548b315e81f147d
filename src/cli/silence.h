/* SPDX-License-Identifier: MIT */
/*
 * Time was over: which layer of the open connection is silent (diag/ladder.h)?
 */
#ifndef CLI_SILENCE_H
#define CLI_SILENCE_H

#include "cli/connection.h"

/*
 * err is what a command ended with. After ERR_TIMEOUT the connection is looked
 * at, and for at most LADDER_ASK_MS a Ping and, of a board, an unknown method
 * are asked; what came of it, and the verdict, become err's detail and hint,
 * and a finding. Where nothing can be learned, err stays as it is.
 */
void silence_ask(struct connection *c, struct error *err);

#endif
