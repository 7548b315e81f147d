/* SPDX-License-Identifier: MIT */
/*
 * The open target: its session, and what exists while that is open.
 */
#ifndef CLI_CONNECTION_H
#define CLI_CONNECTION_H

#include "cli/app.h"

/* Open the target, wait until up, initialize. 0 at once if connected. */
int connection_open(struct app *app, struct error *err);
/* Close it; the next connection_open opens it anew. */
void connection_close(struct app *app);

/*
 * connection_open in steps, for a main line that waits for other things too (the
 * shell): begin, if there is no session; then poll after each turn of the
 * loop, and at client_poll_at. poll: 1 connected, 0 not yet; -1: why not, and
 * all is closed. connection_open goes on from where they are.
 */
int connection_begin(struct app *app, struct error *err);
int connection_poll(struct app *app, struct error *err);

/* Show the progress of a call under way. False: e is something else. */
bool connection_progress(struct app *app, const struct event *e);

/* render_aside, but for what a note has told already. */
void connection_aside(struct app *app, const struct event *e);

/* Close it, and forget what is known of targets. Before app_done. */
void connection_done(struct app *app);

#endif
