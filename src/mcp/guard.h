/* SPDX-License-Identifier: MIT */
/*
 * Between a client and its peer: may a request be sent at all (a circuit
 * breaker), may a failed one be tried again (retry). The client asks, and
 * waits; what decides is behind these functions (cli/guards.c).
 */
#ifndef MCP_GUARD_H
#define MCP_GUARD_H

#include "base/error.h"

struct guard_ask {
	const char *method;
	const char *subject; /* the tool of tools/call; NULL */
	/* A tool marked idempotentHint or readOnlyHint; everything but a call
	   of a tool is repeatable as it is. */
	bool idempotent;
	bool known; /* the list came in which the tool would be marked */
};

struct client_guard {
	/* Before the first try. -1: err says why it is not sent. */
	int (*admit)(void *owner, const struct guard_ask *ask,
		     struct error *err);
	/*
	 * try number `tries` (from 1) failed with err. ms to wait before the
	 * next one; -1: that was the last.
	 */
	int64_t (*again)(void *owner, const struct guard_ask *ask,
			 unsigned tries, const struct error *err);
	/*
	 * After the last try: err NULL if it was good. Always after admit gave 0.
	 * May add to err how many tries there were.
	 */
	void (*settle)(void *owner, const struct guard_ask *ask,
		       struct error *err);
	void *owner;
};

#endif
