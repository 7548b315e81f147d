/* SPDX-License-Identifier: MIT */
/* What servers ask their client, passed to the only host. */
#ifndef BRIDGE_HOST_ASKED_H
#define BRIDGE_HOST_ASKED_H

#include "bridge/host_state.h"

/* Whose call is with the peer; NULL: none of a host's, or of another bridge's. */
struct host_part *host_part_of(const struct bridge_host *h,
			       const struct bridge_peer *p);
void host_asked_open(struct peer_hearer *out);
void host_asked_done(struct bridge_host *h);
/* Main line; as bridge_host_tend. */
int64_t host_asked_tend(struct bridge_host *h);
/* Nobody waits for that call any more, nor for what its peer asks for it. */
void host_asked_give_up(struct bridge_host *h, const struct bridge_call *c);
/* The client is about to be freed. */
void host_asked_forget(struct host_client *c);
/* What it declared in initialize. */
void host_take_answers(struct host_client *c, const cJSON *capabilities);
/* A response of the host's. */
void host_answer(struct host_client *c, const cJSON *message, struct span text);
void host_roots_changed(const struct host_client *c);

/* A request of 2026-07-28, and what it declares. */
void host_declares(struct host_part *p, const cJSON *capabilities);
/* What a call of this part lets its server ask. */
struct client_answers host_answers(const struct host_part *p);

#endif
