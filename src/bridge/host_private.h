/* SPDX-License-Identifier: MIT */
/*
 * The host in parts, each above what it uses: replies, and the end of a question
 * (host_reply.c), 2026-07-28 (host_era.c), the bridge's own tools
 * (own_answers.c), calls (host_call.c), resources and prompts of servers
 * (host_items.c), what servers ask (host_asked.c) and tell (host_told.c),
 * methods (host_methods.c), messages and clients (bridge_host.c). Private to them.
 */
#ifndef BRIDGE_HOST_PRIVATE_H
#define BRIDGE_HOST_PRIVATE_H

#include "base/json.h"
#include "bridge/bridge_host.h"
#include "wire/jsonrpc.h"

#define HOST_QUOTED 60 /* bytes of a host's word that an error repeats */
#define HOST_OPEN_MAX 1024 /* questions that are open, of all clients */
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
	char *reply; /* the whole JSON-RPC reply; NULL: none yet, or never */
	bool over;
	bool modern;
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
	struct host_part *part;
	size_t count, open;
	int status; /* of HTTP; 0: 200 */
};

struct bridge_host {
	struct bridge *bridge;
	struct answerer answerer;
	struct host_client *clients;
	size_t open; /* questions */
	int64_t list_at; /* loop_now() ms: from then on no list waits */
	bool met; /* a host has asked something */
	struct host_asked *asked; /* see host_asked.c */
	int64_t asked_last; /* the number of the last one */
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

/* ---- host_told.c ---- */

void host_told_open(struct peer_hearer *out);
int64_t host_told_tend(struct bridge_host *h);
void host_told_forget(struct host_client *c);
/* For bridge.on_change. */
void host_tools_changed(void *owner);
/* What of `wanted` it is told of, as members added to out; for host_part.topics. */
unsigned host_listens(const cJSON *wanted, struct buf *out);
void host_set_level(struct host_part *p);
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
