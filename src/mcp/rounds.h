/* SPDX-License-Identifier: MIT */
/*
 * A request in several rounds: the server answers with questions, and gets the
 * request again with the answers (modern.md 8). What is asked, what is known so
 * far, the params of the next round. Sends and asks nothing.
 */
#ifndef MCP_ROUNDS_H
#define MCP_ROUNDS_H

#include "base/json.h"
#include "mcp/name_set.h"
#include "wire/jsonrpc.h"

#define ROUNDS_MAX 16 /* of one request */
#define ROUND_ASKS_MAX 64 /* questions of one round */

/* A question; all texts are its own. */
struct round_ask {
	char *key;
	char *method; /* "elicitation/create", … */
	char *params; /* JSON text; NULL */
	bool done;
	char *result; /* JSON text; NULL: it was not answered, see refused */
	char *refused; /* why not, in words */
	struct rounds *of;
};

struct rounds {
	unsigned count; /* rounds so far */
	char *state; /* requestState as it came, a JSON string; NULL: none */
	struct round_ask *ask;
	size_t asks;
	bool answered; /* all of them are done */
};
void rounds_done(struct rounds *r);

/*
 * What that result, which asks (modern_judge), wants: takes the place of the
 * round before. -1 (ERR_PROTOCOL): it is none, or there were too many.
 */
int rounds_take(struct rounds *r, const struct message *reply,
		struct error *err);

/*
 * The same of a task (mcp/tasks.h), whose questions stand there until it goes
 * on: those with keys that are not known yet, which are from now on.
 */
int rounds_take_new(struct rounds *r, const cJSON *requests,
		    struct name_set *known, struct error *err);

/* An answer: a result as JSON text, or why there is none. */
void round_answer(struct round_ask *ask, const char *result);
void round_refuse(struct round_ask *ask, const char *why);

/* The first that was refused; NULL. */
const struct round_ask *rounds_refused(const struct rounds *r);

/* params (JSON text of an object) of the next round. */
void rounds_params(struct buf *out, const char *params, const struct rounds *r);

/* These params bring answers of the user's own: what comes is the user's. */
bool rounds_are_users(const char *params);

#endif
