/* SPDX-License-Identifier: MIT */
/*
 * The three states of a circuit breaker. Keeps nothing and sends nothing.
 */
#include "mcp/breaker.h"

#include "base/text.h"
#include "wire/jsonrpc.h"

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
	error_set(err, ERR_CONNECT,
		  "not sent: the circuit breaker is open for %s more, since "
		  "%lld call%s in a row failed",
		  text, (long long)b->failures, b->failures == 1 ? "" : "s");
	if (left_since(b, b->opened_at, now) == 0)
		error_set(err, ERR_CONNECT,
			  "not sent: the circuit breaker is open, and another "
			  "trial call is under way (for at most %s more)",
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
		return why->code == LLM_TIMEOUT ||
				       why->code == LLM_UNAVAILABLE ?
			       BREAKER_BAD :
			       BREAKER_GOOD;
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
