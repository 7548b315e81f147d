/* SPDX-License-Identifier: MIT */
/*
 * The running serve as a command means it: which socket, and whether the
 * options fit; asked by net/control_client. For devices, kick, stop and --all.
 */
#ifndef CLI_SERVE_CLIENT_H
#define CLI_SERVE_CLIENT_H

#include "cli/app.h"
#include "net/control_client.h"

/*
 * Connect to the serve that app's options mean; opens the loop if needed. If
 * it is of another version, a note tells so. -1: as serve_target_path and
 * control_line_open; any: also where it speaks another protocol (for stop,
 * which every serve takes alike).
 */
int serve_client_open(struct control_line **out, struct app *app, bool any,
		      struct error *err);

/*
 * control_client_events.greeted, for an app: another version is told, once for
 * each serve, since a command may ask it several times.
 */
int serve_greeted(struct app *app, const struct greeting *g, struct error *err);

/* Until when an answer is waited for: --timeout, else 10 s (loop_now() ms). */
int64_t serve_deadline(const struct app *app);

/* One question on a line of its own: serve_client_open and control_line_ask. */
int serve_ask(struct app *app, const struct serve_question *q, int64_t deadline,
	      void (*each)(void *owner, struct control_answer *a), void *owner,
	      struct error *err);

/*
 * No target was given: if there is the socket of a serve, or one was named by
 * --socket, the target becomes attach: (app->found_serve). -1: that socket, or
 * its folder, cannot be trusted.
 */
int serve_target_find(struct app *app, struct error *err);

/* Error of "no target", or of -d without a serve, with the next steps. Always -1. */
int serve_target_none(const struct app *app, struct error *err);

/*
 * Opening the target failed with err: where it was found by a socket that
 * nobody answers, there is no target after all. Always -1.
 */
int serve_target_stale(struct app *app, struct error *err);

/*
 * What the options say about serve, or about which server at a broker, into e.
 * -1 (ERR_USAGE): -d, --all or --socket with a target of another kind. Those
 * from the environment count only where they fit.
 */
int serve_target_options(const struct app *app, struct endpoint *e,
			 struct error *err);

/*
 * The socket for a command that asks serve itself; yours. -1 (ERR_USAGE): a
 * target of another kind was given; or as control_path.
 */
int serve_target_path(const struct app *app, char **path, struct error *err);

/* -d as it was given, not by the environment; NULL. */
const char *serve_target_device(const struct app *app);

#endif
