/* SPDX-License-Identifier: MIT */
/* Names, by when they were proven; the contract is in the header. */
#include "proxy/known.h"

#include <string.h>

#include "base/chain.h"
#include "base/mem.h"

static uint64_t hash_of(const char *name, const char *from)
{
	return map_hash_text(name) ^ map_hash_text(from) << 1;
}

static struct known *find(const struct known_names *k, const char *name,
			  const char *from)
{
	uint64_t hash = hash_of(name, from);
	struct known *one;
	size_t at = 0;

	while ((one = map_find(&k->map, hash, &at))) {
		if (strcmp(one->name, name) == 0 &&
		    strcmp(one->from, from) == 0)
			return one;
	}
	return NULL;
}

static void drop(struct known_names *k, struct known *one)
{
	CHAIN_LEAVE(k->first, k->last, one);
	map_remove(&k->map, hash_of(one->name, one->from), one);
	k->count--;
	mem_free(one->name);
	mem_free(one->from);
	mem_free(one);
}

static void make_room(struct known_names *k)
{
	struct known *one = k->first;

	while (one && one->uses)
		one = one->next;
	if (k->count >= KNOWN_MAX && one)
		drop(k, one);
}

void known_add(struct known_names *k, const char *name, const char *from)
{
	struct known *one = find(k, name, from);

	if (one) {
		CHAIN_LEAVE(k->first, k->last, one);
		one->next = NULL;
	} else {
		make_room(k);
		one = mem_zalloc(sizeof(*one));
		one->name = mem_strdup(name);
		one->from = mem_strdup(from);
		map_add(&k->map, hash_of(name, from), one);
		k->count++;
	}
	CHAIN_APPEND(k->first, k->last, one);
}

struct known *known_find(const struct known_names *k, const char *name,
			 const char *from)
{
	struct known *one = name ? find(k, name, from) : NULL;

	return one && one->uses < KNOWN_AT_ONCE ? one : NULL;
}

void known_use(struct known *one)
{
	one->uses++;
}

void known_unuse(struct known *one)
{
	one->uses--;
}

void known_done(struct known_names *k)
{
	while (k->first)
		drop(k, k->first);
	map_done(&k->map);
}
