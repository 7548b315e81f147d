/* SPDX-License-Identifier: MIT */
/*
 * What comes from the session of an app, handed to who shows or answers it.
 */
#ifndef CLI_APP_EVENTS_H
#define CLI_APP_EVENTS_H

#include "cli/app.h"

/* The functions of session_observer; owner is the app. */
void app_on_event(void *owner, const struct event *e);
void app_on_trace(void *owner, const struct trace *t);
bool app_on_request(void *owner, const struct event *e);

/* Show the progress of a call under way. False: e is something else. */
bool app_progress(struct app *app, const struct event *e);

/* render_aside, but for what a note has told already. */
void app_aside(struct app *app, const struct event *e);

#endif
