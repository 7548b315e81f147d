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
#ifndef CLI_GUARDS_H
#define CLI_GUARDS_H

#include "base/error.h"
#include "mcp/guard.h"

struct app;
struct guards;

/* For the app's target (app->endpoint is set up), kept by target until close;
   again is fine. -1 (ERR_USAGE): --breaker is none. */
int guards_open(struct app *app, struct error *err);
/* Releases. A trial that is still out is given back. Nothing is open: fine. */
void guards_close(struct app *app);

/* For app->client. */
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

/* What is known of one target. */
struct guards_record {
	struct breaker breaker;
	char *method; /* that failed last; NULL; owned, as why */
	char *why; /* in words */
};
void guards_record_done(struct guards_record *r);

struct guards_file {
	char *path; /* NULL: closed */
	char *lock_path; /* one for all targets */
	char *target; /* stands in the file; without secrets */
	int lock; /* while it is begun; -1: another one keeps it for too long */
};

/* Names the file and makes its folder. -1 as state_file. */
int guards_file_open(struct guards_file *out, const char *target,
		     struct error *err);
void guards_file_close(struct guards_file *f);

/*
 * A change: begin reads what is there into r (the breaker's figures stay),
 * locked until end, which writes r (NULL: nothing changed). A closed breaker
 * without failures has no file. begin -1 (ERR_USAGE): what is there is none of ours: r is closed;
 * end is called all the same. end -1 (ERR_OUTPUT): it was not written.
 */
int guards_file_begin(struct guards_file *f, struct guards_record *r,
		      struct error *err);
int guards_file_end(struct guards_file *f, const struct guards_record *r,
		    struct error *err);

struct guards_option {
	bool on;
	bool lasts; /* in the state folder */
	int64_t limit, pause_ms; /* 0: the breaker's own */
};

/* text NULL: the option was not given. "", "on", "off", "N" or "N,DURATION". -1 (ERR_USAGE). */
int guards_option_parse(struct guards_option *out, const char *text,
			struct error *err);

#endif
