/* SPDX-License-Identifier: MIT */
/*
 * Who may see the boards in a browser, and that a form is one of ours. Without
 * a token: who asks from this machine, and through no proxy. With one: who has
 * shown it, and carries the cookie that was given for it. Knows no pages.
 */
#ifndef SERVE_PAGES_ACCESS_H
#define SERVE_PAGES_ACCESS_H

#include "base/error.h"
#include "base/sha256.h"
#include "net/budget.h"
#include "net/front.h"

#define PAGES_TOKEN_MIN 16 /* bytes */
#define PAGES_SESSION_MS INT64_C(43200000) /* 12 h */
#define PAGES_TRIES 5 /* wrong tokens of one address in a minute */
#define PAGES_TRIERS 256 /* addresses that are remembered for that */

struct pages_trier {
	struct budget_key whose; /* of IPv6 a /64 */
	int64_t since; /* loop_now() ms */
	unsigned tries; /* 0: nobody's */
};

/* Zeroed at first. */
struct pages_access {
	unsigned char inner[64], outer[64]; /* keys of this process */
	uint64_t epoch; /* sessions of an earlier one are over */
	char *token; /* NULL: none is asked for */
	struct pages_trier trier[PAGES_TRIERS];
	size_t next_trier;
};

/* token_file NULL: none. -1 (ERR_USAGE): it cannot be read, or is too short. */
int pages_access_open(struct pages_access *a, const char *token_file,
		      struct error *err);
void pages_access_done(struct pages_access *a);

enum pages_verdict {
	PAGES_MAY,
	PAGES_ELSEWHERE, /* from another machine, and there is no token */
	PAGES_PROXIED, /* a proxy that asks from here for whomever */
	PAGES_UNKNOWN, /* has not shown the token */
	PAGES_FOREIGN /* another page made the browser ask, or frames this one */
};
/* Of any request; one that acts needs its form's seal beside. */
enum pages_verdict pages_access_judge(const struct pages_access *a,
				      const struct front_head *head);

/*
 * The seal of a form about that subject for who may see it: nobody else can
 * make it, and it fits no other subject and no other session.
 */
void pages_access_seal(const struct pages_access *a,
		       const struct front_head *head, const char *subject,
		       char out[SHA256_TEXT]);
/* given may be NULL. */
bool pages_access_sealed(const struct pages_access *a,
			 const struct front_head *head, const char *subject,
			 const char *given);

/*
 * A token is shown: the value of Set-Cookie, yours; NULL: it is wrong. *late:
 * that address showed too many wrong ones within a minute, so the answer is to
 * be kept back for a while, whichever it is. The right one is never refused:
 * somebody else behind that address may be who tries.
 */
char *pages_access_login(struct pages_access *a, const struct front_head *head,
			 const char *given, bool *late);
/* Every session that was begun so far is over. */
void pages_access_end_all(struct pages_access *a);
/* The value of Set-Cookie that takes it away. */
#define PAGES_LOGOUT "mcpctl=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0"

#endif
