/* SPDX-License-Identifier: MIT */
/*
 * Asking the running serve itself (wire/control_frames.h), from the main line: send
 * a question, wait for the objects that answer it. For devices, kick, stop and
 * --all.
 */
#ifndef CLI_SERVE_CLIENT_H
#define CLI_SERVE_CLIENT_H

#include "cli/app.h"

struct serve_client;

/*
 * Connect to the serve that app's options mean; opens the loop if needed. If
 * it is of another version, a note tells so with the first answer. -1: as
 * serve_target_path and control_client_open.
 */
int serve_client_open(struct serve_client **out, struct app *app,
		      struct error *err);
/* Whatever protocol it speaks: for stop, which every serve takes alike. */
void serve_client_any(struct serve_client *c);
/* NULL is fine. */
void serve_client_free(struct serve_client *c);

/* One object as serve sent it. */
struct serve_answer {
	cJSON *json;
	const char *op; /* borrowed from it; "" if it has none */
	char *text; /* its bytes; owned */
	size_t len;
};
void serve_answer_done(struct serve_answer *a);
/* The bytes of a member; empty if it is absent or null. */
struct span serve_answer_member(const struct serve_answer *a, const char *name);

/* Send a JSON object; it is not waited for. */
int serve_client_send(struct serve_client *c, const struct buf *json,
		      struct error *err);

/*
 * The next object, yours, waited for until deadline (loop_now() ms). -1:
 * ERR_TIMEOUT; ERR_INTERRUPTED; what an `error` object says; why the
 * connection ended. *out is zeroed then.
 */
int serve_client_next(struct serve_client *c, int64_t deadline,
		      struct serve_answer *out, struct error *err);

/* Send, and the next object, within the configured time (10 s). */
int serve_client_ask(struct serve_client *c, const struct buf *json,
		     struct serve_answer *out, struct error *err);

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
