/* SPDX-License-Identifier: MIT */
/*
 * What is known of tools and devices without asking a device: from a running
 * serve, from the cache of a target, or from the open session of the shell.
 * What is kept in files is catalog_file.h's.
 */
#ifndef CLI_CATALOG_H
#define CLI_CATALOG_H

#include "mcp/listing.h"

struct connection;

typedef void schema_each(void *to, const char *name, const char *brief);

/* Names are as the peer gave them: whoever shows them makes them safe. */
struct schema_source {
	/* Tools whose name begins with prefix, sorted by name; brief: first line of the description. */
	void (*tools)(void *owner, const char *prefix, schema_each *each,
		      void *to);
	/* The tool's JSON text into out; false: not known. */
	bool (*tool)(void *owner, const char *name, struct buf *out);
	/* Devices of serve and aliases that begin with prefix (without case): what -d takes, with board and state. */
	void (*devices)(void *owner, const char *prefix, schema_each *each,
			void *to);
	/* The same of servers that are kept open, alone. */
	void (*held)(void *owner, const char *prefix, schema_each *each,
		     void *to);
	/*
	 * Resources, templates or prompts whose key begins with prefix. False:
	 * they were never listed. NULL: nothing is known of them.
	 */
	bool (*items)(void *owner, enum list_kind kind, const char *prefix,
		      schema_each *each, void *to);
	/* One of them as a tool (cli/catalog_file.h); false: not known. */
	bool (*item)(void *owner, enum list_kind kind, const char *key,
		     struct buf *out);
	/* Whether there is a list of tools at all, empty or not. */
	bool (*known)(void *owner);
	void (*release)(void *owner); /* NULL: nothing to release */
	void *owner;
};

/* TAB must never be felt: so long a serve has. */
#define SCHEMA_SOURCE_MS 100

/*
 * For a command line: target (NULL: none given), device and socket as on it,
 * copied. A target: its cache; none, or attach: the running serve, else the
 * cache of what a serve showed last. serve_ms: what that serve may take for all
 * that it is asked, from the first question on (else it is as if there were
 * none). Nothing is opened before it is needed.
 * Always usable; knows nothing if there is nothing.
 */
void schema_source_open(struct schema_source *out, const char *target,
			const char *device, const char *socket,
			int64_t serve_ms);
/*
 * For the shell, one TAB long: its session's list; before that was asked for,
 * as schema_source_open with the session's target. Asks no device.
 */
void schema_source_session(struct schema_source *out,
			   struct connection *connection);
void schema_source_close(struct schema_source *s);

#endif
