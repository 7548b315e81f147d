/* SPDX-License-Identifier: MIT */
/*
 * Where a browser is sent back to: a port of 127.0.0.1 that is open while a
 * login waits (RFC 8252, 7.3). Judges nothing of what it brings.
 */
#ifndef AUTH_REDIRECT_H
#define AUTH_REDIRECT_H

#include "base/loop.h"

#define REDIRECT_PATH "/callback"

struct redirect;

/*
 * From the loop, amid a request: what stands behind '?' (lent; NULL). The page
 * that is shown for it; static.
 */
typedef const char *redirect_came(void *owner, const char *query);

/* port 0: any free one. -1 (ERR_CONNECT). */
int redirect_open(struct redirect **out, struct loop *l, uint16_t port,
		  redirect_came *came, void *owner, struct error *err);
uint16_t redirect_port(const struct redirect *r);
/* Not amid came. NULL is fine. */
void redirect_close(struct redirect *r);

#endif
