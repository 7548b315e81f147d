/* SPDX-License-Identifier: MIT */
/* Addresses, and who was told which. */
#include "proxy/upstream.h"

#include <string.h>

#include "base/mem.h"
#include "net/address.h"
#include "wire/board_text.h"

int upstream_read(struct upstream *out, const char *url, struct error *err)
{
	struct board_url u;

	*out = (struct upstream){ 0 };
	if (!board_url_read(&u, url) || u.more_port)
		return error_set(
			err, ERR_USAGE,
			"'%.200s' is no address: expected SCHEME://HOST[:PORT]/PATH",
			url);
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
	char *device, *url, *reached;
};

static struct told_url *find(const struct told_urls *t, const char *device)
{
	uint64_t hash = map_hash_text(device);
	struct told_url *u;
	size_t at = 0;

	while ((u = map_find(&t->map, hash, &at))) {
		if (strcmp(u->device, device) == 0)
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
	map_remove(&t->map, map_hash_text(u->device), u);
	t->count--;
	mem_free(u->device);
	mem_free(u->url);
	mem_free(u->reached);
	mem_free(u);
}

void told_add(struct told_urls *t, const char *device, const char *url,
	      const char *reached)
{
	struct told_url *u = find(t, device);

	if (u) {
		mem_free(u->url);
		mem_free(u->reached);
		u->url = mem_strdup(url);
		u->reached = mem_strdup(reached);
		return;
	}
	if (t->count == TOLD_MAX)
		forget_first(t);
	u = mem_zalloc(sizeof(*u));
	u->device = mem_strdup(device);
	u->url = mem_strdup(url);
	u->reached = mem_strdup(reached);
	if (t->last)
		t->last->next = u;
	else
		t->first = u;
	t->last = u;
	t->count++;
	map_add(&t->map, map_hash_text(device), u);
}

const char *told_find(const struct told_urls *t, const char *device)
{
	const struct told_url *u = device ? find(t, device) : NULL;

	if (u)
		return u->url;
	for (u = t->first; u; u = u->next) {
		if (strcmp(u->url, t->first->url) != 0)
			return NULL;
	}
	return t->first ? t->first->url : NULL;
}

const char *told_reached(const struct told_urls *t, const char *device)
{
	const struct told_url *u = device ? find(t, device) : NULL;

	return u ? u->reached : NULL;
}

void told_done(struct told_urls *t)
{
	while (t->first)
		forget_first(t);
	map_done(&t->map);
}
