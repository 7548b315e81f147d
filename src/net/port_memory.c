/* SPDX-License-Identifier: MIT */
/*
 * What boards told when they asked OTA, found again by Device-Id or by the
 * client id that they were given, for who comes from the same address; and
 * where each board was sent last. Strangers can fill both, so the oldest go.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/port_memory.h"

/* Without case: some boards write their digits otherwise here and there. */
static uint64_t hash_of(const char *id)
{
	CLEANUP(mem_free_ptr) char *key = mem_strdup(id);

	for (char *c = key; *c; c++)
		*c = (char)text_lower(*c);
	return map_hash_text(key);
}

static void empty_told(struct memory *m, struct told *t)
{
	map_remove(&m->by_id, hash_of(t->asked.device_id), t);
	if (t->given)
		map_remove(&m->by_given, hash_of(t->given), t);
	mem_free(t->given);
	mem_free(t->sent_to);
}

static void empty_sent(struct memory *m, struct sent *s)
{
	map_remove(&m->sent_by_id, hash_of(s->id), s);
	mem_free(s->id);
	mem_free(s->url);
}

void memory_done(struct memory *m)
{
	while (m->count > 0) {
		empty_told(m, m->item[--m->count]);
		mem_free(m->item[m->count]);
	}
	while (m->sent_count > 0) {
		empty_sent(m, m->sent[--m->sent_count]);
		mem_free(m->sent[m->sent_count]);
	}
	map_done(&m->by_id);
	map_done(&m->by_given);
	map_done(&m->sent_by_id);
}

/* The host of "HOST:PORT", or of an address without a port, cut. */
static void host_of(char out[ADDRESS_TEXT_MAX], const char *address)
{
	struct authority a;
	bool whole = authority_parse(&a, address, strlen(address), NULL) ||
		     !a.host[0];

	snprintf(out, ADDRESS_TEXT_MAX, "%.63s", whole ? address : a.host);
}

bool memory_same_peer(const char *a, const char *b)
{
	char host_a[ADDRESS_TEXT_MAX], host_b[ADDRESS_TEXT_MAX];

	if (!a || !b)
		return false;
	host_of(host_a, a);
	host_of(host_b, b);
	return text_same(host_a, host_b);
}

/* from NULL: it is not known; then who asked first. */
static bool is_from(const struct told *t, const char *from)
{
	char host[ADDRESS_TEXT_MAX];

	if (!from)
		return true;
	host_of(host, from);
	return text_same(t->from, host);
}

/* By the id that it gave, or by the one that it was given. */
static struct told *find(const struct memory *m, bool given, const char *id,
			 const char *from)
{
	const struct map *ids = given ? &m->by_given : &m->by_id;
	uint64_t hash = id && *id ? hash_of(id) : 0;
	struct told *t, *first = NULL;
	size_t at = 0;

	while (hash && (t = map_find(ids, hash, &at))) {
		if (text_same(given ? t->given : t->asked.device_id, id) &&
		    is_from(t, from) && (!first || t->since < first->since))
			first = t;
	}
	return first;
}

const struct told *memory_find(const struct memory *m, const char *device_id,
			       const char *from)
{
	return find(m, false, device_id, from);
}

const struct told *memory_find_given(const struct memory *m,
				     const char *client_id, const char *from)
{
	return find(m, true, client_id, from);
}

static struct told *make_room(struct memory *m)
{
	struct told *oldest = m->item[0];

	if (m->count < MEMORY_MAX)
		return m->item[m->count++] = mem_zalloc(sizeof(*oldest));
	for (size_t i = 1; i < m->count; i++) {
		if (m->item[i]->at < oldest->at)
			oldest = m->item[i];
	}
	empty_told(m, oldest);
	*oldest = (struct told){ 0 };
	return oldest;
}

char *memory_tell(struct memory *m, const struct ota_request *asked,
		  const char *from, const struct told_it *it)
{
	struct told *t = find(m, false, asked->device_id, from);
	CLEANUP(mem_free_ptr) char *before = NULL;

	if (!t && !asked->device_id[0]) {
		if (!it->given)
			return NULL;
		t = find(m, true, it->given, from);
	}
	if (t) {
		before = TAKE(t->sent_to);
		empty_told(m, t);
	} else {
		t = make_room(m);
		t->since = m->clock;
	}
	t->asked = *asked;
	map_add(&m->by_id, hash_of(asked->device_id), t);
	host_of(t->from, from);
	t->given = mem_strdup(it->given);
	if (t->given)
		map_add(&m->by_given, hash_of(t->given), t);
	t->sent_to = mem_strdup(it->sent_to);
	t->at = ++m->clock;
	if (!before || text_same(before, it->sent_to))
		return NULL;
	return TAKE(before);
}

const struct told *memory_find_board(const struct memory *m, const char *given,
				     const char *device_id, const char *from)
{
	const struct told *told =
		given ? memory_find_given(m, given, from) : NULL;

	return told ? told : memory_find(m, device_id, from);
}

/* ---- where a board that is connected was sent ---- */

static struct sent *find_sent(const struct memory *m, const char *id)
{
	uint64_t hash = hash_of(id);
	struct sent *s;
	size_t at = 0;

	while ((s = map_find(&m->sent_by_id, hash, &at))) {
		if (text_same(s->id, id))
			break;
	}
	return s;
}

static struct sent *make_sent(struct memory *m, const char *id)
{
	struct sent *oldest = m->sent[0];

	if (m->sent_count < MEMORY_MAX) {
		oldest = mem_zalloc(sizeof(*oldest));
		m->sent[m->sent_count++] = oldest;
	} else {
		for (size_t i = 1; i < m->sent_count; i++) {
			if (m->sent[i]->at < oldest->at)
				oldest = m->sent[i];
		}
		empty_sent(m, oldest);
	}
	*oldest = (struct sent){ .id = mem_strdup(id) };
	map_add(&m->sent_by_id, hash_of(id), oldest);
	return oldest;
}

char *memory_sent(struct memory *m, const char *id, const char *url)
{
	struct sent *s = find_sent(m, id);
	CLEANUP(mem_free_ptr) char *before = NULL;

	if (!s)
		s = make_sent(m, id);
	before = TAKE(s->url);
	s->url = mem_strdup(url);
	s->at = ++m->clock;
	return before && strcmp(before, url) != 0 ? TAKE(before) : NULL;
}
