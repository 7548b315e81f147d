/* SPDX-License-Identifier: MIT */
/*
 * What a server asks its client: elicitation/create, sampling/createMessage,
 * roots/list. Answered as --elicit, --sampling and --root say; what is not
 * answered is not declared. A question that a person or a command answers is
 * under way beside everything else.
 */
#ifndef CLI_ANSWERING_H
#define CLI_ANSWERING_H

#include "mcp/client.h"

struct app;
struct answering;

/* From the options; reads and checks the files. -1 (ERR_USAGE). */
int answering_open(struct app *app, struct error *err);
/* Stops what is under way; cancels it while the session is open. NULL is fine. */
void answering_close(struct app *app);

/* What to declare. */
struct client_answers answering_declares(const struct answering *a);

/* For session_observer.request. */
bool answering_request(struct answering *a, const struct event *e);

/* notifications/elicitation/complete, notifications/cancelled, and the like: before the event is shown. */
void answering_event(struct answering *a, const struct event *e);

/*
 * For a main line that lends the terminal to an editor: while it is lent,
 * questions for a person wait; those that wait are asked when it is given
 * back. NULL is fine, here and below.
 */
void answering_lend(struct answering *a, bool lent);
/* A question for a person waits, or is being asked. */
bool answering_asks(const struct answering *a);
/* e is a request that was refused, and a note has said so. */
bool answering_told(const struct answering *a, const struct event *e);

#endif
