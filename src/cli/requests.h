/* SPDX-License-Identifier: MIT */
/*
 * What a server asks its client: elicitation/create, sampling/createMessage,
 * roots/list. Answered as --elicit, --sampling and --root say; what is not
 * answered is not declared. Without --elicit whoever sits at a terminal is
 * asked (prompt_obstacle), and else nobody. A question that a person or a command answers is
 * under way beside everything else.
 */
#ifndef CLI_REQUESTS_H
#define CLI_REQUESTS_H

#include "cli/connection.h"
#include "mcp/client.h"

struct requests;

/* From the options; reads and checks the files. -1 (ERR_USAGE). */
int requests_open(struct connection *c, struct error *err);
/* Stops what is under way; cancels it while the session is open. NULL is fine. */
void requests_close(struct connection *c);

/* What to declare. */
struct client_answers requests_declares(const struct requests *a);

/*
 * Behind what says that a tool is missing: that the server may hide it, and the
 * options that offer what was not declared to it. Nothing where that cannot be:
 * devices, a client without initialize, all was declared.
 */
void requests_hidden(const struct connection *c, struct buf *out);

/* For client.asker: what comes in the rounds of a request. NULL: of none. Lent. */
const struct client_asker *requests_asker(struct requests *a);

/* For session_observer.request. */
bool requests_request(struct requests *a, const struct event *e);

/* notifications/elicitation/complete, notifications/cancelled, and the like: before the event is shown. */
void requests_event(struct requests *a, const struct event *e);

/*
 * For a main line that lends the terminal to an editor: while it is lent,
 * questions for a person wait; those that wait are asked when it is given
 * back. NULL is fine, here and below.
 */
void requests_lend(struct requests *a, bool lent);
/* A question for a person waits, or is being asked. */
bool requests_asks(const struct requests *a);
/* e is a request that was refused, and a note has said so. */
bool requests_told(const struct requests *a, const struct event *e);

#endif
