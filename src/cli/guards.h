/* SPDX-License-Identifier: MIT */
/*
 * Retry and circuit breaker of one run of the program: what the options say,
 * the breaker's state (in the state folder with --breaker, else in memory: it
 * matters inside shell and run), and the lines about tries for -v.
 */
#ifndef CLI_GUARDS_H
#define CLI_GUARDS_H

#include "base/error.h"
#include "mcp/guard.h"

struct connection;
struct guards;

/* For the target (c->endpoint is set up), kept by target until close;
   again is fine. -1 (ERR_USAGE): --breaker is none. */
int guards_open(struct connection *c, struct error *err);
/* Releases. A trial that is still out is given back. Nothing is open: fine. */
void guards_close(struct connection *c);

/* For c->client. */
const struct client_guard *guards_guard(const struct guards *g);

/*
 * Opening the target failed for the `tries`th time with why. ms to wait before
 * the next; -1: no more. Shown with -v. g NULL, here and below: nothing is to
 * be done.
 */
int64_t guards_again(struct guards *g, unsigned tries, const struct error *why);
/* The breaker before opening: a target that is known to be down is not
   dialled. Again before the next try is fine. */
int guards_admit(struct guards *g, struct error *err);
/* Opening failed for good (how many tries there were is added to why), or
   worked (why NULL). */
void guards_opened(struct guards *g, struct error *why);

/* The user wants it tried anew: the breaker of the present target is closed. */
void guards_reset(struct guards *g);

struct guards_option {
	bool on;
	bool lasts; /* in the state folder */
	int64_t limit, pause_ms; /* 0: the breaker's own */
};

/* text NULL: the option was not given. "", "on", "off", "N" or "N,DURATION". -1 (ERR_USAGE). */
int guards_option_parse(struct guards_option *out, const char *text,
			struct error *err);

#endif
