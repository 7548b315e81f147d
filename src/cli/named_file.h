/* SPDX-License-Identifier: MIT */
/*
 * The mcp.json files: which there are, and their entries as JSON. What an
 * entry means is named_entry's matter.
 */
#ifndef CLI_NAMED_FILE_H
#define CLI_NAMED_FILE_H

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/split.h"
#include "cli/trust_store.h"
#include "net/endpoint.h"

#define NAMED_FILE_MAX TRUST_TEXT_MAX /* bytes */
#define NAMED_ENTRIES_MAX 1000 /* of one file */

struct named_file {
	char *path; /* that of a project: of its real folder */
	bool own; /* the user's, or given; else a project's, and trust counts */
	enum trust_state
		trust; /* of what was read, not of what is there later */
	struct buf text; /* that: as it was read */
	/* A project's: its folder, where its commands run. NULL: the current one. */
	char *folder;
	cJSON *json;
	const cJSON *servers; /* an object; NULL: problem says why not */
	struct error problem; /* ERR_USAGE */
};

struct named_files { /* zeroed at first */
	struct named_file *item; /* in the order in which they count */
	size_t count, capacity;
	struct words looked; /* each place that was looked at */
};

/*
 * Read config_file alone; or, if that is NULL, mcp.json of the configuration
 * folder, then what is there of .mcp.json and mcp.json in the current folder
 * and each one above. Comments and a comma before a bracket are accepted.
 * A file that was found and not given must belong to the user or to root: in a
 * folder that others can write to, it says what is run here. So must a link.
 */
void named_files_read(struct named_files *out, const char *config_file);
/*
 * One file of a project, as if it was found. -1 (ERR_USAGE): its folder is not
 * there, or a file of that name is never looked for.
 */
int named_files_add(struct named_files *out, const char *file,
		    struct error *err);
void named_files_done(struct named_files *f);

/* Its path as that of a project's file, though it may be gone. Yours; NULL: as above. */
char *named_file_path(const char *file, struct error *err);

/* The servers in the bytes of a file, lent from *json, which is yours; NULL: there are none. */
const cJSON *named_file_parse(cJSON **json, const struct buf *text,
			      const char *path, struct error *err);

/* The entry of that name; NULL. Lent. */
const cJSON *named_file_entry(const struct named_file *f, const char *name);

struct named_place { /* where it stands; lent */
	const char *file;
	const char
		*folder; /* that "cwd" is counted from; NULL: the current one */
};

/*
 * The entry as an endpoint, with its variables. -1 (ERR_USAGE): which member is
 * wrong, and how; *out is empty then. No value of a header, a variable or an
 * argument stands in the error.
 */
int named_entry_endpoint(struct endpoint *out, const cJSON *entry,
			 const struct named_place *place, struct error *err);

/*
 * The entry as a target would be written, its variables by their names,
 * secrets as ***; "" where it is none. Yours.
 */
char *named_entry_shown(const cJSON *entry);

#define NAMED_TEXT_MAX (64u << 10) /* bytes of a text with its variables */

/*
 * The text with its variables, yours; ${env:VAR} is the same as ${VAR}. The
 * default counts where the variable is not set or empty; it is taken as it is,
 * up to the first '}'. NULL (ERR_USAGE): a variable is not set, the braces
 * are not understood, or it becomes too long. No value stands in the error.
 */
char *named_expand(const char *text, struct error *err);

/*
 * The names of its variables, added to out, each once, as long as out has
 * fewer than max. Reads no variable.
 */
void named_expand_names(struct words *out, const char *text, size_t max);

/*
 * Append the words that name the target, quoted for a shell, with a space
 * behind them: "-t NAME ", with "--config FILE " in front if config_file is not
 * NULL; a target with ':' without its secrets: "ws://HOST/PATH ". Nothing if
 * target is NULL or empty.
 */
void named_words(struct buf *out, const char *target, const char *config_file);

#endif
