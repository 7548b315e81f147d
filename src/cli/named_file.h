/* SPDX-License-Identifier: MIT */
/*
 * The mcp.json files: which there are, and their entries as JSON. What an
 * entry means is named_entry's matter.
 */
#ifndef CLI_NAMED_FILE_H
#define CLI_NAMED_FILE_H

#include "base/json.h"
#include "base/split.h"

#define NAMED_FILE_MAX (1u << 20) /* bytes */
#define NAMED_ENTRIES_MAX 1000 /* of one file */

struct named_file {
	char *path;
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
 * Read config_file alone; or, if that is NULL, what is there of .mcp.json and
 * mcp.json in the current folder and each one above, then mcp.json of the
 * configuration folder. Comments and a comma before a bracket are accepted.
 * A file that was found and not given must belong to the user or to root: in a
 * folder that others can write to, it says what is run here.
 */
void named_files_read(struct named_files *out, const char *config_file);
void named_files_done(struct named_files *f);

/* The entry of that name; NULL. Lent. */
const cJSON *named_file_entry(const struct named_file *f, const char *name);

#endif
