/* SPDX-License-Identifier: MIT */
/*
 * What waits shows that it waits: on a terminal a line that is rewritten each
 * second, and gone before anything else is printed. Nothing elsewhere.
 */
#ifndef CLI_CALL_CLOCK_H
#define CLI_CALL_CLOCK_H

#include "base/base.h"

struct connection;
struct call_clock;

/* NULL is fine below; lent, and its app's loop must outlive the clock by the
   turns in which loop_free closes what is open. */
struct call_clock *call_clock_new(struct connection *connection);
void call_clock_free(struct call_clock *c);

/* An answer is waited for: "waiting for WHAT: 3 s", from the first second on.
   Silent while progress is shown, or a question is asked. */
void call_clock_start(struct call_clock *c, const char *what);

/* "TEXT; again in 3 s", at once: the time that is really left of ms; then
   "TEXT; trying again". */
void call_clock_pause(struct call_clock *c, const char *text, int64_t ms);

/* The line goes. Again is fine. */
void call_clock_stop(struct call_clock *c);

#endif
