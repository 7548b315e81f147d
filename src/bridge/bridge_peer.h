/* SPDX-License-Identifier: MIT */
/*
 * One of those behind the bridge, a board or a server: what is known of it, and
 * its calls, one after the other. How it is reached is its kind's matter
 * (bridge_boards.h, bridge_server.h). No call is left without an end, and none
 * ends twice. From the loop things are only recorded; the main line acts.
 */
#ifndef BRIDGE_BRIDGE_PEER_H
#define BRIDGE_BRIDGE_PEER_H

#include "mcp/client.h"
#include "mcp/tools.h"
#include "wire/jsonrpc.h"

/* A list of tools that several boards may have, and whoever shows it. */
struct bridge_list {
	char *id; /* its content's name in serve; NULL */
	struct tool_list tools;
	unsigned users;
};
/* One user. Takes the tools. */
struct bridge_list *bridge_list_new(const char *id, struct tool_list *tools);
struct bridge_list *bridge_list_hold(struct bridge_list *l); /* NULL is fine */
void bridge_list_release(struct bridge_list *l); /* NULL is fine */

struct bridge_peer;

enum call_end {
	CALL_OPEN,
	CALL_ANSWERED, /* reply: a result, or the peer's error */
	CALL_UNSENT, /* why: it never reached the peer */
	CALL_LOST /* why: it reached the peer, and no answer came */
};

struct bridge_call {
	struct bridge_peer *peer;
	char *method, *params; /* JSON text; owned, as all here */
	void *asker; /* for whom: what it is, who made the call knows */
	struct client_answers answers; /* what its host answers amid it */
	const char *log_level; /* from which on logs are wanted; static; NULL */
	bool repeatable; /* twice is as once */
	int64_t began_us; /* when the host asked */
	int64_t deadline; /* loop_now() ms: the host has its answer by then */
	int64_t awake_by; /* likewise: the peer must be there by then */
	unsigned sends; /* how often it reached the peer, as far as is known */
	void (*done)(void *owner, struct bridge_call *c); /* see below */
	/* How far its peer is, in its own words (params of MCP); NULL. */
	void (*progress)(void *owner, const cJSON *params);
	void *owner;
	bool abandoned; /* nobody waits: done is not called */
	bool camera; /* it is to take a picture, as far as is known */
	int64_t photos; /* bytes that its picture may have; 0: none is wanted */
	/* how it ended; set by the peer's kind, from the loop, too */
	enum call_end end;
	struct message reply;
	char *photo; /* the picture, base64; NULL: there is none */
	char *no_photo; /* then why, in words; NULL: that was not told */
	struct error why;
	struct bridge_call *next; /* in the queue */
};

/* What a kind of peers can; owner is what bridge_peer.owner says. */
struct peer_kind {
	/* Send it; later its `end` is set and *woken. -1: it was not sent. */
	int (*start)(void *owner, struct bridge_call *c, int64_t timeout,
		     struct error *err);
	/* Nobody waits for the one that was started: its `end` stays as it is. */
	void (*drop)(void *owner, struct bridge_call *c);
	/*
	 * What servers can, too; NULL: it has no such ways. An answer to what it
	 * asked (peer_hearer.ask): result is JSON text, NULL: an error.
	 */
	void (*answer)(void *owner, const char *id, const char *result,
		       int code, const char *words);
	/*
	 * Asked or told beside calls, in this order, as long as the peer is there;
	 * what it answers is nobody's matter. From the loop, too.
	 */
	void (*beside)(void *owner, const char *method, const char *params);
};

/* What a server asks its client; lent. */
struct peer_question {
	const char *id; /* the raw token */
	const char *method;
	struct span params; /* text NULL: none */
};

/*
 * Who hears what a server asks and tells without a call. On the main line; all of
 * it is lent. Filled in when there is somebody.
 */
struct peer_hearer {
	/* What hosts answer; NULL: no host has said what it does. */
	const struct client_answers *(*answers)(void *owner);
	/* NULL: peer_kind.answer comes; else why not, static. */
	const char *(*ask)(void *owner, struct bridge_peer *p,
			   const struct peer_question *q);
	/* Nobody waits for that answer any more; id NULL: for none of them. */
	void (*withdrawn)(void *owner, struct bridge_peer *p, struct span id);
	/* A notification of one of these methods. */
	void (*said)(void *owner, struct bridge_peer *p, const char *method,
		     const cJSON *params);
	/* It is there, anew: it knows nothing of what it was told before. */
	void (*came)(void *owner, struct bridge_peer *p);
	void *owner;
};

enum peer_state {
	PEER_AWAY, /* a board sleeps, a server is not connected */
	PEER_COMING, /* it is there, and not ready */
	PEER_READY
};

/* What has to happen before one that is away is there. */
enum peer_lacks {
	LACKS_WAKING, /* a board that sleeps */
	LACKS_ITSELF, /* a board at a broker: it comes, if it can */
	LACKS_SERVE, /* the serve that it comes to is not there */
	LACKS_BROKER, /* that serve has no way to its broker */
	LACKS_START /* a server is dialled, or started, in vain */
};

/* What a server has beside tools, as it said itself. */
enum peer_offers {
	OFFERS_RESOURCES = 1,
	OFFERS_PROMPTS = 2,
	OFFERS_COMPLETION = 4,
	OFFERS_UPDATES = 8, /* of single resources: resources/subscribe */
	OFFERS_LOGGING = 16
};

#define PEER_QUEUE_MAX 8

struct bridge_peer {
	const struct peer_kind *kind;
	void *owner;
	char *prefix; /* before the names of its tools */
	char *id; /* Device-Id, or the target without secrets */
	char *about; /* board and version; NULL */
	char *reason; /* why it is not ready, in words; NULL */
	bool device; /* speaks as firmware does */
	bool wants_all; /* see struct bridge_source */
	unsigned offers; /* of enum peer_offers */
	enum peer_state state;
	enum peer_lacks lacks; /* where it is away, or is dialled */
	const char *way; /* over what it was there last; static; NULL */
	int64_t seen; /* Unix ms when it was there last; 0: never */
	struct bridge_list *list; /* NULL: not known yet */
	bool *changed; /* set when a host may see it otherwise */
	bool *woken;
	/* its calls */
	struct bridge_call *current; /* with the peer */
	struct bridge_call *first; /* wait for it */
	size_t waiting;
	int64_t interval; /* ms between calls; 0: none */
	int64_t credit_at; /* loop_now() ms from when on there is room for one */
	int64_t not_before; /* likewise: it refused one just now */
	bool held; /* bridge_peer_hold */
	int64_t held_at; /* loop_now() ms */
};

void bridge_peer_done(struct bridge_peer *p);

/*
 * What a server is called: its name in mcp.json, else what stands behind the
 * scheme of the target (which has no secrets), as letters and digits. Yours.
 */
char *bridge_peer_prefix(const char *target);

/* What is known changed: prefix or about, NULL: as it was. */
void bridge_peer_name(struct bridge_peer *p, const char *prefix,
		      const char *about);
void bridge_peer_state(struct bridge_peer *p, enum peer_state state,
		       const char *reason);
/* The same for PEER_AWAY. */
void bridge_peer_away(struct bridge_peer *p, enum peer_lacks lacks,
		      const char *reason);
/* "asleep", "away", "not connected"; NULL: it is not away. */
const char *bridge_peer_away_word(const struct bridge_peer *p);
/* Holds it. */
void bridge_peer_list(struct bridge_peer *p, struct bridge_list *l);

/*
 * Put a call into its queue. Takes it: from now on it ends by done, once, on the
 * main line, which may look at it until it returns; then it is released. True:
 * it waits; false: the queue is full, and it is the caller's still.
 */
bool bridge_peer_ask(struct bridge_peer *p, struct bridge_call *c);
/* Nobody waits for it: done is not called. What was sent may be carried out. */
void bridge_call_abandon(struct bridge_call *c);
void bridge_call_free(struct bridge_call *c);

/* Somebody is asked something for it: the clock of its call stands still. */
void bridge_peer_hold(struct bridge_peer *p, bool hold);

/*
 * Main line: what ended is handed out, what is due begins. Returns the
 * loop_now() ms at which to come again at the latest.
 */
int64_t bridge_peer_tend(struct bridge_peer *p);

/* In words, what the host is told of a call that failed. */
void bridge_call_explain(const struct bridge_call *c, struct error *out);

#endif
