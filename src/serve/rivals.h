/* SPDX-License-Identifier: MIT */
/*
 * Boards that throw each other out, since they call themselves the same: who
 * was thrown out last, and whether it came back. Bounded: anybody may call
 * itself anything.
 */
#ifndef SERVE_RIVALS_H
#define SERVE_RIVALS_H

#include "base/base.h"

#define RIVALS_MAX 16

struct rival {
	char *id;
	char *last, *before; /* who was thrown out, and who before that; "" */
	int64_t at; /* loop_now() ms, when that was */
	unsigned times; /* in a row, each soon after the one before */
	int told; /* how much was said: never the same again */
};
/* Zeroed at first. */
struct rivals {
	struct rival item[RIVALS_MAX];
	size_t count;
	/* Over MQTT the older one goes before the other comes; NULL. */
	char *thrown, *client, *address;
};
void rivals_done(struct rivals *m);

/* Who came in whose place. Texts are lent; NULL where not known. */
struct rivalry {
	const char *id;
	bool mqtt;
	bool tool_side; /* at the access point: one token, or one agent= */
	const char *old_client, *old_address, *new_client, *new_address;
	int64_t now;
};
/*
 * The hint that it deserves, each once for an id until ten quiet minutes went
 * by; static. NULL: there is nothing (new) to say.
 */
const char *rivals_meet(struct rivals *m, const struct rivalry *how);
/* By now it is certain that there are two of that id. */
bool rivals_certain(const struct rivals *m, const char *id);
/* One was thrown out over MQTT; then, that another came: as rivals_meet. */
void rivals_thrown(struct rivals *m, const char *id, const char *client,
		   const char *address);
const char *rivals_came(struct rivals *m, const struct rivalry *new);

#endif
