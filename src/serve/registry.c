/* SPDX-License-Identifier: MIT */
/*
 * The devices by id (a hash table) and in order of arrival (a list). Owns the
 * table, not the devices.
 */
#include "serve/registry.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/device.h"

enum { SLOTS_FIRST = 64 };

void registry_done(struct registry *r)
{
	mem_free(r->slot);
	*r = (struct registry){ 0 };
}

/* Chains that a stranger makes long are limited by devices_max. */
static struct device **slot_of(const struct registry *r, const char *id)
{
	uint64_t hash = text_hash(id, strlen(id));

	return &r->slot[(hash ^ hash >> 32) & (r->slots - 1)];
}

static void put_in_slot(struct registry *r, struct device *d)
{
	struct device **slot = slot_of(r, d->id);

	d->next_in_slot = *slot;
	*slot = d;
}

static void grow(struct registry *r)
{
	size_t slots = r->slots ? r->slots * 2 : SLOTS_FIRST;

	mem_free(r->slot);
	r->slot = mem_zalloc(slots * sizeof(struct device *));
	r->slots = slots;
	for (struct device *d = r->first; d; d = d->next)
		put_in_slot(r, d);
}

void registry_add(struct registry *r, struct device *d)
{
	if (r->count >= r->slots)
		grow(r);
	put_in_slot(r, d);
	d->previous = r->last;
	d->next = NULL;
	if (r->last)
		r->last->next = d;
	else
		r->first = d;
	r->last = d;
	r->count++;
}

void registry_remove(struct registry *r, struct device *d)
{
	struct device **link = slot_of(r, d->id);

	while (*link != d)
		link = &(*link)->next_in_slot;
	*link = d->next_in_slot;
	if (d->previous)
		d->previous->next = d->next;
	else
		r->first = d->next;
	if (d->next)
		d->next->previous = d->previous;
	else
		r->last = d->previous;
	d->next_in_slot = d->previous = d->next = NULL;
	r->count--;
}

struct device *registry_find(const struct registry *r, const char *id)
{
	struct device *d = r->slots ? *slot_of(r, id) : NULL;

	while (d && strcmp(d->id, id) != 0)
		d = d->next_in_slot;
	return d;
}

/* text_glob tells letters apart; what is longer than an id can be fits nothing. */
static bool lower(char *out, const char *text)
{
	size_t len = strlen(text);

	if (len > DEVICE_ID_MAX)
		return false;
	for (size_t i = 0; i <= len; i++)
		out[i] = (char)text_lower(text[i]);
	return true;
}

static bool name_fits(const char *name, const char *pattern, bool glob)
{
	char small_name[DEVICE_ID_MAX + 1], small_pattern[DEVICE_ID_MAX + 1];

	if (!name)
		return false;
	if (text_same(name, pattern))
		return true;
	return glob && lower(small_pattern, pattern) &&
	       lower(small_name, name) && text_glob(small_pattern, small_name);
}

bool device_fits(const struct device *d, const char *pattern)
{
	bool glob;

	if (!pattern)
		return true;
	glob = text_has_glob(pattern);
	return name_fits(d->id, pattern, glob) ||
	       name_fits(d->device_id, pattern, glob) ||
	       name_fits(d->client_id, pattern, glob) ||
	       name_fits(d->alias, pattern, glob);
}

struct device *registry_next(const struct registry *r, struct device *from,
			     const char *pattern)
{
	struct device *d = from ? from->next : r->first;

	while (d && (d->closing || !device_fits(d, pattern)))
		d = d->next;
	return d;
}
