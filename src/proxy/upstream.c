/* SPDX-License-Identifier: MIT */
/* Addresses, and who was told which. */
#include "proxy/upstream.h"

#include <string.h>

#include "base/mem.h"
#include "net/address.h"
#include "net/endpoint.h"
#include "wire/board_text.h"

int upstream_read(struct upstream *out, const char *url, struct error *err)
{
	struct board_url u;

	*out = (struct upstream){ 0 };
	if (!board_url_read(&u, url) || u.more_port) {
		CLEANUP(mem_free_ptr)
		char *shown = endpoint_without_password(url);

		return error_set(
			err, ERR_USAGE,
			"'%.200s' is no address: expected SCHEME://HOST[:PORT]/PATH",
			shown);
	}
	*out = (struct upstream){ .url = mem_strdup(url),
				  .host = mem_strndup(u.host, u.host_len),
				  .path = mem_strdup(u.path),
				  .port = u.port,
				  .has_port = u.has_port,
				  .tls = u.tls };
	return 0;
}

void upstream_host(const struct upstream *u, bool port, struct buf *out)
{
	authority_print(out, u->host, port && u->has_port ? u->port : 0);
}

void upstream_done(struct upstream *u)
{
	mem_free(u->url);
	mem_free(u->host);
	mem_free(u->path);
	*u = (struct upstream){ 0 };
}

/* ---- who was told what ---- */

struct told_url {
	struct told_url *next;
	char *device, *from, *url, *reached;
};

static uint64_t hash_of(const char *device, const char *from)
{
	return map_hash_text(device) ^ map_hash_text(from) << 1;
}

static struct told_url *find(const struct told_urls *t, const char *device,
			     const char *from)
{
	uint64_t hash = hash_of(device, from);
	struct told_url *u;
	size_t at = 0;

	while ((u = map_find(&t->map, hash, &at))) {
		if (strcmp(u->device, device) == 0 &&
		    strcmp(u->from, from) == 0)
			return u;
	}
	return NULL;
}

static void forget_first(struct told_urls *t)
{
	struct told_url *u = t->first;

	t->first = u->next;
	if (!t->first)
		t->last = NULL;
	map_remove(&t->map, hash_of(u->device, u->from), u);
	t->count--;
	mem_free(u->device);
	mem_free(u->from);
	mem_free(u->url);
	mem_free(u->reached);
	mem_free(u);
}

static void put_last(struct told_urls *t, struct told_url *u)
{
	if (t->last)
		t->last->next = u;
	else
		t->first = u;
	t->last = u;
	t->count++;
	map_add(&t->map, hash_of(u->device, u->from), u);
}

char *told_add(struct told_urls *t, const struct told_question *o)
{
	struct told_url *u = find(t, o->device, o->from);
	CLEANUP(mem_free_ptr) char *before = NULL;

	if (!u) {
		if (t->count == TOLD_MAX)
			forget_first(t);
		u = mem_zalloc(sizeof(*u));
		u->device = mem_strdup(o->device);
		u->from = mem_strdup(o->from);
		put_last(t, u);
	}
	before = u->url;
	mem_free(u->reached);
	u->url = mem_strdup(o->url);
	u->reached = mem_strdup(o->reached);
	return before && strcmp(before, o->url) != 0 ? TAKE(before) : NULL;
}

const char *told_find(const struct told_urls *t, const char *device,
		      const char *from)
{
	const struct told_url *u = device ? find(t, device, from) : NULL;

	if (u)
		return u->url;
	for (u = t->first; u; u = u->next) {
		if (strcmp(u->url, t->first->url) != 0)
			return NULL;
	}
	return t->first ? t->first->url : NULL;
}

const char *told_reached(const struct told_urls *t, const char *device,
			 const char *from)
{
	const struct told_url *u = device ? find(t, device, from) : NULL;

	return u ? u->reached : NULL;
}

void told_done(struct told_urls *t)
{
	while (t->first)
		forget_first(t);
	map_done(&t->map);
}
