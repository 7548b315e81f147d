/* SPDX-License-Identifier: MIT */
/*
 * The inside of guarding, for its own files only: guarding.c (options, tries,
 * the client's guard, opening), guarding_breaker.c (the breaker of a target).
 */
#ifndef CLI_GUARDING_PRIVATE_H
#define CLI_GUARDING_PRIVATE_H

#include "cli/app.h"
#include "cli/guarding.h"
#include "cli/guarding_file.h"
#include "cli/guarding_option.h"
#include "mcp/retry.h"

#define OPENING_METHOD "initialize"

/* A target that was used in this run. */
struct guarded {
	char *key; /* without secrets */
	struct guarding_record record;
	struct guarding_file file;
	struct guarded *next;
};

struct guarding {
	struct app *app;
	struct client_guard guard;
	struct retry_policy policy;
	struct guarding_option option;
	struct guarded *all, *here;
	bool opening; /* admitted, and not over */
	bool trial; /* the one that is out is ours */
	bool spoilt; /* what stood in the file is none of ours */
	bool told; /* so */
	unsigned tries; /* of the present request or opening */
};

/* May it be sent to the present target? -1: its breaker is open. */
int guarding_breaker_admit(struct guarding *g, const char *method,
			   struct error *err);
/* How it ended; why NULL: good. */
void guarding_breaker_settle(struct guarding *g, const char *method,
			     const struct error *why);
/* A trial of ours that nothing came of. */
void guarding_breaker_release(struct guarding *g);

#endif
