/* SPDX-License-Identifier: MIT */
/*
 * What is kept of logins: a file for each MCP server, and one for each
 * registration with an authorization server, in a folder of the user's own.
 * Files are 0600 and replaced whole; the folder is 0700; what belongs to
 * somebody else, or can be read by others, is refused.
 */
#ifndef AUTH_STORE_H
#define AUTH_STORE_H

#include "auth/grants.h"

struct login_entry {
	char *server; /* the URL of MCP (auth_url_resource): the key */
	char *issuer, *resource; /* resource NULL: none was told */
	char *client_id, *client_secret; /* client_secret NULL: none is kept */
	enum client_proof proof;
	char *token_endpoint, *revocation_endpoint; /* the latter may be NULL */
	char *access, *refresh; /* refresh NULL: none */
	char *scope; /* granted; NULL: not told */
	char *requested; /* asked for, over all times; NULL: nothing */
	int64_t obtained_at,
		expires_at; /* s since 1970; expires_at 0: unknown */
};
void login_entry_done(struct login_entry *e);
void login_entry_copy(struct login_entry *to, const struct login_entry *from);
/*
 * Its end is near (60 s, of a short life its half) or over. A clock that went back since it was obtained
 * says nothing: false then.
 */
bool login_entry_is_over(const struct login_entry *e, int64_t now);

/*
 * folder ends in '/'; it need not be there. 1: found, 0: there is none; -1
 * (ERR_USAGE): it must not or cannot be read.
 */
int store_find(struct login_entry *out, const char *folder, const char *server,
	       struct error *err);
/* -1 (ERR_OUTPUT): not kept; what was there stays as it was. */
int store_keep(const char *folder, const struct login_entry *e,
	       struct error *err);
/* 1: removed, 0: there is none. -1 (ERR_OUTPUT). */
int store_drop(const char *folder, const char *server, struct error *err);
/* All that can be read, in no order; lent. */
void store_each(const char *folder,
		void (*fn)(void *owner, const struct login_entry *e),
		void *owner);

/*
 * Who renews the login of that server: a descriptor to close. -1 with err
 * ERR_NONE: another process does now; ERR_OUTPUT: there can be no lock.
 */
int store_lock(const char *folder, const char *server, struct error *err);

/* The registration with an issuer: 1, 0: there is none; -1, as above. */
int store_client_find(struct registration *out, const char *folder,
		      const char *issuer, struct error *err);
int store_client_keep(const char *folder, const char *issuer,
		      const struct registration *r, struct error *err);
void store_client_drop(const char *folder, const char *issuer);

#endif
