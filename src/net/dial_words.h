/* SPDX-License-Identifier: MIT */
/*
 * What all transports that dial say alike: why a host was not found, why it
 * could not be connected to, which file of certificates is none. Dials nothing.
 */
#ifndef NET_DIAL_WORDS_H
#define NET_DIAL_WORDS_H

#include "base/error.h"

struct dial_place {
	const char *noun; /* in front of the host: "", "the broker " */
	const char *host;
	uint16_t port;
	int64_t timeout; /* ms, told where that was it; 0: not told */
	const char *unknown; /* the words for no errno at all */
};

/*
 * noun: "the host". reason: the resolver's words, "" if it has none; NULL: the
 * name server does not answer.
 */
void dial_fail_lookup(struct error *why, const char *noun, const char *host,
		      const char *reason);
/* error: an errno, also the code then. */
void dial_fail_connect(struct error *why, const struct dial_place *to,
		       int error);
/* The words alone; unknown if error is 0. */
const char *dial_words(int error, const char *unknown);

/* Whether OpenSSL's words mean that the other end speaks something else. */
bool dial_is_no_tls(const char *problem);
/* OpenSSL's words for a failed TLS handshake, or better ones. */
const char *dial_tls_words(const char *problem);
/* The next step after a failed TLS handshake; problem: what OpenSSL says of
 * it, or "it ended the handshake". Static. */
const char *dial_tls_hint(const char *problem);
/* -1 (ERR_USAGE): not readable, or no certificate in it. */
int dial_check_cacert(const char *path, struct error *err);

#endif
