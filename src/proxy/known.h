/* SPDX-License-Identifier: MIT */
/*
 * Whom the upstream has taken for one of its own: a board that it said hello
 * to, a client id that its broker accepted, a session that an MCP server gave a
 * name to; each by the host that it came from. What comes in such a name goes
 * first, a few at a time: it proves nothing, but who uses it sits behind the
 * same address.
 */
#ifndef PROXY_KNOWN_H
#define PROXY_KNOWN_H

#include "base/map.h"

#define KNOWN_MAX 10000 /* then the one that was proven longest ago goes */
#define KNOWN_AT_ONCE 8 /* connections that go first in one name */

struct known { /* one of them */
	struct known *next, *previous;
	char *name, *from;
	unsigned uses;
};

struct known_names { /* starts zeroed */
	struct map map;
	struct known *first, *last; /* by when they were proven */
	size_t count;
};

/* from: its host; "" where the name is a secret itself. */
void known_add(struct known_names *k, const char *name, const char *from);
/* Not known, or KNOWN_AT_ONCE are in use: NULL. name may be NULL. */
struct known *known_find(const struct known_names *k, const char *name,
			 const char *from);
/* It stays until that is given back. */
void known_use(struct known *one);
void known_unuse(struct known *one);
/* None is in use. */
void known_done(struct known_names *k);

#endif
