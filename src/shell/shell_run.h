/* SPDX-License-Identifier: MIT */
/* What a line means, and running it; pipes and `!`. */
#ifndef SHELL_SHELL_RUN_H
#define SHELL_SHELL_RUN_H

#include "shell/shell.h"

/* Lines of stdin, as they come; of a file. -1: the first failure. */
int shell_script(struct shell *s, struct error *err);
int shell_script_file(struct shell *s, const char *path, bool keep_going,
		      struct error *err);

/*
 * What was typed, mostly one line: builtins, commands, tools, pipes, one after
 * another until one fails. -1: err, nothing was shown.
 */
int shell_run_line(struct shell *s, const char *text, struct error *err);
/* Whether a command makes sense here. */
bool shell_allows(const struct command *c);

/* sh -c command, in the foreground. -1: ERR_UNMET, it failed (a script). */
int shell_outside(struct shell *s, const char *command, struct error *err);
/* What stands in front of a pipe, or alone. */
int shell_words(struct shell *s, char *const *words, size_t count,
		struct error *err);

#endif
