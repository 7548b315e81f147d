/* SPDX-License-Identifier: MIT */
/*
 * A running serve as the target: found by its socket where no target is
 * given; the options that only go with it.
 */
#ifndef CLI_SERVE_TARGET_H
#define CLI_SERVE_TARGET_H

#include "cli/app.h"

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
 * What the options say about serve, into e. -1 (ERR_USAGE): -d, --all or
 * --socket with a target of another kind. Those from the environment count
 * only where they fit.
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
