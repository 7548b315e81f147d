/* SPDX-License-Identifier: MIT */
/*
 * Targets with a name: entries of mcp.json files ("mcpServers", as other MCP
 * clients have them). Looked for in --config FILE alone, or else .mcp.json and
 * mcp.json in the current folder and each one above, then mcp.json in the
 * configuration folder ($XDG_CONFIG_HOME/mcpctl). The first file that has a
 * name counts.
 */
#ifndef CLI_NAMED_TARGET_H
#define CLI_NAMED_TARGET_H

#include "net/endpoint.h"

/*
 * The entry of that name as an endpoint: scheme, host, port, path, headers of a
 * "url"; argv, env, cwd of a "command"; ${VAR} and ${VAR:-default} expanded;
 * source is the file. text: as the target would be written, without secrets.
 * -1 (ERR_USAGE): no file has it (the nearest name, a file that may have it but
 * is of no use, where it was looked for),
 * or the entry or the file is broken: which file, where.
 */
int named_target(struct endpoint *out, const char *name,
		 const char *config_file, struct error *err);

/*
 * The same, and *passed (zeroed at first) says why a file that counts before
 * the one that has the name was of no use: it is broken, or another user's.
 * passed may be NULL.
 */
int named_target_find(struct endpoint *out, const char *name,
		      const char *config_file, struct error *passed,
		      struct error *err);

/*
 * By what lists of a target are kept (schema_cache.h): target itself, or the
 * text of what it names. Yours; NULL for NULL.
 */
char *named_target_text(const char *target, const char *config_file);

/* Whether a file has an entry of that name, be it usable or not. */
bool named_target_exists(const char *name, const char *config_file);

/* An entry as it was found; lent. */
struct named_entry {
	const char *name, *file;
	const char *peer; /* as a target is written; without secrets */
	const char *problem; /* why it cannot be used; NULL */
	bool hidden; /* another file before it has the same name */
};
/* Each entry of all files in their order; a file that cannot be read is one entry with name NULL. Returns how many. */
size_t named_targets(const char *config_file,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner);

#endif
