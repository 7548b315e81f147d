/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a kept listing: what opens has sorted lines of three parts,
 * and all of it is inside the file.
 */
#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "cli/catalog_file.h"
#include "cli/schema_cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_tool(const struct schema_cache *c, size_t i)
{
	const char *end = c->map + c->size;
	CLEANUP(mem_free_ptr) char *prefix = NULL;
	struct span name, brief, json;

	assert(schema_cache_tool(c, i, &name, &brief, &json));
	assert(name.text > c->map && name.len > 0);
	assert(brief.text == name.text + name.len + 1);
	assert(json.text == brief.text + brief.len + 1);
	assert(json.text + json.len < end && json.text[json.len] == '\n');
	prefix = mem_strndup(name.text, name.len);
	assert(schema_cache_find(c, prefix) <= i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* A copy of its own: what is read behind it is noticed. */
	char *copy = mem_alloc(size + 1);
	struct schema_cache c = { .size = size };
	struct span name, brief, json;

	memcpy(copy, data, size);
	c.map = mem_realloc(copy, size ? size : 1);
	if (size > 0 && schema_lines_read(&c) == 0) {
		assert(c.target && *c.target && c.time >= 0);
		for (size_t i = 0; i < c.count; i++)
			check_tool(&c, i);
		assert(!schema_cache_tool(&c, c.count, &name, &brief, &json));
	}
	mem_free((void *)(uintptr_t)c.map);
	c.map = NULL;
	schema_cache_close(&c);
	return 0;
}
