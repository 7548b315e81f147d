/* SPDX-License-Identifier: MIT */
/*
 * The inside of guarding, for its own files only: guards.c (options, tries,
 * the client's guard, opening), guards_breaker.c (the breaker of a target).
 */
#ifndef CLI_GUARDS_PRIVATE_H
#define CLI_GUARDS_PRIVATE_H

#include "cli/app.h"
#include "cli/guards.h"
#include "cli/guards_file.h"
#include "cli/guards_option.h"
#include "mcp/retry.h"

#define OPENING_METHOD "initialize"

/* A target that was used in this run. */
struct guarded {
	char *key; /* without secrets */
	struct guards_record record;
	struct guards_file file;
	struct guarded *next;
};

struct guards {
	struct app *app;
	struct client_guard guard;
	struct retry_policy policy;
	struct guards_option option;
	struct guarded *all, *here;
	bool opening; /* admitted, and not over */
	bool trial; /* the one that is out is ours */
	bool spoilt; /* what stood in the file is none of ours */
	bool told; /* so */
	unsigned tries; /* of the present request or opening */
};

/* May it be sent to the present target? -1: its breaker is open. */
int guards_breaker_admit(struct guards *g, const char *method,
			 struct error *err);
/* How it ended; why NULL: good. */
void guards_breaker_settle(struct guards *g, const char *method,
			   const struct error *why);
/* A trial of ours that nothing came of. */
void guards_breaker_release(struct guards *g);

#endif
