/* SPDX-License-Identifier: MIT */
#include "serve/missing.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

static void drop(struct missing *m, size_t i)
{
	mem_free(m->item[i].device_id);
	mem_free(m->item[i].address);
	memmove(&m->item[i], &m->item[i + 1],
		(m->count - i - 1) * sizeof(*m->item));
	m->count--;
}

void missing_done(struct missing *m)
{
	while (m->count > 0)
		drop(m, m->count - 1);
}

void missing_came(struct missing *m, const char *device_id)
{
	for (size_t i = 0; device_id && i < m->count; i++) {
		if (strcasecmp(m->item[i].device_id, device_id) == 0) {
			drop(m, i);
			return;
		}
	}
}

void missing_sent(struct missing *m, const char *device_id, const char *address,
		  int64_t now)
{
	if (!device_id || !*device_id)
		return;
	missing_came(m, device_id);
	if (m->count == MISSING_MAX)
		drop(m, 0);
	m->item[m->count++] =
		(struct missing_board){ .device_id = mem_strdup(device_id),
					.address = mem_strdup(address),
					.asked_at = now };
}

const struct missing_board *missing_due(struct missing *m, int64_t now)
{
	for (size_t i = 0; i < m->count; i++) {
		struct missing_board *b = &m->item[i];

		if (!b->told && now - b->asked_at >= MISSING_MS) {
			b->told = true;
			return b;
		}
	}
	return NULL;
}

int64_t missing_deadline(const struct missing *m)
{
	for (size_t i = 0; i < m->count; i++)
		if (!m->item[i].told)
			return m->item[i].asked_at + MISSING_MS;
	return INT64_MAX;
}

const struct missing_board *missing_last(const struct missing *m)
{
	for (size_t i = m->count; i-- > 0;)
		if (m->item[i].told)
			return &m->item[i];
	return NULL;
}
