/* SPDX-License-Identifier: MIT */
/*
 * Between a client and its peer: may a request be sent at all (a circuit
 * breaker), may a failed one be tried again (retry). The client asks, and
 * waits; what decides is behind these functions (cli/guards.c), by the rules below.
 */
#ifndef MCP_GUARD_H
#define MCP_GUARD_H

#include "base/error.h"

struct guard_ask {
	const char *method;
	const char *subject; /* the tool of tools/call; NULL */
	/* A tool marked idempotentHint or readOnlyHint; everything but a call
	   of a tool is repeatable as it is. */
	bool idempotent;
	/* The server is known to mean by -32000 and -32001 that it may pass. */
	bool names_passing;
	bool known; /* the list came in which the tool would be marked */
};

struct client_guard {
	/* Before the first try. -1: err says why it is not sent. */
	int (*admit)(void *owner, const struct guard_ask *ask,
		     struct error *err);
	/*
	 * try number `tries` (from 1) failed with err. ms to wait before the
	 * next one; -1: that was the last.
	 */
	int64_t (*again)(void *owner, const struct guard_ask *ask,
			 unsigned tries, const struct error *err);
	/*
	 * After the last try: err NULL if it was good. Always after admit gave 0.
	 * May add to err how many tries there were.
	 */
	void (*settle)(void *owner, const struct guard_ask *ask,
		       struct error *err);
	void *owner;
};

#define BREAKER_FAILURES 5
#define BREAKER_PAUSE_MS 60000

enum breaker_state { BREAKER_CLOSED, BREAKER_OPEN, BREAKER_HALF_OPEN };

struct breaker { /* zeroed: closed, with the figures above */
	int64_t limit; /* failures that open it; 0: BREAKER_FAILURES */
	int64_t pause_ms; /* 0: BREAKER_PAUSE_MS */
	int64_t failures; /* in a row */
	int64_t opened_at; /* 0: closed */
	int64_t trial_at; /* when the trial call was let through; 0: none is out */
};

/* Open also while a trial is out, for as long as the pause: it may be lost. */
enum breaker_state breaker_state(const struct breaker *b, int64_t now);
/* ms until it lets a trial through; 0: it is not open. */
int64_t breaker_left(const struct breaker *b, int64_t now);
/* May a call be sent? Where it is half open, this one is the trial. -1
   (ERR_CONNECT, without a code): open; how long it stays so. */
int breaker_admit(struct breaker *b, int64_t now, struct error *err);
/* How an admitted call ended, after all its tries; why NULL: good. Only
   connection, time-out, 5xx, -32000 and -32001 count as failures; any other
   answer is one, and closes it. An interruption is neither, nor is what was
   never sent. */
void breaker_settle(struct breaker *b, const struct error *why, int64_t now);
/* The trial ended without telling anything: another one may go. */
void breaker_release(struct breaker *b);
/* As a fresh one, with its figures. */
void breaker_close(struct breaker *b);

/* What an outcome says of the peer. */
enum breaker_verdict { BREAKER_GOOD, BREAKER_BAD, BREAKER_SILENT };
enum breaker_verdict breaker_judge(const struct error *why);

/* Never held up, and proves nothing: ping, by which anybody asks who is there. */
bool guard_is_free(const char *method);
/*
 * A row of failures, of which `failed` (NULL: unknown) was the last: does a
 * success of method end it? One of the same, of a call, or of what says more:
 * initialize says least, then lists. So a model that is down is noticed
 * although its server answers.
 */
bool guard_ends_row(const char *method, const char *failed);
/* Does method go on although its breaker is open? A server that reads well
   although its tools fail goes on reading. */
bool guard_is_apart(const char *method, const char *failed);

struct retry_policy {
	unsigned tries; /* in all; 0 counts as 1 */
	bool calls; /* also tools that are not marked as idempotent */
};

#define RETRY_LEAST_MS 1000
#define RETRY_MOST_MS 10000
#define RETRY_ASKED_MOST_MS 60000 /* who asks for more is not tried again */

/* Failed for a reason that may pass: refused, 429, 502, 503, 504; -32000 and
   -32001, which mean anything in general, from a server that is known to mean
   it, or where it says when to come again. */
bool retry_may_pass(const struct error *why, const struct guard_ask *ask);
/* tools/call, or a tool's own method, as the LLM service has them: tools/NAME. */
bool retry_is_call(const char *method);
/* Whether policy and mark let this request be sent twice at all. */
bool retry_may_repeat(const struct retry_policy *p,
		      const struct guard_ask *ask);
/*
 * ms before the next try, or -1: try number `tries` was the last, the reason
 * will not pass, it is not to be repeated, or the peer asked for a longer wait
 * than is worth it. 1 s, 2 s, 4 s, … at most 10 s, with jitter: random (0 to
 * 1) of half of it is taken away, or added to the first 1 s; what the peer
 * asked for (why->retry_after) counts instead, without jitter.
 */
int64_t retry_wait(const struct retry_policy *p, const struct guard_ask *ask,
		   unsigned tries, const struct error *why, double random);

#endif
