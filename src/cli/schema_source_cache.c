/* SPDX-License-Identifier: MIT */
/*
 * Tools of a listing that was kept.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/schema_source_private.h"

#define LISTEN "listen:"

/* True if it is there. */
static bool open_key(struct schema_cache *c, const char *key)
{
	return key && schema_cache_open(c, key, NULL) == 0;
}

/* serve's ids are in small letters. */
static char *id_of(const char *device, const struct aliases *aliases)
{
	char *id = NULL;

	for (size_t i = 0; !id && i < aliases->count; i++) {
		if (text_same(aliases->item[i].name, device))
			id = mem_strdup(aliases->item[i].id);
	}
	if (!id)
		id = mem_strdup(device);
	for (char *p = id; *p; p++)
		*p = (char)text_lower(*p);
	return id;
}

bool source_cache_open(struct schema_cache *c, const char *target,
		       const char *device, const struct aliases *aliases)
{
	CLEANUP(mem_free_ptr) char *key = NULL;
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (target) {
		key = schema_cache_key(target, NULL);
		return open_key(c, key) ||
		       (text_starts(target, LISTEN) && open_key(c, LISTEN));
	}
	if (device && *device) {
		id = id_of(device, aliases);
		key = schema_cache_key(NULL, id);
		if (open_key(c, key))
			return true;
		mem_free(key);
	}
	key = schema_cache_newest();
	return open_key(c, key);
}

static bool begins(struct span text, const char *prefix, size_t len)
{
	return text.len >= len && memcmp(text.text, prefix, len) == 0;
}

void source_cache_tools(struct schema_cache *c, const char *prefix,
			schema_each *each, void *to)
{
	size_t len = strlen(prefix);
	CLEANUP(buf_done) struct buf word = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };
	struct span name, brief, json;

	for (size_t i = schema_cache_find(c, prefix);
	     schema_cache_tool(c, i, &name, &brief, &json) &&
	     begins(name, prefix, len);
	     i++) {
		buf_reset(&word);
		buf_reset(&text);
		buf_add(&word, name.text, name.len);
		buf_add(&text, brief.text, brief.len);
		each(to, buf_string(&word), buf_string(&text));
	}
}

bool source_cache_tool(struct schema_cache *c, const char *name,
		       struct buf *out)
{
	struct span found, brief, json;
	size_t len = strlen(name), i = schema_cache_find(c, name);

	if (!schema_cache_tool(c, i, &found, &brief, &json) ||
	    found.len != len || memcmp(found.text, name, len) != 0)
		return false;
	buf_add(out, json.text, json.len);
	return true;
}
