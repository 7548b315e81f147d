/* SPDX-License-Identifier: MIT */
/*
 * Retry and circuit breaker of one run of the program: what the options say,
 * the breaker's state (in the state folder with --breaker, else in memory: it
 * matters inside shell and run), and the lines about tries for -v.
 *
 * Failures of all requests count, ping's excepted, which is never held up. A
 * row of them ends by a success of the same method, of tools/call, or of
 * something that says more than what failed: initialize says least, then
 * lists. So a model that is down is noticed although its server answers.
 */
#ifndef CLI_GUARDING_H
#define CLI_GUARDING_H

#include "mcp/guard.h"

struct app;
struct guarding;

/* For the app's target (app->endpoint is set up), kept by target until close;
   again is fine. -1 (ERR_USAGE): --breaker is none. */
int guarding_open(struct app *app, struct error *err);
/* Releases. A trial that is still out is given back. Nothing is open: fine. */
void guarding_close(struct app *app);

/* For app->client. */
const struct client_guard *guarding_guard(const struct guarding *g);

/*
 * Opening the target failed for the `tries`th time with why. ms to wait before
 * the next; -1: no more. Shown with -v. g NULL, here and below: nothing is to
 * be done.
 */
int64_t guarding_again(struct guarding *g, unsigned tries,
		       const struct error *why);
/* The breaker before opening: a target that is known to be down is not
   dialled. Again before the next try is fine. */
int guarding_admit(struct guarding *g, struct error *err);
/* Opening failed for good (how many tries there were is added to why), or
   worked (why NULL). */
void guarding_opened(struct guarding *g, struct error *why);

/* The user wants it tried anew: the breaker of the present target is closed. */
void guarding_reset(struct guarding *g);

#endif
