/* SPDX-License-Identifier: MIT */
/*
 * The host in parts, each above what it uses: replies, and the end of a question
 * (host_reply.c), 2026-07-28 (host_era.c), the bridge's own tools
 * (own_answers.c), calls (host_call.c), resources and prompts of servers
 * (host_items.c), what servers ask (host_asked.c), in rounds, too
 * (host_rounds.c), and tell (host_told.c), methods (host_methods.c), messages and
 * clients (bridge_host.c). Private to them.
 */
#ifndef BRIDGE_HOST_PRIVATE_H
#define BRIDGE_HOST_PRIVATE_H

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
	struct bridge_peer *peer;
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
	unsigned changed; /* lists, whose hosts are told at that time */
	int64_t changed_at; /* loop_now() ms */
};

/* ---- host_reply.c ---- */

/* The part is over with this result (JSON of an object), or an error. */
void host_result(struct host_part *p, const char *result);
void host_error(struct host_part *p, int code, const char *data,
		const char *format, ...) PRINTF_LIKE(4, 5);
/* … with nothing to say, whatever is under way. */
void host_silence(struct host_part *p);
/* With which status of HTTP, where it is alone. */
void host_status(struct host_part *p, int status);
/* A message that belongs to the question; false: it cannot be told. */
bool host_tell(const struct host_part *p, const char *text, size_t len);
/*
 * All parts are over: the reply goes out, and the question is released. True:
 * that is so.
 */
bool host_settle(struct host_question *q);
/*
 * Its one part has this result for now, and the question is held until it goes
 * on for another one (host_take_up), or is freed. Whoever is told may free the
 * client.
 */
void host_hold(struct host_question *q, const char *result);
/*
 * The held question that q has become: it goes on for q's host, under q's id, and
 * q is released. Any other: q.
 */
struct host_question *host_take_up(struct host_question *q);
/* ms that a host may take to answer. */
int64_t host_patience(const struct bridge_host *h);
/* Of its metadata, for signs of life. */
void host_take_token(struct host_part *p);
void host_question_link(struct host_question *q, struct host_client *c);
/* It is heard no more, and nobody waits. */
void host_question_free(struct host_question *q);
/*
 * True: what there is behind the bridge may yet come to be known, so the method
 * (static) is run anew by host_resume.
 */
bool host_waits(struct host_part *p, const char *method);
/* A text of the host's, cut, for an error. */
int host_cut(const char *text);
/* "NAME/VERSION" of clientInfo; yours. NULL: it told none. */
char *host_who(const cJSON *info);

/* ---- host_era.c ---- */

/* By its headers, or by its own metadata if they name no revision with sessions. */
bool host_is_modern(const struct headers *headers, const cJSON *message);
/* Whether the request has what each must have; if not, it is over. */
bool host_era_begin(struct host_part *p, const char *method);
void host_listen(struct host_part *p);
/* What tools/list ends with, beside the tools. */
void host_add_caching(struct buf *out, const struct host_part *p);

/* ---- own_answers.c ---- */

/* Their text, appended. False: it is why it failed. */
bool own_devices(struct bridge *b, struct buf *out);
bool own_refresh(struct bridge *b, const cJSON *arguments, struct buf *out);

/* ---- host_call.c ---- */

void host_call(struct host_part *p);
/* loop_now() ms of the next sign of life. */
int64_t host_call_progress(struct host_part *p);
/* ---- host_items.c ---- */

/* Lists of what servers have beside tools; and one of it. */
void host_items(struct host_part *p, const char *method);
/* What is declared of them, as members behind others. */
void host_add_offers(struct buf *out, const struct host_part *p);

/* ---- host_asked.c ---- */

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

/* ---- host_rounds.c ---- */

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

/* ---- host_told.c ---- */

void host_told_open(struct peer_hearer *out);
int64_t host_told_tend(struct bridge_host *h);
void host_told_forget(struct host_client *c);
/* For bridge.on_change. */
void host_tools_changed(void *owner);
/* What of `wanted` it is told of, as members added to out; for host_part.topics. */
unsigned host_listens(const cJSON *wanted, struct buf *out);
/* … and of these resources it is told, as long as the part is not over. */
void host_listens_to(struct host_part *p, const cJSON *uris, struct buf *out);
void host_set_level(struct host_part *p);
/* The least that anybody wants; static. NULL: nobody wants any. */
const char *host_log_level(const struct bridge_host *h);
/* The part is about to ask that peer, and wants what it logs amid it. */
void host_want_logs(const struct host_part *p, const struct bridge_peer *peer);
/* uri: as the host calls it; key: as its server does. */
void host_watch(struct host_client *c, struct bridge_peer *p, const char *uri,
		const char *key);
/* False: it is over, with an error. */
bool host_may_watch(struct host_part *p);
void host_unwatch(struct host_part *p);

/* ---- host_methods.c ---- */

void host_method(struct host_part *p, const char *method);
/* What waits is answered, if it need not wait any more. */
void host_resume(struct host_part *p);

#endif
