/* SPDX-License-Identifier: MIT */
/*
 * Names that hosts were given for tools, and whose they are: a host that lists
 * once calls them also when the tool is listed by another name since (a second
 * board came, equal tools became one).
 */
#ifndef BRIDGE_GIVEN_NAMES_H
#define BRIDGE_GIVEN_NAMES_H

#include "bridge/shown_tools.h"

#define GIVEN_NAMES_MAX 65536 /* then no more are remembered */

struct given_name {
	char *name; /* as the host calls it */
	char *tool; /* as the peer calls it */
	struct bridge_peer *peer;
};

struct given_names { /* starts zeroed */
	struct map names;
};

/* That name is that of a peer's; of a name that was given before, this holds. */
void given_names_give(struct given_names *g, const char *name, const char *tool,
		      struct bridge_peer *peer);
/* Those of s; of a name that was given before, the new meaning holds. */
void given_names_add(struct given_names *g, const struct shown_tools *s);
/* NULL: it was never given. Lent. */
const struct given_name *given_names_find(const struct given_names *g,
					  const char *name);
/* That peer is gone: so are its names. */
void given_names_forget(struct given_names *g, struct bridge_peer *peer);
void given_names_done(struct given_names *g);

#endif
