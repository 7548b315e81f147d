/* SPDX-License-Identifier: MIT */
/*
 * A circuit breaker: after `limit` calls in a row that failed it is open, and
 * calls fail at once; after `pause_ms` one trial call is let through, which
 * closes it or opens it again. Pure: the clock is an argument (unix ms, since
 * its state may be kept in a file).
 */
#ifndef MCP_BREAKER_H
#define MCP_BREAKER_H

#include "base/error.h"

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

#endif
