/* SPDX-License-Identifier: MIT */
/*
 * The commands that `run` runs, from a file, stdin, and -e, checked before the
 * first one is started. It runs nothing.
 */
#ifndef CLI_SCRIPT_H
#define CLI_SCRIPT_H

#include "cli/app.h"

struct script_line {
	char *source; /* "smoke.txt", "stdin", "-e"; owned */
	size_t number; /* of the line in the file; of the -e */
	char *text; /* the line without the white space around it; owned */
	struct words words;
	const struct command *command;
};

struct script {
	struct script_line *line;
	size_t count, capacity;
};

/*
 * Blank lines and lines that begin with # are left out. -1 (ERR_USAGE): not
 * readable; or, with file and line in front, a quote that is not closed, an
 * unknown command or option, a command that makes no sense on an open session.
 */
int script_add_file(struct script *s, struct app *app, const char *path,
		    struct error *err);
int script_add_commands(struct script *s, const struct words *given,
			struct error *err);
void script_done(struct script *s);

/* Put "smoke.txt:3: " or "command 2: " in front of an error. */
int script_prefix(const struct script_line *line, struct error *err);

#endif
