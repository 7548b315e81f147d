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

/*
 * The circuit breaker of one target, and its file: small, replaced as a whole,
 * and not believed further than its numbers make sense. Decides nothing.
 */

struct guard_file {
	char *target; /* stands in the file; without secrets */
	struct breaker breaker;
	char *method; /* that failed last; NULL; owned, as why */
	char *why; /* in words */
	char *path; /* NULL: in memory only */
	char *lock_path; /* one for all targets */
	int lock; /* while it is begun; -1: another one keeps it for too long */
};

/* In memory, until it is kept. */
void guard_file_init(struct guard_file *f, const char *target);
void guard_file_done(struct guard_file *f);
/* From now on in the state folder, which is made. -1 as state_file. */
int guard_file_keep(struct guard_file *f, struct error *err);

/*
 * A change: begin reads what is there (the breaker's figures stay), locked
 * until end, which writes it if changed. A closed breaker without failures has
 * no file. begin -1 (ERR_USAGE): what is there is none of ours: it counts as
 * closed; end is called all the same. end -1 (ERR_OUTPUT): it was not written.
 */
int guard_file_begin(struct guard_file *f, struct error *err);
int guard_file_end(struct guard_file *f, bool changed, struct error *err);

#endif
