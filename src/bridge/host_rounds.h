/* SPDX-License-Identifier: MIT */
/*
 * The same amid a call of a host of 2026-07-28: what is asked as its result,
 * the call held, gone on when the answers come.
 */
#ifndef BRIDGE_HOST_ROUNDS_H
#define BRIDGE_HOST_ROUNDS_H

#include "bridge/host_state.h"

/*
 * A request of 2026-07-28. True: it brings answers to a held one, and is over, or
 * its question becomes that one.
 */
bool host_rounds_resume(struct host_part *p, const char *method);
/* As peer_hearer.ask, in the midst of a call of that part. */
const char *host_rounds_ask(struct host_part *p, struct bridge_peer *peer,
			    const struct peer_question *q);
/* As peer_hearer.withdrawn. */
void host_rounds_withdrawn(struct bridge_host *h, struct bridge_peer *peer,
			   struct span id);
size_t host_rounds_open(const struct bridge_host *h); /* questions */
/* The client is about to be freed. */
void host_rounds_forget(const struct host_client *c);
/* Main line; as bridge_host_tend. */
int64_t host_rounds_tend(struct bridge_host *h);
void host_rounds_done(struct bridge_host *h);

#endif
