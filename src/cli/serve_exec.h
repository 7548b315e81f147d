/* SPDX-License-Identifier: MIT */
/*
 * The commands of --exec: their environment, how many at once, how they ended.
 * Each has a process group of its own, so that what its shell started ends with
 * it; Ctrl-C ends serve, and serve ends them.
 */
#ifndef CLI_SERVE_EXEC_H
#define CLI_SERVE_EXEC_H

#include "base/loop.h"
#include "base/split.h"
#include "mcp/name_set.h"

struct serve;
struct command_of;

struct serve_exec {
	struct loop *loop;
	struct serve *server;
	const char *command; /* for sh -c; NULL: nothing is run */
	struct command_of *first; /* running */
	size_t running;
	bool idle; /* none is running: for loop_wait */
	uint64_t started, ended; /* one that could not be started ended, too */
	int worst, first_status; /* of those that ended */
	struct words queue; /* ready devices that have to wait */
	struct name_set places; /* theirs in it, since it was empty */
	size_t taken; /* of the queue: their turn came */
	char *leased; /* the last that was ready, and left out for a lease; NULL */
};

void serve_exec_init(struct serve_exec *x, struct loop *l, struct serve *s,
		     const char *command);
/*
 * The device is ready: its command is started in its turn (serve_exec_more).
 * Nothing if one is running for it, or waits.
 */
void serve_exec_device(struct serve_exec *x, const char *id);
/*
 * Start those whose turn it is, as far as there is room. One that cannot be
 * started is told, and counts as ended with status 3.
 */
void serve_exec_more(struct serve_exec *x);
/* End all that run: SIGTERM, two seconds later SIGKILL. Waits for them. */
void serve_exec_stop(struct serve_exec *x);

#endif
