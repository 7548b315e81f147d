/* SPDX-License-Identifier: MIT */
/*
 * The one event loop (libuv). It owns sockets, timers, signals, children. It
 * knows nothing of MCP. One function runs it: loop_wait, from the main line,
 * never from inside a callback (but one of loop_new_aside).
 */
#ifndef BASE_LOOP_H
#define BASE_LOOP_H

#include <uv.h>

#include "base/error.h"

struct loop;

/* SIGPIPE is ignored from here on; SIGINT, SIGTERM and SIGHUP (unless it was
 * ignored) end loop_wait.
 * A second SIGINT before the first was reported kills the program. */
int loop_new(struct loop **out, struct error *err);

/*
 * One more, that watches no signal: what comes is the first one's. For a short
 * wait of its own, also where the first one runs.
 */
int loop_new_aside(struct loop **out, struct error *err);

/*
 * Where the user stays (the shell): a second SIGINT does not kill, however
 * many come. False: as before.
 */
void loop_spare(struct loop *l, bool spare);

/*
 * Runs what is left (close callbacks), at most one second, then releases.
 * NULL is fine.
 */
void loop_free(struct loop *l);

/*
 * From now on SIGHUP calls fn from the loop, instead of ending loop_wait. -1
 * (ERR_CONNECT): it cannot be watched. Once for a loop.
 */
int loop_on_hangup(struct loop *l, void (*fn)(void *owner), void *owner,
		   struct error *err);

/*
 * From now on loop_wait ends, as by SIGPIPE, when nobody reads fd any more. Of a
 * pipe alone, which has a further writer until loop_free; else, and the second
 * time, nothing.
 */
void loop_end_unread(struct loop *l, int fd);

uv_loop_t *loop_uv(struct loop *l);

/* Milliseconds and microseconds of the monotonic clock, read anew. */
int64_t loop_now(void);
int64_t loop_now_us(void);
/* Milliseconds of the wall clock, since 1970. */
int64_t unix_now_ms(void);

/*
 * For how long in all, in microseconds, this loop could not turn although it
 * should: the process was stopped, had no processor, or was at something long.
 * Asked again later, the difference says how much of the time between was lost
 * by ourselves; a time that was not watched, since nobody had asked for half a
 * minute, counts as lost. Watching is a wake-up each 50 ms. From the loop only.
 */
int64_t loop_delay_us(struct loop *l);

#define LOOP_FOREVER INT64_MAX

/*
 * Run until *done is true, or loop_now() reaches deadline, or a signal came.
 * 0: done. -1: ERR_TIMEOUT ("time over"), or ERR_INTERRUPTED with code the
 * signal's number (SIGPIPE: loop_end_unread). A signal that came before the
 * call counts too. Once reported it is forgotten, so that the shell can go on.
 */
int loop_wait(struct loop *l, const bool *done, int64_t deadline,
	      struct error *err);
/* The same, but the end of the time is no error. done NULL: never. */
int loop_stay(struct loop *l, const bool *done, int64_t deadline,
	      struct error *err);

/*
 * Run until *done is true, or deadline, for what closes soon: a signal is left
 * for whoever waits next.
 */
void loop_drain(struct loop *l, const bool *done, int64_t deadline);

/* Run what is ready, without waiting. */
void loop_poll(struct loop *l);

/*
 * A one-shot timer. Zeroed at first; timer_close gives it back, ending in
 * closed (may be NULL), called by the loop. A timer that is not open is left
 * alone by timer_stop and timer_close: closed is not called then.
 */
struct timer {
	uv_timer_t uv;
	void (*fn)(void *owner);
	void (*closed)(void *owner);
	void *owner;
	struct timer *next, *previous; /* among those that are due */
	bool open, due;
};
void timer_open(struct timer *t, struct loop *l, void (*fn)(void *owner),
		void *owner);
/* Again restarts it; 0 fires in the next turn, when sockets had theirs. Nothing once it is closed. */
void timer_start(struct timer *t, int64_t ms);
void timer_stop(struct timer *t);
void timer_close(struct timer *t, void (*closed)(void *owner));

#endif
