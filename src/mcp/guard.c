/* SPDX-License-Identifier: MIT */
/*
 * When is a call tried again, and when not made at all? Rules; they wait for
 * nothing and send nothing.
 */
#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "mcp/guard.h"
#include "wire/jsonrpc.h"
#include "wire/llm.h"

/*
 * The rules of trying again: which failures, which requests, how long between.
 * Waits for nothing.
 */

/* An errno never meets an HTTP status: they end at 133. */
static bool is_passing_status(int code)
{
	return code == ECONNREFUSED || code == 429 || code == 502 ||
	       code == 503 || code == 504;
}

bool retry_may_pass(const struct error *why, const struct guard_ask *ask)
{
	switch (why->kind) {
	case ERR_CONNECT:
	case ERR_TIMEOUT:
		return is_passing_status(why->code);
	case ERR_PEER:
		return llm_is_code(why->code) &&
		       (ask->names_passing || why->retry_after > 0);
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
	if (tries >= p->tries || !retry_may_pass(why, ask) ||
	    !retry_may_repeat(p, ask))
		return -1;
	if (why->retry_after > RETRY_ASKED_MOST_MS)
		return -1;
	if (why->retry_after > 0)
		return why->retry_after;
	return backoff(tries, random);
}

/*
 * The three states of a circuit breaker. Keeps nothing and sends nothing.
 */

static int64_t pause_of(const struct breaker *b)
{
	return b->pause_ms > 0 ? b->pause_ms : BREAKER_PAUSE_MS;
}

static int64_t limit_of(const struct breaker *b)
{
	return b->limit > 0 ? b->limit : BREAKER_FAILURES;
}

/* A clock that was set back must not keep it open for longer than a pause. */
static int64_t left_since(const struct breaker *b, int64_t since, int64_t now)
{
	if (since <= 0 || since > now || now - since >= pause_of(b))
		return 0;
	return pause_of(b) - (now - since);
}

int64_t breaker_left(const struct breaker *b, int64_t now)
{
	int64_t left = left_since(b, b->opened_at, now);

	if (b->opened_at <= 0)
		return 0;
	return left > 0 ? left : left_since(b, b->trial_at, now);
}

enum breaker_state breaker_state(const struct breaker *b, int64_t now)
{
	if (b->opened_at <= 0)
		return BREAKER_CLOSED;
	return breaker_left(b, now) > 0 ? BREAKER_OPEN : BREAKER_HALF_OPEN;
}

int breaker_admit(struct breaker *b, int64_t now, struct error *err)
{
	int64_t left = breaker_left(b, now);
	char text[32];

	if (breaker_state(b, now) == BREAKER_HALF_OPEN)
		b->trial_at = now;
	if (left == 0)
		return 0;
	text_milliseconds(left, text, sizeof(text));
	error_set(
		err, ERR_CONNECT,
		"not sent: the circuit breaker is open for %s more, since %lld call%s in a row failed",
		text, (long long)b->failures, b->failures == 1 ? "" : "s");
	if (left_since(b, b->opened_at, now) == 0)
		error_set(
			err, ERR_CONNECT,
			"not sent: the circuit breaker is open, and another trial call is under way (for at most %s more)",
			text);
	return error_retry_after(err, left);
}

enum breaker_verdict breaker_judge(const struct error *why)
{
	if (!why)
		return BREAKER_GOOD;
	switch (why->kind) {
	case ERR_CONNECT:
		if (why->code == SERVE_NOT_SENT)
			break;
		/* 4xx: somebody is there, and answers. */
		return why->code >= 400 && why->code < 500 ? BREAKER_GOOD :
							     BREAKER_BAD;
	case ERR_TIMEOUT:
		return BREAKER_BAD;
	case ERR_PEER:
		return llm_is_code(why->code) ? BREAKER_BAD : BREAKER_GOOD;
	case ERR_NONE:
	case ERR_PROTOCOL:
	case ERR_AUTH:
		return BREAKER_GOOD;
	case ERR_USAGE:
	case ERR_UNMET:
	case ERR_OUTPUT:
	case ERR_INTERRUPTED:
		break;
	}
	return BREAKER_SILENT;
}

void breaker_settle(struct breaker *b, const struct error *why, int64_t now)
{
	switch (breaker_judge(why)) {
	case BREAKER_GOOD:
		breaker_close(b);
		break;
	case BREAKER_BAD:
		b->trial_at = 0;
		if (b->failures < INT64_MAX)
			b->failures++;
		if (b->opened_at > 0 || b->failures >= limit_of(b))
			b->opened_at = now;
		break;
	case BREAKER_SILENT:
		breaker_release(b);
		break;
	}
}

void breaker_release(struct breaker *b)
{
	b->trial_at = 0;
}

void breaker_close(struct breaker *b)
{
	b->failures = b->opened_at = b->trial_at = 0;
}

/* How much a success of it tells. */
static int weight_of(const char *method)
{
	static const char *const small[] = { "tools/list",
					     "resources/list",
					     "resources/templates/list",
					     "prompts/list",
					     "ping",
					     "logging/setLevel",
					     "completion/complete" };

	if (strcmp(method, "initialize") == 0)
		return 0;
	for (size_t i = 0; i < COUNT(small); i++) {
		if (strcmp(method, small[i]) == 0)
			return 1;
	}
	return retry_is_call(method) ? 3 : 2;
}

bool guard_is_free(const char *method)
{
	return strcmp(method, "ping") == 0;
}

bool guard_ends_row(const char *method, const char *failed)
{
	return !failed || weight_of(method) >= weight_of(failed);
}

bool guard_is_apart(const char *method, const char *failed)
{
	return strcmp(method, "initialize") != 0 &&
	       !guard_ends_row(method, failed);
}
