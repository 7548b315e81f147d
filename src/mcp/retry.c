/* SPDX-License-Identifier: MIT */
/*
 * The rules of trying again: which failures, which requests, how long between.
 * Waits for nothing.
 */
#include "mcp/retry.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "wire/jsonrpc.h"

/* An errno never meets an HTTP status: they end at 133. */
static bool is_passing_status(int code)
{
	return code == ECONNREFUSED || code == 429 || code == 502 ||
	       code == 503 || code == 504;
}

bool retry_may_pass(const struct error *why)
{
	switch (why->kind) {
	case ERR_CONNECT:
	case ERR_TIMEOUT:
		return is_passing_status(why->code);
	case ERR_PEER:
		return why->code == LLM_TIMEOUT || why->code == LLM_UNAVAILABLE;
	case ERR_NONE:
	case ERR_USAGE:
	case ERR_PROTOCOL:
	case ERR_AUTH:
	case ERR_UNMET:
	case ERR_OUTPUT:
	case ERR_INTERRUPTED:
		break;
	}
	return false;
}

bool retry_is_call(const char *method)
{
	return text_starts(method, "tools/") &&
	       strcmp(method, "tools/list") != 0;
}

bool retry_may_repeat(const struct retry_policy *p, const struct guard_ask *ask)
{
	return p->calls || ask->idempotent || !retry_is_call(ask->method);
}

/* Doubled each time. */
static int64_t backoff(unsigned tries, double random)
{
	int64_t wait = RETRY_LEAST_MS;

	for (unsigned i = 1; i < tries && wait < RETRY_MOST_MS; i++)
		wait *= 2;
	if (wait > RETRY_MOST_MS)
		wait = RETRY_MOST_MS;
	if (wait == RETRY_LEAST_MS)
		random = -random;
	return wait - (int64_t)((double)wait / 2 * random);
}

int64_t retry_wait(const struct retry_policy *p, const struct guard_ask *ask,
		   unsigned tries, const struct error *why, double random)
{
	if (tries >= p->tries || !retry_may_pass(why) ||
	    !retry_may_repeat(p, ask))
		return -1;
	if (why->retry_after > RETRY_ASKED_MOST_MS)
		return -1;
	if (why->retry_after > 0)
		return why->retry_after;
	return backoff(tries, random);
}
