/* SPDX-License-Identifier: MIT */
/*
 * Calls in flight: numbered, matched with replies in any order, ended by a
 * reply or by the end of the connection; by time below.
 */
#ifndef RPC_SESSION_CALLS_H
#define RPC_SESSION_CALLS_H

#include "base/error.h"
#include "rpc/session.h"

/* Releases; must not be in flight (session_forget first). */
void call_done(struct call *c);

/*
 * Send; params is JSON text or NULL. timeout ms, 0: the configured one. -1:
 * could not send, nothing is in flight.
 */
int session_start(struct session *s, struct call *c, const char *method,
		  const char *params, int64_t timeout, struct error *err);

/* The same with headers, where the transport takes some. Lent. */
struct request_order {
	const char *method, *params;
	int64_t timeout; /* ms; 0: the configured one */
	const struct headers *headers; /* NULL */
};
int session_start_order(struct session *s, struct call *c,
			const struct request_order *order, struct error *err);

/*
 * A payload of the caller's own making, sent as it is: what is odd about it is
 * wanted. Its reply is the one with that id, which no other call in flight has,
 * or with that raw token as its id (token NULL: there is none), whatever its
 * id.
 */
struct raw_request {
	const char *method; /* what it is called in messages */
	struct span payload;
	int32_t id;
	const char *token;
	int64_t timeout; /* ms; 0: the configured one */
	bool pieces; /* session_has_pieces: in several frames */
};
/* A message can go in several frames (transport_ops.send_pieces). */
bool session_has_pieces(const struct session *s);
int session_start_raw(struct session *s, struct call *c,
		      const struct raw_request *rq, struct error *err);

/* The id that the next call gets, for params that name it (progressToken). */
int32_t session_next_id(const struct session *s);

/*
 * Forget a call; its reply will be reported as late. Nothing happens if it is
 * not in flight. The peer is told nothing.
 */
void session_forget(struct session *s, struct call *c);

/*
 * Tell the peer that nobody waits for it any more (session_rules.cancel), which
 * the session does by itself when its time is over. False: it was not told,
 * since the connection is gone, or firmware, which has no cancel (device.md 3.9).
 */
bool session_cancel(struct session *s, const struct call *c,
		    const char *reason);

/*
 * Wait for a started call. 0: it has a result. -1: err is its failure, or the
 * loop's (interrupted). Time over names the call, what was last heard and,
 * where a reply can never come (session_rules.silence), says so. After ERR_INTERRUPTED the call is still in flight.
 */
int session_wait(struct session *s, struct call *c, struct error *err);
int session_notify(struct session *s, const char *method, const char *params,
		   struct error *err);

/*
 * While a person is asked something for the peer, the clocks of calls in
 * flight stand still. Nested; each true needs its false.
 */
void session_hold(struct session *s, bool hold);

/*
 * An error reply that came without a session, in words: ERR_PEER, with its
 * code, its data, and the time after which it wants to be asked again.
 */
void session_peer_error(const struct session_rules *rules, struct error *e,
			const struct message *m);

/* For struct link_events. */
void session_take_reply(void *owner, struct message *m);
void session_take_broken(void *owner, struct span frame,
			 const struct error *problem,
			 const struct salvage *salvage);

struct call *session_find_call(const struct session *s, int64_t id);
/* c->failure or c->reply says how; answered: also by something broken. */
void session_end_call(struct session *s, struct call *c, bool answered);
void session_call_failed(struct session *s, int64_t id,
			 const struct error *why);
void session_fail_calls(struct session *s);
/* "METHOD SUBJECT"; yours. */
char *call_label(const struct call *c);
/*
 * One turn of the loop, until woken, the deadline, or the first call's time is
 * over.
 */
int session_turn(struct session *s, int64_t deadline, struct error *err);
/* Of the calls, unless the clocks stand still, and of the hello that is awaited; LOOP_FOREVER: none. */
int64_t session_next_deadline(const struct session *s);
/* A notification may say that a call goes on: its time starts anew. */
void session_progress(struct session *s, const struct message *m);

#endif
