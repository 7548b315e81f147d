/* SPDX-License-Identifier: MIT */
/*
 * When a request may be tried again, and after how long. Pure: no clock, no
 * waiting.
 */
#ifndef MCP_RETRY_H
#define MCP_RETRY_H

#include "mcp/guard.h"

struct retry_policy {
	unsigned tries; /* in all; 0 counts as 1 */
	bool calls; /* also tools that are not marked as idempotent */
};

#define RETRY_LEAST_MS 1000
#define RETRY_MOST_MS 10000
#define RETRY_ASKED_MOST_MS 60000 /* who asks for more is not tried again */

/* Failed for a reason that may pass: refused, 429, 502, 503, 504, -32000, -32001. */
bool retry_may_pass(const struct error *why);
/* tools/call, or a tool's own method, as the LLM service has them: tools/NAME. */
bool retry_is_call(const char *method);
/* Whether policy and mark let this request be sent twice at all. */
bool retry_may_repeat(const struct retry_policy *p,
		      const struct guard_ask *ask);
/*
 * ms before the next try, or -1: try number `tries` was the last, the reason
 * will not pass, it is not to be repeated, or the peer asked for a longer wait
 * than is worth it. 1 s, 2 s, 4 s, … at most 10 s, with jitter: random (0 to
 * 1) of half of it is taken away, or added to the first 1 s; what the peer
 * asked for (why->retry_after) counts instead, without jitter.
 */
int64_t retry_wait(const struct retry_policy *p, const struct guard_ask *ask,
		   unsigned tries, const struct error *why, double random);

#endif
