/* SPDX-License-Identifier: MIT */
/*
 * The places where tools and devices may be known, for cli/schema_source*.c.
 */
#ifndef CLI_SCHEMA_SOURCE_PRIVATE_H
#define CLI_SCHEMA_SOURCE_PRIVATE_H

#include "base/split.h"
#include "cli/schema_cache.h"
#include "cli/schema_source.h"
#include "net/control_quick.h"
#include "serve/aliases.h"

/* A running serve; the rest zeroed at first, connected when it is asked. */
struct source_serve {
	const char *socket, *device; /* lent; NULL */
	int64_t ms; /* for all that it is asked */
	bool tried; /* to connect */
	struct control_quick quick;
	char *names; /* its last answer to `names`, and for which prefix */
	size_t len;
	char *prefix;
	struct words lists; /* which lists the answer is from */
};
void source_serve_done(struct source_serve *s);
/* Ask for names; false: nothing is listed there. */
bool source_serve_has(struct source_serve *s, const char *prefix);
/* What was asked last. */
void source_serve_tools(struct source_serve *s, schema_each *each, void *to);
bool source_serve_tool(struct source_serve *s, const char *name,
		       struct buf *out);
/* False: no serve answers. */
bool source_serve_devices(struct source_serve *s, const char *prefix,
			  schema_each *each, void *to);

/* The kept listings. */
bool source_cache_open(struct schema_cache *c, const char *target,
		       const char *device, const struct aliases *aliases);
void source_cache_tools(struct schema_cache *c, const char *prefix,
			schema_each *each, void *to);
bool source_cache_tool(struct schema_cache *c, const char *name,
		       struct buf *out);

#endif
