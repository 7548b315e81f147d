/* SPDX-License-Identifier: MIT */
/*
 * Getting a token, in steps on the loop: what the server says of its resource,
 * its authorization server, a client id, the user's consent in a browser (or
 * the client's own credentials), the token. One try; who wants a token, and
 * what becomes of it, is token_source.h's matter.
 */
#ifndef AUTH_FLOW_H
#define AUTH_FLOW_H

#include "auth/store.h"
#include "base/loop.h"
#include "net/endpoint.h"

enum auth_grant { GRANT_AUTO, GRANT_CODE, GRANT_CLIENT };

#define LOGIN_TIMEOUT_MS 300000

/* What the user says of it; all lent, for the life of who has it. */
struct auth_settings {
	const char *server; /* the URL of MCP, by auth_url_resource */
	const char *name; /* the target as words of a command line */
	const char *client_id, *client_secret, *client_document, *issuer,
		*scope; /* NULL: not told */
	const char *key; /* PEM; NULL: none */
	size_t key_len;
	/*
	 * Of a company's identity provider, which answers for the user: where its
	 * tokens are exchanged, who we are there (NULL: nobody), and the user's
	 * identity token; NULL: there is none.
	 */
	const char *idp_endpoint, *idp_client_id, *idp_token;
	enum auth_grant grant;
	int64_t timeout; /* ms for the browser; 0: LOGIN_TIMEOUT_MS */
	const char *folder; /* of store.h; NULL: nothing can be kept */
	int (*make)(const char *folder, struct error *err); /* its parents */
	/* TLS, proxy and addresses as for that target; NULL. */
	const struct endpoint *way;
	struct loop *loop;
};

struct auth_visit { /* lent */
	const char *url; /* to be opened; clean of control characters */
	const char *host; /* whose page it is: scheme, host, port */
	const char *server;
	bool first; /* nothing is known of that authorization server yet */
};

/* Who sends the user to a page; all from the loop. */
struct auth_user {
	bool (*can)(void *owner); /* somebody may be sent */
	void (*visit)(void *owner, const struct auth_visit *v);
	void (*left)(void *owner); /* nobody waits for it any more */
	void (*note)(void *owner, const char *text); /* worth a line */
	void *owner;
};

struct auth_wish { /* lent until flow_start returns */
	const char *metadata; /* resource_metadata of the challenge; NULL */
	const char *scope; /* of the challenge; NULL */
	const struct login_entry *before; /* what there is; NULL */
	bool step_up; /* its scopes were too few */
};

struct auth_flow;
/*
 * Once, from the loop; the flow is gone. e: it may be taken; NULL: why, of
 * ERR_NONE where nothing of OAuth is found there.
 */
typedef void auth_flow_done(void *owner, struct login_entry *e,
			    const struct error *why);

/* Ends in done, always. */
struct auth_flow *flow_start(const struct auth_settings *s,
			     const struct auth_user *user,
			     const struct auth_wish *wish, auth_flow_done *done,
			     void *owner);
/*
 * The address that a browser elsewhere ended at. False: it is not the answer
 * to this question.
 */
bool flow_paste(struct auth_flow *f, const char *text);
/* The user does not want to: ends in done. */
void flow_refuse(struct auth_flow *f);
/* Forget it: done is not called. NULL is fine. */
void flow_abandon(struct auth_flow *f);

/* ---- requests to an authorization server, for token_source.c, too ---- */

struct http_answer;
struct http_fetch;
typedef void auth_answered(void *owner, const struct http_answer *a);

/* body NULL: GET. form: urlencoded, else JSON; basic: Authorization; NULL. */
struct auth_question {
	const char *url, *body, *basic;
	size_t len;
	bool form;
};
/* NULL: err. Once from the loop, then it is gone; fetch_abandon forgets it. */
struct http_fetch *auth_ask(const struct auth_settings *s,
			    const struct auth_question *q, auth_answered *fn,
			    void *owner, struct error *err);
void auth_forget(struct http_fetch *fetch); /* NULL is fine */
/* It came, and what counts of it is whole; else why says what is missing. */
bool auth_came(const struct http_answer *a);

/* The client logs in for itself, or its company for the user: no browser. */
bool auth_needs_nobody(const struct auth_settings *s);
/*
 * Add to a form what proves the client; *basic: the value of Authorization,
 * yours, or NULL. -1: the key is of no use.
 */
int auth_prove(struct buf *form, char **basic, const struct auth_settings *s,
	       const struct login_entry *e, struct error *err);
/* What a token answer brings, into e. */
void auth_take_token(struct login_entry *e, struct token_answer *t);

#endif
