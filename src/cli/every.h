/* SPDX-License-Identifier: MIT */
/*
 * A session with each target that configuration files name, some at once; for
 * `targets --ping` and `tools --all-targets`. Only what can be dialled without
 * a question is: files that are trusted, names that count, entries that their
 * client uses.
 */
#ifndef CLI_EVERY_H
#define CLI_EVERY_H

#include "cli/app.h"
#include "cli/named.h"

struct connection;

struct every_order {
	/* Its session stands; in the order of the names. -1: it counts as failed. May be NULL. */
	int (*up)(void *owner, const char *name, struct connection *c,
		  struct error *err);
	/* How it went with it: once for each. took_us: until it was initialized. */
	void (*told)(void *owner, const char *name, int64_t took_us,
		     const struct error *failure);
	void *owner;
};

/* May it be dialled? */
bool every_dials(const struct named_entry *e);

/* A failure in one line; yours. */
char *every_why(const struct error *failure);

/*
 * Each of these names. 0: all answered, and did what was asked. -1:
 * ERR_UNMET, some did not (how many); ERR_INTERRUPTED.
 */
int every_run(struct app *app, const struct words *names,
	      const struct every_order *order, struct error *err);

#endif
