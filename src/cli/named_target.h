/* SPDX-License-Identifier: MIT */
/*
 * Targets with a name: entries of mcp.json files ("mcpServers", as other MCP
 * clients have them). Looked for in --config FILE alone, or else in mcp.json of
 * the configuration folder ($XDG_CONFIG_HOME/mcpctl), then .mcp.json and
 * mcp.json in the current folder and each one above: a project's. The first
 * file that has a name counts. A project's may come from anybody, so it is only
 * used if the user trusted what it holds (cli/trust_store.h).
 */
#ifndef CLI_NAMED_TARGET_H
#define CLI_NAMED_TARGET_H

#include "net/endpoint.h"

struct named_file;

struct named_search { /* lent */
	const char *config_file; /* --config; NULL */
	bool trust; /* --trust: a project's file is used as it is */
	/*
	 * The name stands in a file that is not trusted. 0: now it is; what was
	 * read counts, not what is there by then. NULL: it is refused.
	 */
	int (*ask)(void *owner, const struct named_file *f, struct error *err);
	void *owner;
};

/* What there is to say of an entry that was found; zeroed at first. */
struct named_found {
	struct error passed; /* why a file before it was of no use; ERR_NONE */
	char *own,
		*shadowed; /* the user's file, and a project's whose entry of that name does not count; NULL */
};
void named_found_done(struct named_found *f);

/*
 * The entry of that name as an endpoint: scheme, host, port, path, headers of a
 * "url"; argv, env, cwd of a "command"; ${VAR} and ${VAR:-default} expanded;
 * source is the file, foreign says that it is a project's. text: as the target
 * would be written, without secrets. -1 (ERR_USAGE): no file has it (the
 * nearest name, a file that may have it but is of no use, where it was looked
 * for), the file is not trusted, or the entry or the file is broken: which
 * file, where. found may be NULL.
 */
int named_target(struct endpoint *out, const char *name,
		 const struct named_search *search, struct named_found *found,
		 struct error *err);

/*
 * By what lists of a target are kept (schema_cache.h): target itself, or the
 * text of what it names. Nobody is asked. Yours; NULL for NULL.
 */
char *named_target_text(const char *target, const struct named_search *search);

/* Whether a file has an entry of that name, be it usable or not. */
bool named_target_exists(const char *name, const struct named_search *search);

/* An entry as it was found; lent. */
struct named_entry {
	const char *name, *file;
	const char *peer; /* as a target is written; without secrets */
	const char *problem; /* why it cannot be used; NULL */
	bool hidden; /* another file before it has the same name */
	bool untrusted; /* problem says what to type; no variable was read */
};
/*
 * Each entry of all files in their order; a file that cannot be read is one
 * entry with name NULL. Asks nobody. Returns how many.
 */
size_t named_targets(const struct named_search *search,
		     void (*each)(void *owner, const struct named_entry *e),
		     void *owner);

#endif
