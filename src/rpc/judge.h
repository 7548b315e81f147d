/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with what a peer says, in words: for who made the calls
 * (rpc/session), and for who passes them on (serve). Sends nothing, matches
 * nothing; texts that are returned are yours.
 */
#ifndef RPC_JUDGE_H
#define RPC_JUDGE_H

#include "wire/jsonrpc.h"

struct words; /* base/split.h */

/* A call that is over, kept to name a reply that comes after all. */
struct past_call {
	int32_t id;
	bool answered; /* false: time was over, or it was forgotten */
	int64_t ended_us;
	char *label; /* "METHOD SUBJECT"; owned */
	/* Of who passes calls on; NULL. whose: compared only. */
	const void *peer, *whose;
	char *asker_id; /* the asker's raw token; owned */
};
/* The last ones, made room for at the first; zeroed but for capacity. */
struct past_calls {
	struct past_call *item;
	size_t capacity, next;
};
/* Its place, to be filled: the oldest goes. */
struct past_call *past_add(struct past_calls *p, int32_t id, bool answered);
/* The newest of that id, since ids may wrap; NULL. */
struct past_call *past_find(const struct past_calls *p, int64_t id);
/* That peer, or asker, is no more. */
void past_forget(struct past_calls *p, const void *who);
void past_done(struct past_calls *p);

/* "call 7 (LABEL)" */
char *judge_call(int64_t id, const char *label);
/*
 * A reply to it came once more, or late: which, and when. call: as it is to be
 * named. It counts as answered from now on.
 */
char *judge_past(const char *call, struct past_call *p);
char *judge_unknown(int64_t id);
/* Its id is no number; m is kept (message_keep). */
char *judge_no_id(struct message *m);
/* What is odd about a reply that is taken for call m->number, each appended. */
void judge_shape(struct words *out, const struct message *m);
/* A frame that is no JSON, and seems to answer a call that is over. */
char *judge_broken(const struct error *problem, const char *call);
/* rpc/link's `odd`. */
char *judge_odd(const struct message *m, const char *why);
/* Where one is enough: over WebSocket. hellos: with this one. */
char *judge_hello(unsigned hellos);

/* The words of an error reply that is kept; NULL, lent. */
const char *judge_error_text(const struct message *m);

#endif
