/* SPDX-License-Identifier: MIT */
/*
 * Which of many places take a TCP connection. Nothing is said there: who
 * listens is another question.
 */
#ifndef NET_PROBE_H
#define NET_PROBE_H

#include "base/loop.h"

#define PROBE_MAX 4096 /* places of one list */

struct probe_place {
	char host[256]; /* a name or a number */
	uint16_t port;
	bool open; /* it took one */
};
struct probe_list {
	struct probe_place *item; /* owned */
	size_t count, capacity;
};

/*
 * "HOST", "HOST:PORT", "IPV4/24" to "/32": those places are added; without a
 * port at each of `ports`, which ends with 0. -1 (ERR_USAGE): it is none of
 * these, or they become too many.
 */
int probe_add(struct probe_list *list, const char *text, const uint16_t *ports,
	      struct error *err);
/*
 * Dials each, some at once, each for so many ms at the most; sets open. -1
 * (ERR_INTERRUPTED): Ctrl-C came.
 */
int probe_run(struct loop *l, struct probe_list *list, int64_t timeout,
	      struct error *err);
void probe_list_done(struct probe_list *list);

#endif
