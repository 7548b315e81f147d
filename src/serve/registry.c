/* SPDX-License-Identifier: MIT */
/*
 * The devices by id (a map) and in order of arrival (a list). Owns the
 * table, not the devices.
 */
#include "serve/registry.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/split.h"
#include "base/text.h"
#include "serve/aliases.h"
#include "serve/board.h"
#include "serve/serve_state.h"

#include <ctype.h>
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

char *registry_free_id(const struct serve *s, const char *name, char mark)
{
	char *id = mem_strdup(name);

	for (unsigned n = 2;
	     registry_find(&s->registry, id) || aliases_find(&s->aliases, id);
	     n++) {
		mem_free(id);
		id = mem_printf("%s%c%u", name, mark, n);
	}
	return id;
}

static bool glob_fits(const char *name, const char *pattern)
{
	char small_name[DEVICE_ID_MAX + 1], small_pattern[DEVICE_ID_MAX + 1];

	return name && lower(small_pattern, pattern) &&
	       lower(small_name, name) && text_glob(small_pattern, small_name);
}

/* The id behind an alias; NULL: it is none. */
static const char *alias_id(const struct serve *s, const char *name)
{
	return s ? aliases_id(&s->aliases, name) : NULL;
}

/* The id of another board that text is the name or the id of; NULL. */
static const char *id_of_another(const struct serve *s,
				 const struct board_names *n, const char *text)
{
	const struct alias *alias;
	const struct board *other;

	if (!s || !text || !*text)
		return NULL;
	alias = aliases_find(&s->aliases, text);
	if (alias && !board_id_is(alias->id, n->device_id, n->client_id))
		return alias->id;
	other = registry_find_written(&s->registry, text);
	return other && other != n->itself ? other->id : NULL;
}

static bool has_id(const struct board_names *n, const char *id)
{
	return text_same(n->id, id) || text_same(n->device_id, id);
}

static bool fits_exactly(const struct serve *s, const struct board_names *n,
			 const char *pattern)
{
	const char *id = alias_id(s, pattern);

	if (id)
		return board_id_is(id, n->device_id, n->client_id);
	if (has_id(n, pattern) || text_same(n->alias, pattern))
		return true;
	return text_same(n->client_id, pattern) && !board_id_is_mac(pattern) &&
	       !id_of_another(s, n, pattern);
}

bool id_fits(const struct serve *s, const struct board_names *names,
	     const char *pattern)
{
	if (!pattern)
		return true;
	if (text_starts(pattern, REGISTRY_ID))
		return has_id(names, pattern + strlen(REGISTRY_ID));
	if (fits_exactly(s, names, pattern))
		return true;
	return text_has_glob(pattern) && !alias_id(s, pattern) &&
	       (glob_fits(names->id, pattern) ||
		glob_fits(names->device_id, pattern) ||
		glob_fits(names->client_id, pattern) ||
		glob_fits(names->alias, pattern));
}

static struct board_names names_of(const struct board *d)
{
	return (struct board_names){ d->id, d->device_id, d->client_id,
				     d->alias, d };
}

static bool is_held_as(const struct board *d, const char *name)
{
	return d && d->held && !d->closing && strcmp(d->held->name, name) == 0;
}

/*
 * Ids tell no letters apart, but what a server was opened by, a path or a name,
 * may differ from another one's in nothing else. NULL: nobody has that very name.
 */
static const struct board *held_as(const struct serve *s, const char *name)
{
	const struct board *d = registry_find_written(&s->registry, name);

	if (is_held_as(d, name))
		return d;
	d = s->registry.first;
	while (d && !is_held_as(d, name))
		d = d->next;
	return d;
}

bool device_fits(const struct board *d, const char *pattern)
{
	const struct board_names names = names_of(d);
	const struct board *meant;

	if (pattern && text_starts(pattern, HELD_KEY))
		return d->held &&
		       strcmp(d->held->key, pattern + strlen(HELD_KEY)) == 0;
	meant = d->held && d->server && pattern ? held_as(d->server, pattern) :
						  NULL;
	return meant ? meant == d : id_fits(d->server, &names, pattern);
}

struct claim device_claim(const struct board *d)
{
	const char *const told[] = { d->id, d->client_id, d->board,
				     d->server_name };
	const struct board_names names = names_of(d);

	for (size_t i = 0; i < COUNT(told); i++) {
		const char *whose = id_of_another(d->server, &names, told[i]);

		if (whose)
			return (struct claim){ told[i], whose };
	}
	return (struct claim){ 0 };
}

char *device_pattern(const struct board *d)
{
	const char *id = alias_id(d->server, d->id);
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

struct board *registry_next_meant(const struct registry *r, struct board *from,
				  const char *pattern)
{
	struct board *d = registry_next(r, from, pattern);

	while (d && !pattern && d->held)
		d = registry_next(r, d, pattern);
	return d;
}

/* ---- words that name nothing ---- */

#define NAMES_SHOWN 4
#define MAC_DIGITS 12
#define UUID_LENGTH 36

static const char *shown_name(const struct board *d)
{
	return d->alias ? d->alias : d->id;
}

/* "aabbccddeeff", "aa-bb-…", "aa:bb:…". */
static bool is_mac(const char *word)
{
	size_t digits = 0;

	for (; *word; word++) {
		if (isxdigit((unsigned char)*word))
			digits++;
		else if (!strchr(":-_", *word))
			return false;
	}
	return digits == MAC_DIGITS;
}

/* What devices that nobody heard of may be called (device.md 1.2, 2.1). */
static bool has_form_of_id(const char *word)
{
	bool uuid = strlen(word) == UUID_LENGTH && word[8] == '-' &&
		    word[13] == '-' && word[18] == '-' && word[23] == '-';

	return uuid || strpbrk(word, ":@") || is_mac(word) ||
	       text_has_glob(word);
}

static bool is_known_word(const struct serve *s, const char *word)
{
	return aliases_find(&s->aliases, word) ||
	       enrolled_find(&s->enrolled, word) ||
	       registry_next(&s->registry, NULL, word);
}

static void collect_names(const struct serve *s, struct words *out)
{
	for (size_t i = 0; i < s->aliases.count; i++)
		words_add(out, s->aliases.item[i].name);
	for (const struct board *d = s->registry.first; d; d = d->next)
		words_add(out, d->id);
	for (size_t i = 0; i < s->enrolled.count; i++)
		words_add(out, s->enrolled.item[i].device_id);
}

int device_word_check(const struct serve *s, const char *word, bool later,
		      struct error *err)
{
	CLEANUP(words_done) struct words names = { 0 };
	CLEANUP(buf_done) struct buf there = { 0 };
	const char *nearest;

	if (word && text_starts(word, HELD_KEY) && !is_known_word(s, word)) {
		error_set(err, ERR_CONNECT,
			  "serve does not keep that server open any more");
		return error_hint(
			err,
			"ask again: it is dialled directly then; 'mcpctl open' keeps it open");
	}
	if (!word || has_form_of_id(word) || is_known_word(s, word))
		return 0;
	collect_names(s, &names);
	nearest = text_nearest(word, (const char *const *)names.word,
			       names.count);
	registry_names(&s->registry, &there);
	error_set(err, ERR_CONNECT,
		  "'%s' is no alias, and no board that is here has that id",
		  word);
	if (nearest)
		return error_hint(err, "did you mean '%s'?", nearest);
	error_hint(err, "%s%s; names of boards stand in devices.json",
		   there.len ? "these are here: " : "no board is here",
		   buf_string(&there));
	if (later)
		error_hint(
			err,
			"%s; one that will come under that id is waited for as '%s*'",
			err->hint, word);
	return -1;
}

void registry_names(const struct registry *r, struct buf *out)
{
	size_t shown = 0;

	for (const struct board *d = r->first; d && shown < NAMES_SHOWN;
	     d = d->next)
		buf_printf(out, "%s%s", shown++ ? ", " : "", shown_name(d));
	if (r->count > shown)
		buf_printf(out, " and %zu more", r->count - shown);
}
