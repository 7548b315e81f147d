/* SPDX-License-Identifier: MIT */
/*
 * What boards told when they asked OTA, found again by Device-Id or by the
 * client id that they were given. Strangers can fill it, so the oldest go.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/door_private.h"

/* FNV-1a without case: some boards write their digits otherwise here and there. */
static uint32_t hash(const char *text)
{
	uint32_t sum = 2166136261u;

	for (; text && *text; text++)
		sum = (sum ^ (uint32_t)text_lower(*text)) * 16777619u;
	return sum;
}

static void forget(struct told *t)
{
	mem_free(t->given);
	mem_free(t);
}

void memory_done(struct memory *m)
{
	for (size_t i = 0; i < m->count; i++)
		forget(m->item[i]);
	words_done(&m->hosts);
	*m = (struct memory){ 0 };
}

static struct told *find(const struct memory *m, const char *id)
{
	uint32_t wanted = hash(id);

	for (size_t i = 0; id && *id && i < m->count; i++) {
		if (m->item[i]->id_hash == wanted &&
		    text_same(m->item[i]->asked.device_id, id))
			return m->item[i];
	}
	return NULL;
}

static struct told *find_given(const struct memory *m, const char *id)
{
	uint32_t wanted = hash(id);

	for (size_t i = 0; id && *id && i < m->count; i++) {
		if (m->item[i]->given && m->item[i]->given_hash == wanted &&
		    text_same(m->item[i]->given, id))
			return m->item[i];
	}
	return NULL;
}

const struct told *memory_find(const struct memory *m, const char *device_id)
{
	return find(m, device_id);
}

const struct told *memory_find_given(const struct memory *m,
				     const char *client_id)
{
	return find_given(m, client_id);
}

const char *memory_host(struct memory *m, const char *host)
{
	for (size_t i = 0; i < m->hosts.count; i++) {
		if (!strcmp(m->hosts.word[i], host))
			return m->hosts.word[i];
	}
	if (m->hosts.count >= HOSTS_MAX)
		return NULL;
	words_add(&m->hosts, host);
	return m->hosts.word[m->hosts.count - 1];
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
	mem_free(m->item[oldest]->given);
	*m->item[oldest] = (struct told){ 0 };
	return m->item[oldest];
}

void memory_tell(struct memory *m, const struct ota_request *asked,
		 const char *host, const char *given)
{
	struct told *t = find(m, asked->device_id);

	if (!t && !asked->device_id[0]) {
		if (!given)
			return;
		t = find_given(m, given);
	}
	if (!t)
		t = make_room(m);
	t->asked = *asked;
	t->id_hash = hash(asked->device_id);
	t->host = memory_host(m, host);
	mem_free(t->given);
	t->given = mem_strdup(given);
	t->given_hash = hash(given);
	t->at = ++m->clock;
}
