/* SPDX-License-Identifier: MIT */
/*
 * /login and /logout of the page of serve. Wrong tokens make the answers to
 * their address late, the right one's too: it always gets one.
 */
#ifndef SERVE_PAGES_LOGIN_H
#define SERVE_PAGES_LOGIN_H

#include "base/loop.h"
#include "net/port.h"
#include "serve/pages_access.h"

#define PAGES_LATE_MS 2000
/* Answers that are kept back; those beyond are given at once. */
#define PAGES_LATE_MAX 64

struct late_login;
struct pages_login { /* zeroed at first */
	struct pages_access *access;
	struct late_login *first, *last; /* the next that is due first */
	size_t count;
	struct timer timer;
};
void pages_login_open(struct pages_login *l, struct loop *loop,
		      struct pages_access *access);
/* Who waits is not answered any more; then closed(owner), from the loop. */
void pages_login_close(struct pages_login *l, void (*closed)(void *owner),
		       void *owner);

/* The page, or a token that is shown. False: none is asked for here. */
bool pages_login_visit(struct pages_login *l, const struct visit *v);

/* The form of /logout, with its seal. */
void pages_logout_form(const struct pages_login *l,
		       const struct front_head *head, struct buf *out);
/*
 * That form came, from who may see all: that browser's cookie is taken away.
 * True: the sessions of all browsers are over.
 */
bool pages_logout_visit(struct pages_login *l, const struct visit *v);

#endif
