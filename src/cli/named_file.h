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

#define NAMED_FILE_MAX TRUST_TEXT_MAX /* bytes */
#define NAMED_ENTRIES_MAX 1000 /* of one file */
#define NAMED_FOLDER_MAX \
	100 /* files of a folder that is all files of servers */

struct named_file {
	char *path; /* that of a project: of its real folder */
	const char *client; /* whose file it is: "Cursor"; NULL: anybody's */
	bool own; /* the user's, or given; else a project's, and trust counts */
	enum trust_state
		trust; /* of what was read, not of what is there later */
	struct buf text; /* that: as it was read */
	/* A project's: its folder, where its commands run. NULL: the current one. */
	char *folder;
	cJSON *json;
	const cJSON *servers; /* an object; NULL: problem says why not */
	struct error
		problem; /* ERR_USAGE; ERR_CONNECT: a part of ours is missing */
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
 * Behind them those of other clients (cli/named_forms): the user's own, then
 * those of the current folder and each one above. An own file is none of a
 * project as well.
 */
void named_files_read_clients(struct named_files *out);
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

#endif
