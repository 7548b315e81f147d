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

/* FNV-1a without case: some boards write their digits otherwise here and there. */
static uint32_t hash(const char *text)
{
	uint32_t sum = 2166136261u;

	for (; text && *text; text++)
		sum = (sum ^ (uint32_t)text_lower(*text)) * 16777619u;
	return sum;
}

static void empty_told(struct told *t)
{
	mem_free(t->given);
	mem_free(t->sent_to);
	*t = (struct told){ 0 };
}

static void empty_sent(struct sent *s)
{
	mem_free(s->id);
	mem_free(s->url);
	*s = (struct sent){ 0 };
}

void memory_done(struct memory *m)
{
	for (size_t i = 0; i < m->count; i++) {
		empty_told(m->item[i]);
		mem_free(m->item[i]);
	}
	for (size_t i = 0; i < m->sent_count; i++)
		empty_sent(&m->sent[i]);
	mem_free(m->sent);
	*m = (struct memory){ 0 };
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
	uint32_t wanted = hash(id);

	for (size_t i = 0; id && *id && i < m->count; i++) {
		struct told *t = m->item[i];
		const char *its = given ? t->given : t->asked.device_id;

		if ((given ? t->given_hash : t->id_hash) == wanted && its &&
		    text_same(its, id) && is_from(t, from))
			return t;
	}
	return NULL;
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
	size_t oldest = 0;

	if (m->count < MEMORY_MAX)
		return m->item[m->count++] = mem_zalloc(sizeof(struct told));
	for (size_t i = 1; i < m->count; i++) {
		if (m->item[i]->at < m->item[oldest]->at)
			oldest = i;
	}
	empty_told(m->item[oldest]);
	return m->item[oldest];
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
	if (!t)
		t = make_room(m);
	before = TAKE(t->sent_to);
	empty_told(t);
	t->asked = *asked;
	t->id_hash = hash(asked->device_id);
	host_of(t->from, from);
	t->given = mem_strdup(it->given);
	t->given_hash = hash(it->given);
	t->sent_to = mem_strdup(it->sent_to);
	t->at = ++m->clock;
	if (!before || text_same(before, it->sent_to))
		return NULL;
	return TAKE(before);
}

/* ---- where a board that is connected was sent ---- */

static struct sent *place_of(struct memory *m, const char *id)
{
	uint32_t wanted = hash(id);
	size_t oldest = 0;

	for (size_t i = 0; i < m->sent_count; i++) {
		if (m->sent[i].hash == wanted && text_same(m->sent[i].id, id))
			return &m->sent[i];
		if (m->sent[i].at < m->sent[oldest].at)
			oldest = i;
	}
	if (m->sent_count == MEMORY_MAX) {
		empty_sent(&m->sent[oldest]);
		return &m->sent[oldest];
	}
	m->sent = mem_grow(m->sent, &m->sent_capacity, m->sent_count,
			   sizeof(*m->sent));
	m->sent[m->sent_count] = (struct sent){ 0 };
	return &m->sent[m->sent_count++];
}

char *memory_sent(struct memory *m, const char *id, const char *url)
{
	struct sent *s = place_of(m, id);
	CLEANUP(mem_free_ptr) char *before = TAKE(s->url);

	empty_sent(s);
	*s = (struct sent){ mem_strdup(id), mem_strdup(url), hash(id),
			    ++m->clock };
	return before && strcmp(before, url) != 0 ? TAKE(before) : NULL;
}
