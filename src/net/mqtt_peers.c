/* SPDX-License-Identifier: MIT */
/*
 * The devices of a hub by client id. The ids are theirs to choose, so the
 * hash is salted.
 */
#include <string.h>

#include "base/mem.h"
#include "net/mqtt_private.h"

#define FNV_PRIME 0x100000001b3u

static size_t place(const struct mqtt_hub *hub, const char *client_id)
{
	uint64_t hash = hub->seed;

	for (const char *p = client_id; *p; p++)
		hash = (hash ^ (unsigned char)*p) * FNV_PRIME;
	hash ^= hash >> 32;
	return (size_t)hash & (hub->slots - 1);
}

struct mqtt_peer *mqtt_peers_find(const struct mqtt_hub *hub,
				  const char *client_id)
{
	struct mqtt_peer *p =
		hub->slots ? hub->slot[place(hub, client_id)] : NULL;

	while (p && strcmp(p->client_id, client_id) != 0)
		p = p->next;
	return p;
}

static void grow(struct mqtt_hub *hub)
{
	struct mqtt_peer **old = hub->slot;
	size_t slots = hub->slots;

	hub->slots = slots ? slots * 2 : 16;
	hub->slot = mem_zalloc(hub->slots * sizeof(void *));
	for (size_t i = 0; i < slots; i++) {
		struct mqtt_peer *next;

		for (struct mqtt_peer *p = old[i]; p; p = next) {
			struct mqtt_peer **to =
				&hub->slot[place(hub, p->client_id)];

			next = p->next;
			p->next = *to;
			*to = p;
		}
	}
	mem_free(old);
}

void mqtt_peers_add(struct mqtt_hub *hub, struct mqtt_peer *p)
{
	struct mqtt_peer **to;

	if (hub->count >= hub->slots)
		grow(hub);
	to = &hub->slot[place(hub, p->client_id)];
	p->next = *to;
	*to = p;
	hub->count++;
}

void mqtt_peers_remove(struct mqtt_hub *hub, struct mqtt_peer *p)
{
	struct mqtt_peer **at = &hub->slot[place(hub, p->client_id)];

	while (*at && *at != p)
		at = &(*at)->next;
	if (!*at)
		return; /* another has its place already */
	*at = p->next;
	hub->count--;
}
