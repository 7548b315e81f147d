/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full; a slot with hash 0 is free. */
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"

#define SLOTS_FIRST 16

struct map_slot {
	uint64_t hash;
	void *item;
};

static uint64_t mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t run_key(void)
{
	static uint64_t key;

	if (!key)
		random_bytes(&key, sizeof(key));
	return key;
}

uint64_t map_hash(const void *key, size_t len)
{
	const char *from = key;
	uint64_t hash = mix(run_key(), len);

	while (len > 0) {
		uint64_t word = 0;
		size_t part = len < sizeof(word) ? len : sizeof(word);

		memcpy(&word, from, part);
		hash = mix(hash, word);
		from += part;
		len -= part;
	}
	hash = mix(hash, run_key());
	return hash ? hash : 1;
}

uint64_t map_hash_text(const char *text)
{
	return map_hash(text, strlen(text));
}

static size_t after(const struct map *t, size_t at)
{
	return (at + 1) & (t->capacity - 1);
}

static size_t home(const struct map *t, uint64_t hash)
{
	return (size_t)hash & (t->capacity - 1);
}

static void put(struct map *t, uint64_t hash, void *item)
{
	size_t at = home(t, hash);

	while (t->slot[at].hash)
		at = after(t, at);
	t->slot[at] = (struct map_slot){ hash, item };
	t->count++;
}

/* Into a table that has room for count of them and as many again. */
static void refill(struct map *t, size_t count,
		   bool (*keep)(void *owner, void *item), void *owner)
{
	struct map new = { .capacity = SLOTS_FIRST };

	while (new.capacity < count * 4)
		new.capacity *= 2;
	new.slot = mem_zalloc(new.capacity * sizeof(*new.slot));
	for (size_t i = 0; i < t->capacity; i++) {
		struct map_slot s = t->slot[i];

		if (s.hash && (!keep || keep(owner, s.item)))
			put(&new, s.hash, s.item);
	}
	mem_free(t->slot);
	*t = new;
}

void map_add(struct map *t, uint64_t hash, void *item)
{
	if (t->count * 2 >= t->capacity)
		refill(t, t->count, NULL, NULL);
	put(t, hash, item);
}

void *map_find(const struct map *t, uint64_t hash, size_t *at)
{
	while (*at < t->capacity) {
		struct map_slot s = t->slot[home(t, hash + (*at)++)];

		if (!s.hash)
			*at = t->capacity;
		else if (s.hash == hash)
			return s.item;
	}
	return NULL;
}

/* What stands behind a freed slot moves up, if it may stand there. */
static void close_gap(struct map *t, size_t gap)
{
	for (size_t at = after(t, gap); t->slot[at].hash; at = after(t, at)) {
		size_t from = home(t, t->slot[at].hash);

		if (((at - from) & (t->capacity - 1)) <
		    ((at - gap) & (t->capacity - 1)))
			continue;
		t->slot[gap] = t->slot[at];
		gap = at;
	}
	t->slot[gap] = (struct map_slot){ 0 };
}

bool map_remove(struct map *t, uint64_t hash, const void *item)
{
	if (t->capacity == 0)
		return false;
	for (size_t at = home(t, hash); t->slot[at].hash; at = after(t, at)) {
		if (t->slot[at].hash != hash || t->slot[at].item != item)
			continue;
		close_gap(t, at);
		t->count--;
		return true;
	}
	return false;
}

void *map_each(const struct map *t, size_t *at)
{
	while (*at < t->capacity) {
		struct map_slot s = t->slot[(*at)++];

		if (s.hash)
			return s.item;
	}
	return NULL;
}

void **map_sorted(const struct map *t, int (*by)(const void *, const void *))
{
	void **all = t->count ? mem_alloc(t->count * sizeof(void *)) : NULL;
	size_t at = 0;

	for (size_t i = 0; i < t->count; i++)
		all[i] = map_each(t, &at);
	if (all)
		qsort(all, t->count, sizeof(void *), by);
	return all;
}

void map_sweep(struct map *t, bool (*keep)(void *owner, void *item),
	       void *owner)
{
	size_t before = t->count;

	refill(t, before, keep, owner);
	if (t->count < before / 4)
		refill(t, t->count, NULL, NULL);
}

void map_done(struct map *t)
{
	mem_free(t->slot);
	*t = (struct map){ 0 };
}
