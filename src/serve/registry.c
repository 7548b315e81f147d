/* SPDX-License-Identifier: MIT */
/*
 * The devices by id (a map) and in order of arrival (a list). Owns the
 * table, not the devices.
 */
#include "serve/registry.h"
#include "base/mem.h"
#include "base/text.h"
#include "serve/aliases.h"
#include "serve/board.h"
#include "serve/serve_state.h"

#include <string.h>

void registry_done(struct registry *r)
{
	map_done(&r->by_id);
	*r = (struct registry){ 0 };
}

void registry_add(struct registry *r, struct board *d)
{
	map_add(&r->by_id, map_hash_text(d->id), d);
	d->previous = r->last;
	d->next = NULL;
	if (r->last)
		r->last->next = d;
	else
		r->first = d;
	r->last = d;
	r->count++;
}

void registry_remove(struct registry *r, struct board *d)
{
	map_remove(&r->by_id, map_hash_text(d->id), d);
	if (d->previous)
		d->previous->next = d->next;
	else
		r->first = d->next;
	if (d->next)
		d->next->previous = d->previous;
	else
		r->last = d->previous;
	d->previous = d->next = NULL;
	r->count--;
}

struct board *registry_find(const struct registry *r, const char *id)
{
	uint64_t hash = map_hash_text(id);
	struct board *d;
	size_t at = 0;

	while ((d = map_find(&r->by_id, hash, &at))) {
		if (strcmp(d->id, id) == 0)
			break;
	}
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

struct board *registry_find_written(const struct registry *r, const char *id)
{
	char small[DEVICE_ID_MAX + 1];

	return id && lower(small, id) ? registry_find(r, small) : NULL;
}

static bool glob_fits(const char *name, const char *pattern)
{
	char small_name[DEVICE_ID_MAX + 1], small_pattern[DEVICE_ID_MAX + 1];

	return name && lower(small_pattern, pattern) &&
	       lower(small_name, name) && text_glob(small_pattern, small_name);
}

/* The id behind an alias; NULL: it is none. */
static const char *alias_id(const struct board *d, const char *name)
{
	return d->server ? aliases_id(&d->server->aliases, name) : NULL;
}

/* The id of another board that text is the name or the id of; NULL. */
static const char *id_of_another(const struct board *d, const char *text)
{
	const struct alias *alias;
	const struct board *other;

	if (!d->server || !text || !*text)
		return NULL;
	alias = aliases_find(&d->server->aliases, text);
	if (alias && !board_id_is(alias->id, d->device_id, d->client_id))
		return alias->id;
	other = registry_find_written(&d->server->registry, text);
	return other && other != d ? other->id : NULL;
}

static bool has_id(const struct board *d, const char *id)
{
	return text_same(d->id, id) || text_same(d->device_id, id);
}

static bool fits_exactly(const struct board *d, const char *pattern)
{
	const char *id = alias_id(d, pattern);

	if (id)
		return board_id_is(id, d->device_id, d->client_id);
	if (has_id(d, pattern) || text_same(d->alias, pattern))
		return true;
	return text_same(d->client_id, pattern) && !board_id_is_mac(pattern) &&
	       !id_of_another(d, pattern);
}

bool device_fits(const struct board *d, const char *pattern)
{
	if (!pattern)
		return true;
	if (text_starts(pattern, REGISTRY_ID))
		return has_id(d, pattern + strlen(REGISTRY_ID));
	if (fits_exactly(d, pattern))
		return true;
	return text_has_glob(pattern) && !alias_id(d, pattern) &&
	       (glob_fits(d->id, pattern) || glob_fits(d->device_id, pattern) ||
		glob_fits(d->client_id, pattern) ||
		glob_fits(d->alias, pattern));
}

struct claim device_claim(const struct board *d)
{
	const char *const told[] = { d->id, d->client_id, d->board,
				     d->server_name };

	for (size_t i = 0; i < COUNT(told); i++) {
		const char *whose = id_of_another(d, told[i]);

		if (whose)
			return (struct claim){ told[i], whose };
	}
	return (struct claim){ 0 };
}

char *device_pattern(const struct board *d)
{
	const char *id = alias_id(d, d->id);
	bool other = id && !board_id_is(id, d->device_id, d->client_id);

	if (other || text_has_glob(d->id) || text_starts(d->id, REGISTRY_ID))
		return mem_printf(REGISTRY_ID "%s", d->id);
	return mem_strdup(d->id);
}

struct board *registry_next(const struct registry *r, struct board *from,
			    const char *pattern)
{
	struct board *d = from ? from->next : r->first;

	while (d && (d->closing || !device_fits(d, pattern)))
		d = d->next;
	return d;
}
