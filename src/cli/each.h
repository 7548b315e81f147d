/* SPDX-License-Identifier: MIT */
/*
 * --all for what needs a session: one with each device of a running serve, or
 * with each server at a broker, at once. Whose results are shown stands in the renderer (whose); what failed is
 * a row, and counts, as with cli/all.
 */
#ifndef CLI_EACH_H
#define CLI_EACH_H

#include "cli/all.h"

struct connection;
struct event;

struct each_order {
	bool any_device; /* as in struct connection */
	bool tail; /* events go to `event`, audio too */
	/* Its session stands. May be NULL. -1: it counts as failed. */
	int (*up)(void *owner, struct connection *c, struct error *err);
	void (*event)(void *owner, const struct event *e);
	/*
	 * Behind `up`, and again after each turn of the loop: 1 it is over, and
	 * its row was shown; 0 not yet; -1 it failed. *state, NULL at first, is
	 * its own, until forget. May be NULL: then it is over at once.
	 */
	int (*step)(void *owner, struct connection *c,
		    struct all_device *device, void **state, struct error *err);
	/* Before its session is closed. */
	void (*forget)(void *owner, struct connection *c, void *state);
	/*
	 * Sessions stay until *stop, until deadline (loop_now() ms), or until
	 * all devices went. Else each is closed behind `up`.
	 */
	bool stay;
	const bool *stop;
	int64_t deadline;
	/* Who goes does not count, and who comes is watched too. */
	bool follow;
	void *owner;
};

/*
 * All devices that fit -d. -1: none is there, some failed (the kind with the
 * highest status), Ctrl-C.
 */
int each_run(struct app *app, const struct each_order *order,
	     struct error *err);

/* The same with those that are in a; its rows are not judged. */
int each_of(struct all *a, const struct each_order *order, struct error *err);

#endif
