/* SPDX-License-Identifier: MIT */
/*
 * Who has the token of one MCP server: takes it from the store, renews it under
 * a lock, gets another one where it is refused. A struct bearer to transports.
 */
#ifndef AUTH_TOKEN_SOURCE_H
#define AUTH_TOKEN_SOURCE_H

#include "auth/flow.h"
#include "net/bearer.h"

struct token_source;

/* settings and user are lent for its life. Touches no file yet. */
struct token_source *token_source_new(const struct auth_settings *s,
				      const struct auth_user *user);
/* Nobody must wait for it. NULL is fine. */
void token_source_free(struct token_source *k);
/* For struct endpoint; lent. */
const struct bearer *token_source_bearer(const struct token_source *k);

/*
 * Log in, whatever there is: as for a refusal with that challenge (NULL: none).
 * done comes as of struct bearer; not while something else goes on.
 */
void token_source_login(struct token_source *k, const char *challenge,
			bearer_done *done, void *arg);
/* What there is now; NULL: nothing. Lent. */
const struct login_entry *token_source_entry(struct token_source *k);
/* The login that waits for the user; NULL. */
struct auth_flow *token_source_flow(const struct token_source *k);
/* What was not kept, if the login was not; kind ERR_NONE: it was. */
const struct error *token_source_unkept(const struct token_source *k);

#endif
