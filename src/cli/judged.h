/* SPDX-License-Identifier: MIT */
/*
 * The engine (diag/diag.h) at the open connection: its frames go in, findings
 * are told and kept in the file of --findings. Where serve stands between, serve
 * judges, and tells us.
 */
#ifndef CLI_JUDGED_H
#define CLI_JUDGED_H

#include "cli/connection.h"

/* For session_observer; owner is the connection. */
void judged_frame(void *owner, bool outgoing, enum frame_kind kind,
		  struct span frame, const struct json_places *at);
void judged_gave_up(void *owner, int32_t id);

/* Tell a finding that comes as an event. False: e is another one. */
bool judged_event(struct connection *c, const struct event *e);

/* A connection begins, or is over: what never came is found now. */
void judged_begin(struct connection *c);
void judged_end(struct connection *c);
/*
 * A command failed: what the code of its error stands for is in --findings,
 * too, once for each connection.
 */
void judged_error(struct connection *c, const struct error *err);
void judged_done(struct connection *c);

/* They go to the capture of --trace, too. The file of --findings, if there is one and it is not open yet. -1: err. */
int findings_open(struct app *app, struct error *err);
void findings_write(struct app *app, const struct finding *f,
		    const char *device);
/* One that is JSON already. */
void findings_write_line(struct app *app, const char *line, const char *device);
/* On which leg of a board, or of an MCP server, this target is. */
enum diag_leg judged_leg(const struct endpoint *to);

#endif
