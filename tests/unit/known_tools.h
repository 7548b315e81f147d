/* SPDX-License-Identifier: MIT */
/*
 * A fixed source of tools and devices, from literal JSON.
 */
#ifndef KNOWN_TOOLS_H
#define KNOWN_TOOLS_H

#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text.h"
#include "cli/catalog.h"

struct known_tool {
	const char *name, *brief, *schema; /* schema NULL: none */
};

struct known {
	const struct known_tool *tool; /* sorted by name; ends with NULL */
	const char *const (*device)[2]; /* ends with NULL */
	bool unknown;
};

static inline void known_each_tool(void *owner, const char *prefix,
				   schema_each *each, void *to)
{
	const struct known *k = owner;

	for (const struct known_tool *t = k->tool; t && t->name; t++) {
		if (text_starts(t->name, prefix))
			each(to, t->name, t->brief);
	}
}

static inline bool known_find_tool(void *owner, const char *name,
				   struct buf *out)
{
	const struct known *k = owner;

	for (const struct known_tool *t = k->tool; t && t->name; t++) {
		if (strcmp(t->name, name) != 0)
			continue;
		buf_text(out, "{\"name\":");
		buf_json_string(out, name, strlen(name));
		if (t->schema)
			buf_printf(out, ",\"inputSchema\":%s", t->schema);
		buf_char(out, '}');
		return true;
	}
	return false;
}

static inline void known_each_device(void *owner, const char *prefix,
				     schema_each *each, void *to)
{
	const struct known *k = owner;

	for (size_t i = 0; k->device && k->device[i][0]; i++) {
		if (strncasecmp(k->device[i][0], prefix, strlen(prefix)) == 0)
			each(to, k->device[i][0], k->device[i][1]);
	}
}

static inline bool known_is_known(void *owner)
{
	const struct known *k = owner;

	return !k->unknown;
}

static inline struct schema_source known_source(struct known *k)
{
	return (struct schema_source){ .tools = known_each_tool,
				       .tool = known_find_tool,
				       .devices = known_each_device,
				       .known = known_is_known,
				       .owner = k };
}

#endif
