/* SPDX-License-Identifier: MIT */
/*
 * Names to numbers, in constant time, for names that a peer chose: the hash
 * is keyed, so that nobody can choose names that collide. The names themselves
 * are not kept; two names with the same 64 bits count as one.
 */
#ifndef MCP_NAME_SET_H
#define MCP_NAME_SET_H

#include <cjson/cJSON.h>

#include "base/map.h"

#define NAME_NONE SIZE_MAX

/* Starts zeroed. */
struct name_set {
	struct map names;
};

/* What was put in under name; NAME_NONE if nothing was. */
size_t name_set_find(const struct name_set *s, const char *name);

/* Puts value in under a new name and gives NAME_NONE; else what stands there. */
size_t name_set_add(struct name_set *s, const char *name, size_t value);

void name_set_done(struct name_set *s);

/*
 * The first name that stands twice in one object of value, at any depth: some
 * readers take the first of the two, others the last. Lent; NULL: there is none.
 */
const char *name_set_twice(const cJSON *value);

#endif
