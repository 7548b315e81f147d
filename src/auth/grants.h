/* SPDX-License-Identifier: MIT */
/*
 * What is said to an authorization server, and what it answers: forms, the
 * proof of who the client is, tokens, registrations, what a browser brings back
 * (RFC 6749, 7591, 9207). Pure.
 */
#ifndef AUTH_GRANTS_H
#define AUTH_GRANTS_H

#include "auth/metadata.h"
#include "base/buf.h"
#include "base/json.h"

/* How a client proves who it is at the token endpoint. */
enum client_proof {
	PROOF_NONE, /* client_id in the body */
	PROOF_BASIC, /* Authorization: Basic */
	PROOF_POST, /* id and secret in the body */
	PROOF_KEY /* private_key_jwt: an assertion in the body */
};
/* "none", "client_secret_basic", …; -1 for another word. */
const char *client_proof_name(enum client_proof p);
int client_proof_find(const char *name);

/* name=value behind what is there, percent-encoded; nothing for NULL. */
void form_add(struct buf *out, const char *name, const char *value);
/* The value of Authorization for PROOF_BASIC; yours. */
char *form_basic(const char *id, const char *secret);

/*
 * The proof of a client with a secret or without (of a list that is absent:
 * basic), as the server lists them. -1 (ERR_AUTH): it takes none that we have.
 */
int client_proof_choose(const struct server_metadata *m, bool secret,
			struct error *err);
/* The one to register, the first of none, basic, post that it lists. */
enum client_proof client_proof_register(const struct server_metadata *m);

/* ---- tokens ---- */

/* Trouble there, or too much to do: it says nothing of what was asked. */
bool status_is_passing(int status);

struct token_answer {
	char *access, *refresh, *scope; /* NULL: not told; access is there */
	int64_t expires_in; /* seconds; -1: not told */
	/* Of a refusal: "invalid_grant"; "" for none that can be shown. */
	char code[40];
};
/*
 * host: who answered. -1: ERR_AUTH with its words (code says which);
 * ERR_CONNECT: trouble there, or too much to do, so later; ERR_PROTOCOL: a body
 * that is none, another type than Bearer. No secret of the body stands in the
 * error.
 */
int token_answer_read(struct token_answer *out, int status, const char *body,
		      size_t len, const char *host, struct error *err);
void token_answer_done(struct token_answer *t);

/* ---- what a company's identity provider grants (RFC 8693) ---- */

/* The exchange of an identity token; to whom it shall be granted comes behind. */
void exchange_form(struct buf *out, const char *identity, const char *client);
/* *grant: an assertion for the authorization server; yours. -1: as above. */
int exchange_read(char **grant, int status, struct span body, const char *host,
		  struct error *err);

/* ---- registrations ---- */

struct registration {
	char *id, *secret; /* secret NULL: none */
	enum client_proof proof;
	int64_t secret_expires_at; /* s since 1970; 0: never */
	uint16_t port; /* of the redirect URI; 0: none */
};
/* The body to send; yours. refresh: the grant is asked for, too. */
char *registration_request(const char *redirect, const char *scope,
			   enum client_proof proof, bool refresh);
/* asked: what was registered. -1: as token_answer_read. */
int registration_read(struct registration *out, int status, struct span body,
		      enum client_proof asked, const char *host,
		      struct error *err);
void registration_done(struct registration *r);

/* ---- what the browser brings back ---- */

struct redirect_rules {
	const char *state;
	const char *issuer; /* whose answer it must be */
	bool tells_issuer; /* iss must be there */
};
/*
 * query: what stands behind '?'. 1: *code, yours. 0: another state, or none:
 * it is not the answer to our question. -1: ERR_AUTH, with the words of the
 * server where it is ours; ERR_PROTOCOL, of another issuer.
 */
int redirect_read(char **code, const char *query,
		  const struct redirect_rules *r, struct error *err);

#endif
