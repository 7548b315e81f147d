/* SPDX-License-Identifier: MIT */
/*
 * What a server of 2026-07-28 behind the bridge is asked to tell by itself: its
 * lists, where it says that it tells of them, and resources that hosts watch, in
 * one subscriptions/listen, which is asked anew when it is lost. What it tells
 * are events of its session. Those of older revisions tell without it.
 */
#ifndef BRIDGE_SERVER_LISTENS_H
#define BRIDGE_SERVER_LISTENS_H

#include "bridge/bridge_peer.h"
#include "cli/connection.h"

struct server_listens {
	struct connection *connection; /* of its server; lent */
	bool *stale; /* set when a change may have been missed; lent */
	/* its own */
	struct words uris; /* resources that are watched */
	struct call call; /* the subscription */
	bool open; /* it was asked for */
	bool due; /* what it is to be told of changed */
	bool refused; /* it takes no subscription */
	bool missed; /* it was lost, and does not stand again */
	int64_t again_at, pause; /* loop_now() ms; ms */
	struct bridge_call *asked; /* resources/subscribe of a host; NULL */
	char *uri; /* its resource */
};

/* Its session stands. */
void server_listens_begin(struct server_listens *l);
/* It ends. A call that waits is lost. */
void server_listens_end(struct server_listens *l);

/*
 * resources/subscribe and unsubscribe, which it does not know. True: taken; with
 * a call (NULL: nobody waits) its `end` is set later.
 */
bool server_listens_take(struct server_listens *l, const char *method,
			 const char *params, struct bridge_call *c);
/* Nobody waits for that call. */
void server_listens_drop(struct server_listens *l, const struct bridge_call *c);

/* Main line. Returns the loop_now() ms at which to come again at the latest. */
int64_t server_listens_tend(struct server_listens *l);

#endif
