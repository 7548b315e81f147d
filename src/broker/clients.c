/* SPDX-License-Identifier: MIT */
/*
 * A hash table by client id. An id and mosquitto's pointer together are the
 * key: ids are not unique while one connection takes over from another.
 */
#include "broker/clients.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"
#include "base/text.h"

#define MICROSECONDS 1000000

void clients_init(struct clients *c)
{
	struct timespec now;

	*c = (struct clients){ .last_number = 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	/* Below 2^53, so that it passes through JSON. */
	c->last_number = (uint64_t)now.tv_sec * MICROSECONDS;
}

static struct broker_client **slot_of(struct clients *c, const char *id)
{
	uint64_t hash = text_hash(id, strlen(id));

	return &c->slot[(hash ^ hash >> 32) % COUNT(c->slot)];
}

static struct broker_client **
place_of(struct clients *c, const struct mosquitto *who, const char *id)
{
	struct broker_client **at = slot_of(c, id);

	while (*at && ((*at)->who != who || strcmp((*at)->id, id) != 0))
		at = &(*at)->next;
	return at;
}

static void free_client(struct broker_client *cl)
{
	mem_free(cl->id);
	mem_free(cl->address);
	mem_free(cl->user);
	mem_free(cl);
}

void clients_remove(struct clients *c, const struct mosquitto *who,
		    const char *id)
{
	struct broker_client **at, *old;

	if (!id)
		return;
	at = place_of(c, who, id);
	old = *at;
	if (!old)
		return;
	*at = old->next;
	free_client(old);
}

struct broker_client *clients_add(struct clients *c,
				  const struct mosquitto *who, const char *id,
				  const char *address, const char *user)
{
	struct broker_client **at, *cl = mem_zalloc(sizeof(*cl));

	clients_remove(c, who, id);
	at = slot_of(c, id);
	cl->who = who;
	cl->id = mem_strdup(id);
	cl->address = mem_strdup(address);
	cl->user = mem_strdup(user);
	cl->number = ++c->last_number;
	cl->since = clients_now();
	cl->next = *at;
	*at = cl;
	return cl;
}

struct broker_client *clients_find(struct clients *c,
				   const struct mosquitto *who, const char *id)
{
	return id ? *place_of(c, who, id) : NULL;
}

struct broker_client *clients_holder(struct clients *c, const char *id)
{
	struct broker_client *cl = *slot_of(c, id);

	while (cl && (cl->left || strcmp(cl->id, id) != 0))
		cl = cl->next;
	return cl;
}

void clients_each(struct clients *c,
		  void (*fn)(void *owner, struct broker_client *cl),
		  void *owner)
{
	struct broker_client *cl;

	for (size_t i = 0; i < COUNT(c->slot); i++) {
		for (cl = c->slot[i]; cl; cl = cl->next)
			fn(owner, cl);
	}
}

void clients_done(struct clients *c)
{
	struct broker_client *cl;

	for (size_t i = 0; i < COUNT(c->slot); i++) {
		while ((cl = c->slot[i])) {
			c->slot[i] = cl->next;
			free_client(cl);
		}
	}
}

int64_t clients_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
