/* SPDX-License-Identifier: MIT */
/*
 * The host in parts, each above what it uses: replies, and the end of a question
 * (host_reply.c), 2026-07-28 (host_era.c), the bridge's own tools
 * (own_answers.c), calls (host_call.c), resources and prompts of servers
 * (host_items.c), what servers ask (host_asked.c), in rounds, too
 * (host_rounds.c), and tell (host_told.c), methods (host_methods.c), messages and
 * clients (bridge_host.c). Private to them.
 */
#ifndef BRIDGE_HOST_STATE_H
#define BRIDGE_HOST_STATE_H

#include "base/json.h"
#include "base/random.h"
#include "bridge/bridge_host.h"
#include "wire/jsonrpc.h"

#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"
#define HOST_QUOTED 60 /* bytes of a host's word that an error repeats */
#define HOST_OPEN_MAX 1024 /* questions that are open, of all clients */
#define HOST_ASKED_MS 600000 /* so long a person may take; see --ask-timeout */
#define HOST_PROGRESS_MS 5000 /* between two signs of life */
/*
 * So long after the start a list waits for those behind the bridge: many hosts
 * list once, and hear of no change.
 */
#define HOST_LIST_MS 3000

struct host_question;

struct host_client {
	struct bridge_host *host;
	struct host_client *next, **link; /* what points to it */
	const char *revision; /* static; NULL before initialize */
	char *who; /* clientInfo, for the log; NULL */
	struct client_answers answers; /* as it declared */
	int log_rank; /* log_level_rank of what it wants; 0: nothing */
	mcp_tell *reach; /* NULL: there is no way */
	void *reach_owner;
	struct host_question *first; /* open ones, the oldest first */
};

/* One message of a question: all of it, or an element of a batch. */
struct host_part {
	struct host_question *question;
	char *id; /* the raw token to echo; NULL: a notification */
	char *reply; /* what stands behind the id; NULL: none yet, or never */
	bool over;
	bool modern;
	struct client_answers answers; /* of 2026-07-28: as it declared */
	int log_rank; /* of 2026-07-28: as in host_client, amid it */
	char *same; /* by what its next round is known; NULL: it has none */
	struct host_round *round; /* see host_rounds.c; NULL */
	struct span text; /* the message, lent while it is heard */
	unsigned topics; /* of subscriptions/listen: see host_listens */
	/* It waits until the bridge knows what there is; static; NULL: it does not. */
	const char *waits;
	char *later; /* the params of that method */
	const cJSON *params; /* lent while the method runs; NULL */
	/* a call */
	struct bridge_call *call; /* NULL: none is under way */
	/* It goes to no host any more; NULL: nothing is under way. */
	void (*drop)(struct host_part *p);
	char *token; /* the raw progressToken; NULL: none */
	int64_t began; /* loop_now() ms */
	int64_t began_us, tell_at;
	char *who, *tool, *arguments; /* for the log */
	struct host_gather *gather; /* see host_items.c; NULL */
};

struct host_question {
	struct host_client *client;
	struct host_question *next, **link;
	struct mcp_hearer hearer;
	void *owner;
	const struct headers *headers; /* while it is heard; NULL */
	bool batch;
	bool inside; /* it is heard just now */
	bool held; /* its host was asked something, and is to come back */
	struct host_question
		*becomes; /* a held one that it brings answers to */
	char *whose; /* a hash of the token that was shown; NULL: none was */
	struct host_part *part;
	size_t count, open;
	int status; /* of HTTP; 0: 200 */
};

/* What a server asks in the midst of a call; see host_rounds.c. */
struct host_round {
	struct host_round *next;
	struct bridge_host *host;
	struct host_part *part; /* NULL: it is over */
	struct round_question *first; /* open ones */
	unsigned keys; /* given so far */
	unsigned count; /* of results that ask */
	/* By which the host is known when it comes back; "": it is there. */
	char state[RANDOM_HEX_SIZE];
	const struct host_client *client; /* the only one; NULL: any */
	int64_t until; /* loop_now() ms: so long it may take */
	const char *why; /* it was given up, static; NULL */
};

struct bridge_host {
	struct bridge *bridge;
	struct answerer answerer;
	struct host_client *clients;
	struct host_client
		held; /* has the questions whose hosts are to come back */
	size_t open; /* questions */
	int64_t list_at; /* loop_now() ms: from then on no list waits */
	bool met; /* a host has asked something */
	struct host_asked *asked; /* see host_asked.c */
	int64_t asked_last; /* the number of the last one */
	struct host_round *rounds; /* see host_rounds.c */
	struct client_answers declared; /* by any request of 2026-07-28 */
	struct client_answers answers; /* what servers are told */
	struct host_watch *watches; /* see host_told.c */
	unsigned cut; /* kinds of lists that were told as such; host_items.c */
	unsigned changed; /* lists, whose hosts are told at that time */
	int64_t changed_at; /* loop_now() ms */
};

#endif
