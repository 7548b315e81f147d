/* SPDX-License-Identifier: MIT */
/*
 * Things by a key that a stranger may have chosen: the hash is keyed anew in
 * each run, so that nobody can choose keys that collide. The map owns neither
 * keys nor things, and things of one hash may be several: whoever asks compares
 * the key.
 */
#ifndef BASE_MAP_H
#define BASE_MAP_H

#include "base/base.h"

struct map_slot;

/* Starts zeroed. */
struct map {
	struct map_slot *slot;
	size_t count, capacity;
};

/* Of len bytes; never 0. */
uint64_t map_hash(const void *key, size_t len);
uint64_t map_hash_text(const char *text);

void map_add(struct map *t, uint64_t hash, void *item);

/*
 * The next one of this hash, where *at, which starts as 0, says how far the
 * search is; NULL: there are no more. Nothing may be added or removed between.
 */
void *map_find(const struct map *t, uint64_t hash, size_t *at);

/* False: it is not there under this hash. */
bool map_remove(struct map *t, uint64_t hash, const void *item);

/* All, in no order: the next one from *at, which starts as 0; NULL at the end. */
void *map_each(const struct map *t, size_t *at);

/*
 * All, count of them, in this order (as for qsort(3): it is given pointers to
 * the items). NULL: there are none. The caller frees the array.
 */
void **map_sorted(const struct map *t, int (*by)(const void *, const void *));

/* Only those stay that keep says yes to; gives memory back. */
void map_sweep(struct map *t, bool (*keep)(void *owner, void *item),
	       void *owner);

void map_done(struct map *t);

#endif
