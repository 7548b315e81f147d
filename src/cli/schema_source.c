/* SPDX-License-Identifier: MIT */
/*
 * Which place is asked: the serve that runs, or a kept listing. Found out at
 * the first question, and so it stays.
 */
#include "cli/schema_source.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/items_cache.h"
#include "cli/schema_source_private.h"
#include "mcp/name_set.h"

#define ATTACH "attach:"

enum place { PLACE_UNDECIDED, PLACE_SERVE, PLACE_CACHE, PLACE_NONE };

struct places {
	char *target, *device, *socket; /* target NULL: what serve holds */
	enum place place;
	struct source_serve serve;
	struct schema_cache cache;
	bool has_aliases;
	struct aliases aliases;
};

/* As they are in the configuration; a broken file is as good as none. */
static const struct aliases *aliases_of(struct places *p)
{
	if (!p->has_aliases)
		aliases_read(&p->aliases, NULL, NULL);
	p->has_aliases = true;
	return &p->aliases;
}

/* prefix: what will be asked next, so that it is asked only once. */
static enum place decide(struct places *p, const char *prefix)
{
	if (p->place != PLACE_UNDECIDED)
		return p->place;
	if (!p->target && source_serve_has(&p->serve, prefix))
		p->place = PLACE_SERVE;
	else if (source_cache_open(&p->cache, p->target, p->device,
				   aliases_of(p)))
		p->place = PLACE_CACHE;
	else
		p->place = PLACE_NONE;
	return p->place;
}

static void each_tool(void *owner, const char *prefix, schema_each *each,
		      void *to)
{
	struct places *p = owner;
	enum place place = decide(p, prefix);

	if (place == PLACE_SERVE && source_serve_has(&p->serve, prefix))
		source_serve_tools(&p->serve, each, to);
	else if (place == PLACE_CACHE)
		source_cache_tools(&p->cache, prefix, each, to);
}

static bool find_tool(void *owner, const char *name, struct buf *out)
{
	struct places *p = owner;
	enum place place = decide(p, name);

	if (place == PLACE_SERVE)
		return source_serve_tool(&p->serve, name, out);
	return place == PLACE_CACHE && source_cache_tool(&p->cache, name, out);
}

static bool open_items(struct schema_cache *c, const struct places *p,
		       enum list_kind kind)
{
	CLEANUP(mem_free_ptr) char *key = NULL;

	if (!p->target)
		return false;
	key = items_cache_key(p->target, kind);
	return *key && schema_cache_open(c, key, NULL) == 0;
}

static bool each_item(void *owner, enum list_kind kind, const char *prefix,
		      schema_each *each, void *to)
{
	CLEANUP(schema_cache_close) struct schema_cache cache = { 0 };

	if (!open_items(&cache, owner, kind))
		return false;
	source_cache_tools(&cache, prefix, each, to);
	return true;
}

static bool find_item(void *owner, enum list_kind kind, const char *key,
		      struct buf *out)
{
	CLEANUP(schema_cache_close) struct schema_cache cache = { 0 };

	return open_items(&cache, owner, kind) &&
	       source_cache_tool(&cache, key, out);
}

static bool is_known(void *owner)
{
	struct places *p = owner;

	if (p->place == PLACE_UNDECIDED)
		decide(p, "");
	return p->place != PLACE_NONE;
}

struct list_telling {
	schema_each *each;
	void *to;
	struct name_set told;
};

static void tell(void *owner, const char *name, const char *brief)
{
	struct list_telling *t = owner;

	if (name_set_add(&t->told, name, 0) == NAME_NONE)
		t->each(t->to, name, brief);
}

static void each_device(void *owner, const char *prefix, schema_each *each,
			void *to)
{
	struct places *p = owner;
	const struct aliases *a = aliases_of(p);
	struct list_telling t = { .each = each, .to = to };

	source_serve_devices(&p->serve, prefix, tell, &t);
	for (size_t i = 0; i < a->count; i++) {
		if (strncasecmp(a->item[i].name, prefix, strlen(prefix)) == 0)
			tell(&t, a->item[i].name, a->item[i].id);
	}
	name_set_done(&t.told);
}

static void release(void *owner)
{
	struct places *p = owner;

	source_serve_done(&p->serve);
	schema_cache_close(&p->cache);
	aliases_done(&p->aliases);
	mem_free(p->target);
	mem_free(p->device);
	mem_free(p->socket);
	mem_free(p);
}

void schema_source_open(struct schema_source *out, const char *target,
			const char *device, const char *socket,
			int64_t serve_ms)
{
	struct places *p = mem_zalloc(sizeof(*p));

	if (target && text_starts(target, ATTACH)) {
		if (target[strlen(ATTACH)])
			socket = target + strlen(ATTACH);
		target = NULL;
	}
	p->target = mem_strdup(target);
	p->device = mem_strdup(device);
	p->socket = mem_strdup(socket);
	p->serve.socket = p->socket;
	p->serve.device = p->device;
	p->serve.ms = serve_ms;
	*out = (struct schema_source){ .tools = each_tool,
				       .tool = find_tool,
				       .devices = each_device,
				       .items = each_item,
				       .item = find_item,
				       .known = is_known,
				       .release = release,
				       .owner = p };
}

void schema_source_close(struct schema_source *s)
{
	if (s->release)
		s->release(s->owner);
	*s = (struct schema_source){ 0 };
}
