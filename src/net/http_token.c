/* SPDX-License-Identifier: MIT */
/*
 * Tokens of OAuth at the transport's requests: sent with each, and what is
 * refused waits for another one. Gets none itself (net/bearer.h).
 */
#include "net/http_token.h"

#include <string.h>

#include "base/mem.h"
#include "base/secret_file.h"
#include "net/http_private.h"
#include "wire/challenge.h"

#define REFUSALS_MAX 5 /* of one message; who gives tokens stops before */

void http_token_add(struct http_exchange *x)
{
	const struct bearer *b = x->http->bearer;
	const char *token = b ? b->token(b->owner) : NULL;
	char *value;

	secret_free(TAKE(x->token));
	if (!token || !header_value_fits(token))
		return;
	x->token = mem_strdup(token);
	value = mem_printf("Bearer %s", token);
	headers_add(&x->transfer->headers, "Authorization", value);
	secret_free(value);
}

void http_token_done(struct http_exchange *x)
{
	secret_free(TAKE(x->token));
	mem_free(TAKE(x->hint));
}

static void unpark(struct http_exchange *x)
{
	const struct transport *t = x->http->transport;

	if (!x->parked)
		return;
	x->parked = false;
	if (--x->http->parked == 0 && t->events->held)
		t->events->held(t->owner, false);
}

void http_token_forget(struct http_exchange *x)
{
	const struct bearer *b = x->http->bearer;

	if (x->parked)
		b->forget(b->owner, x);
	unpark(x);
}

void http_token_told(struct http_exchange *x, enum bearer_verdict verdict,
		     const struct error *why)
{
	unpark(x);
	if (verdict == BEARER_AS_IS && *why->hint) {
		mem_free(x->hint);
		x->hint = mem_strdup(why->hint);
	}
}

/* challenge NULL: it was not sent. */
static void park(struct http_exchange *x, const char *challenge)
{
	const struct transport *t = x->http->transport;
	const struct bearer *b = x->http->bearer;
	const struct bearer_refusal r = {
		.status = x->transfer ? x->transfer->status : 0,
		.challenge = challenge,
		.token = x->token,
		.times = x->refusals,
	};

	x->parked = true;
	x->alarm = LOOP_FOREVER;
	if (x->http->parked++ == 0 && t->events->held)
		t->events->held(t->owner, true);
	b->refused(b->owner, &r, x->http->judged, x);
}

/* Asked once for each message, so that a token that is always over is sent. */
bool http_token_renewed(struct http_exchange *x)
{
	const struct bearer *b = x->http->bearer;
	bool first = !x->asked;

	x->asked = true;
	if (!b || !first || x->http->closing || !b->is_over(b->owner))
		return false;
	park(x, NULL);
	return true;
}

/* A 403 is final but for this. */
static bool wants_more(const char *field)
{
	struct challenge c;
	bool more;

	challenge_read(&c, field);
	more = c.error && strcmp(c.error, "insufficient_scope") == 0;
	challenge_done(&c);
	return more;
}

bool http_token_refused(struct http_exchange *x)
{
	CLEANUP(mem_free_ptr)
	char *field = headers_list(&x->transfer->answer, "WWW-Authenticate");
	int status = x->transfer->status;

	if (!x->http->bearer || x->http->closing || x->as_it_is ||
	    x->refusals >= REFUSALS_MAX ||
	    (status != 401 && !(status == 403 && wants_more(field))))
		return false;
	park(x, field);
	x->refusals++;
	return true;
}
