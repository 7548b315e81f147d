/* SPDX-License-Identifier: MIT */
/*
 * The files in which MCP clients keep their servers: where they stand on Linux
 * and macOS, and their entries in the one form that cli/named_entry reads:
 * {"type", "command", "args", "env", "cwd"} or {"type", "url", "headers"}, with
 * variables as ${NAME}. A form is told by the end of the file's name and by
 * the members that are there, so that --config reads each of them too.
 */
#ifndef CLI_NAMED_FORMS_H
#define CLI_NAMED_FORMS_H

#include "base/json.h"

struct client_place {
	const char *client; /* "VS Code" */
	/* Below the home folder, $XDG_CONFIG_HOME, or the folder of a project. */
	enum { PLACE_HOME, PLACE_CONFIG, PLACE_PROJECT } below;
	const char *path; /* a '*' at its end: each file there */
	const char *variable; /* names a folder that stands for path's; NULL */
};

/* All places of other clients; ends with client NULL. */
extern const struct client_place client_places[];

/* Bytes of the end of path that a project's file of theirs may have; 0: none. */
size_t client_file_suffix(const char *path);

/*
 * The bytes of a file as {"mcpServers": {NAME: ENTRY}}; yours. here: the
 * current folder, whose projects count in Claude Code's own file; NULL. NULL
 * (ERR_USAGE): it cannot be read (what, where), or says nothing of servers
 * though it is a file for nothing else. A loaded part that is missing is
 * ERR_CONNECT.
 */
cJSON *named_form_read(const struct buf *text, const char *path,
		       const char *here, struct error *err);

/* Its client does not use the entry now ("disabled", "enabled": false). */
bool named_form_is_off(const cJSON *entry);

#endif
