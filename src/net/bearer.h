/* SPDX-License-Identifier: MIT */
/*
 * All that transports know of OAuth: who has the token that is sent with each
 * request, and who may get another one when a server refuses it (src/auth).
 */
#ifndef NET_BEARER_H
#define NET_BEARER_H

#include "base/error.h"

enum bearer_verdict {
	BEARER_AGAIN, /* send it again: there is another token */
	/*
	 * Nothing can be done: the refusal is told as it came. A hint of why
	 * stands in place of the usual one, if it has one.
	 */
	BEARER_AS_IS,
	BEARER_FAILED /* getting a token failed: why */
};
/* Once, from the loop; why is lent. */
typedef void bearer_done(void *arg, enum bearer_verdict verdict,
			 const struct error *why);

struct bearer_refusal { /* lent during the call */
	int status; /* 401, 403; 0: nothing was sent, since the token is over */
	const char
		*challenge; /* all of WWW-Authenticate, a comma between; NULL */
	const char *token; /* the one that was sent; NULL: none was */
	unsigned times; /* so often this request was refused before */
};

/* Lent by struct endpoint; lives longer than the transport. */
struct bearer {
	/* The token for a request that is sent now; lent; NULL: there is none. */
	const char *(*token)(void *owner);
	/* It is over, and another one can be had: ask (refused, status 0) first. */
	bool (*is_over)(void *owner);
	/* done comes, with arg, unless forget does before. */
	void (*refused)(void *owner, const struct bearer_refusal *r,
			bearer_done *done, void *arg);
	/* Nobody waits for done with that arg any more. */
	void (*forget)(void *owner, const void *arg);
	void *owner;
};

#endif
