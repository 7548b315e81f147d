/* SPDX-License-Identifier: MIT */
/*
 * What OAuth has to be signed and hashed, by OpenSSL. A loaded part: take its
 * table with module_table("auth", AUTH_TABLE, err), when it is needed.
 */
#ifndef AUTH_CRYPT_H
#define AUTH_CRYPT_H

#include "base/error.h"

#define AUTH_TABLE "auth_table"

struct assertion { /* lent */
	const char *client_id; /* iss and sub */
	const char *audience; /* aud: the issuer */
	const char *key; /* PEM, PKCS#8 as a rule; without a passphrase */
	size_t key_len;
	int64_t now; /* s since 1970 */
};
#define ASSERTION_LIFE_S 240

struct auth_table {
	/* base64url(SHA-256(verifier)), RFC 7636, 4.2; yours. NULL: err. */
	char *(*challenge)(const char *verifier, struct error *err);
	/* len random bytes as base64url; yours. NULL: err. */
	char *(*nonce)(size_t len, struct error *err);
	/*
	 * A signed assertion (RFC 7523, 3): ES256 of a key on P-256, RS256 of
	 * RSA. Yours. NULL (ERR_USAGE): no such key.
	 */
	char *(*assertion)(const struct assertion *a, struct error *err);
};

extern const struct auth_table auth_table;

#endif
