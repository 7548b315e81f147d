/* SPDX-License-Identifier: MIT */
/*
 * A map by client id. An id and mosquitto's pointer together are the
 * key: ids are not unique while one connection takes over from another.
 */
#include "broker/clients.h"

#include <string.h>
#include <time.h>

#include "base/mem.h"

#define MICROSECONDS 1000000

void clients_init(struct clients *c)
{
	struct timespec now;

	*c = (struct clients){ .last_number = 0 };
	clock_gettime(CLOCK_REALTIME, &now);
	/* Below 2^53, so that it passes through JSON. */
	c->last_number = (uint64_t)now.tv_sec * MICROSECONDS;
}

/* who NULL: the one that came last and has not left. */
static struct broker_client *find(const struct clients *c,
				  const struct mosquitto *who, const char *id)
{
	struct broker_client *cl, *last = NULL;
	uint64_t hash = map_hash_text(id);
	size_t at = 0;

	while ((cl = map_find(&c->by_id, hash, &at))) {
		if (strcmp(cl->id, id) != 0 ||
		    (who ? cl->who != who : cl->left))
			continue;
		if (!last || cl->number > last->number)
			last = cl;
	}
	return last;
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
	struct broker_client *old = clients_find(c, who, id);

	if (!old)
		return;
	map_remove(&c->by_id, map_hash_text(id), old);
	free_client(old);
}

struct broker_client *clients_add(struct clients *c,
				  const struct mosquitto *who, const char *id,
				  const char *address, const char *user)
{
	struct broker_client *cl = mem_zalloc(sizeof(*cl));

	clients_remove(c, who, id);
	cl->who = who;
	cl->id = mem_strdup(id);
	cl->address = mem_strdup(address);
	cl->user = mem_strdup(user);
	cl->number = ++c->last_number;
	cl->since = clients_now();
	map_add(&c->by_id, map_hash_text(id), cl);
	return cl;
}

struct broker_client *clients_find(struct clients *c,
				   const struct mosquitto *who, const char *id)
{
	return id ? find(c, who, id) : NULL;
}

struct broker_client *clients_holder(struct clients *c, const char *id)
{
	return find(c, NULL, id);
}

void clients_each(struct clients *c,
		  void (*fn)(void *owner, struct broker_client *cl),
		  void *owner)
{
	struct broker_client *cl;
	size_t at = 0;

	while ((cl = map_each(&c->by_id, &at)))
		fn(owner, cl);
}

void clients_done(struct clients *c)
{
	struct broker_client *cl;
	size_t at = 0;

	while ((cl = map_each(&c->by_id, &at)))
		free_client(cl);
	map_done(&c->by_id);
}

int64_t clients_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}
