/* SPDX-License-Identifier: MIT */
/*
 * What was set on boards before `adopt`: a list in one file of the user's state
 * folder, newest first, so that it can be put back. A portal does not say whose
 * it is; what is known is its address and, on a network card's link, the
 * hardware address that answered.
 */
#ifndef CLI_ADOPTED_H
#define CLI_ADOPTED_H

#include "base/json.h"

#define ADOPTED_MAX 200

/* One that is kept; texts lent. */
struct adopted {
	const char *portal; /* "http://192.168.4.1" */
	const char *hardware; /* "" if unknown */
	const char *before, *now; /* OTA addresses; "": none was set */
	const char *at; /* UTC, RFC 3339; NULL for adopted_keep: now */
};

/* All of them as an array, newest first; empty if there are none. -1: the file cannot be read. */
int adopted_read(cJSON **out, struct error *err);
/* Entry i of it. False: there is none. */
bool adopted_at(const cJSON *list, int i, struct adopted *out);
/* The newest of that board: by hardware, where it is known, else by portal; -1. */
int adopted_find(const cJSON *list, const struct adopted *of);

/*
 * Both read the file anew under a lock, so that of two commands at once none
 * loses what the other one kept. -1: ERR_OUTPUT, with the file.
 */

/* Put it in front; the oldest goes. */
int adopted_keep(const struct adopted *a, struct error *err);
/* Take that very entry out; one that is gone already is no failure. */
int adopted_drop(const struct adopted *a, struct error *err);

#endif
