/* SPDX-License-Identifier: MIT */
/* Open addressing, at most half full; a slot with hash 0 is free. */
#include "mcp/name_set.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"

#define SLOTS_FIRST 64

struct name_slot {
	uint64_t hash;
	size_t value;
};

static uint64_t hash_key(void)
{
	static uint64_t key;

	if (!key)
		random_bytes(&key, sizeof(key));
	return key;
}

static uint64_t hash_mix(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t name_hash(const char *name)
{
	size_t len = strlen(name);
	uint64_t hash = hash_mix(hash_key(), len);

	while (len > 0) {
		uint64_t word = 0;
		size_t part = len < sizeof(word) ? len : sizeof(word);

		memcpy(&word, name, part);
		hash = hash_mix(hash, word);
		name += part;
		len -= part;
	}
	hash = hash_mix(hash, hash_key());
	return hash ? hash : 1;
}

/* The slot of hash, or the free one where it belongs. */
static struct name_slot *slot_of(const struct name_set *s, uint64_t hash)
{
	size_t at = (size_t)hash & (s->capacity - 1);

	while (s->slot[at].hash && s->slot[at].hash != hash)
		at = (at + 1) & (s->capacity - 1);
	return &s->slot[at];
}

static void name_set_widen(struct name_set *s)
{
	struct name_set wide = {
		.capacity = s->capacity ? s->capacity * 2 : SLOTS_FIRST,
		.count = s->count,
	};

	wide.slot = mem_zalloc(wide.capacity * sizeof(*wide.slot));
	for (size_t i = 0; i < s->capacity; i++)
		if (s->slot[i].hash)
			*slot_of(&wide, s->slot[i].hash) = s->slot[i];
	mem_free(s->slot);
	*s = wide;
}

size_t name_set_find(const struct name_set *s, const char *name)
{
	const struct name_slot *slot;

	if (s->capacity == 0)
		return NAME_NONE;
	slot = slot_of(s, name_hash(name));
	return slot->hash ? slot->value : NAME_NONE;
}

size_t name_set_add(struct name_set *s, const char *name, size_t value)
{
	uint64_t hash = name_hash(name);
	struct name_slot *slot;

	if (s->count * 2 >= s->capacity)
		name_set_widen(s);
	slot = slot_of(s, hash);
	if (slot->hash)
		return slot->value;
	*slot = (struct name_slot){ .hash = hash, .value = value };
	s->count++;
	return NAME_NONE;
}

void name_set_done(struct name_set *s)
{
	mem_free(s->slot);
	*s = (struct name_set){ 0 };
}
