/* SPDX-License-Identifier: MIT */
/*
 * What a server behind the bridge asks its client (elicitation, sampling, roots):
 * by requests of its session, or from 2026-07-28 on in rounds of a call. Handed to
 * the hearer, which asks hosts; the answers back. What it may ask it is told when
 * its session begins, or with each request.
 */
#ifndef BRIDGE_SERVER_ASKS_H
#define BRIDGE_SERVER_ASKS_H

#include "bridge/bridge_peer.h"
#include "cli/connection.h"
#include "mcp/rounds.h"

struct server_asks {
	/* lent */
	struct bridge_peer *peer;
	struct connection *connection; /* of its server */
	const struct peer_hearer *hearer; /* NULL: nobody */
	void (*told)(void *owner, const char *text); /* one line for the user */
	void *owner;
	bool *woken;
	int64_t meet_at; /* loop_now() ms: from then on no host is waited for */
	/* its own */
	unsigned open; /* questions without an answer */
	struct client_answers declared; /* what it was told it may ask */
	struct rounds rounds; /* of the call that is with it */
	bool pauses; /* that call is between two rounds: questions are open */
};

/* A request of its session. False: none of these questions. */
bool server_asks_hear(struct server_asks *a, const struct event *e);
/* Its notifications/cancelled: it waits for that answer no more. */
void server_asks_hear_withdrawn(struct server_asks *a, const struct event *e);
/* As peer_kind.answer. */
void server_asks_answer(struct server_asks *a, const char *id,
			const char *result, int code, const char *words);
/* Its connection ends: nobody waits for answers. */
void server_asks_forget(struct server_asks *a);

/*
 * The reply to a call asks first (modern_judge), and is passed on. -1: it cannot
 * be. Afterwards the call pauses, until rounds.answered.
 */
int server_asks_begin_round(struct server_asks *a, const struct message *reply,
			    struct error *err);
/* All is answered: params of the next round. -1: one was refused. */
int server_asks_end_round(struct server_asks *a, const char *params,
			  struct buf *out, struct error *err);
/* What is open of the round is of no use any more. */
void server_asks_drop_round(struct server_asks *a);
/* Its call is over, with all rounds. */
void server_asks_end_call(struct server_asks *a);

/* A host is about to say what it answers, and a server is told that once. */
bool server_asks_waits(const struct server_asks *a);
/* Hosts that are there now answer more than it was told. */
bool server_asks_should_know(const struct server_asks *a);
/* For the connection that is about to begin. */
void server_asks_declare(struct server_asks *a);
/* For the request that is about to be sent: those of 2026-07-28 say it each time. */
void server_asks_declare_now(const struct server_asks *a,
			     const struct client_answers *now);

#endif
