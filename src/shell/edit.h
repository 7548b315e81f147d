/* SPDX-License-Identifier: MIT */
/*
 * The line editor of the shell: readline on our loop. A loaded part:
 * module_table("shell", EDIT_TABLE, err). One at a time. Knows no commands.
 */
#ifndef SHELL_EDIT_H
#define SHELL_EDIT_H

#include "base/loop.h"
#include "cli/complete.h"

#define EDIT_TABLE "edit_table"

/* From the loop, while a line is being edited. */
struct edit_events {
	/* A line was finished (lent), NULL: Ctrl-D on an empty line. Editing has stopped until start. */
	void (*line)(void *owner, const char *line);
	/*
	 * TAB: what may stand at the cursor. line: up to the cursor, in the
	 * shell's own quoting (base/split.h). Fill out; the editor releases it.
	 */
	void (*complete)(void *owner, const char *line, struct completion *out);
	/*
	 * Enter: whether more lines must follow (a bracket or a quote is open).
	 * The editor goes on with the prompt "... "; line() gets all of them,
	 * with newlines between, also when Ctrl-D ends them early. NULL: never.
	 */
	bool (*incomplete)(void *owner, const char *line);
};

struct edit_table {
	/*
	 * Keys come from stdin; the line is shown on stderr, on stdout if stderr
	 * is no terminal. history: file, mode 0600, read now; NULL: none; its
	 * folder is there. -1 (ERR_CONNECT): no terminal that readline can use.
	 */
	int (*open)(struct loop *l, const struct edit_events *events,
		    void *owner, const char *history, struct error *err);
	/* Show the prompt and edit a line, from the loop. text is copied; may hold colours. */
	void (*start)(const char *prompt);
	/* Stop editing without a line: the terminal is the command's again. What was typed is kept for the next start. */
	void (*stop)(void);
	/* Another prompt for the line that is being edited. */
	void (*prompt)(const char *prompt);
	/*
	 * Around anything printed while a line is edited, whole lines and
	 * flushed: takes the line away and puts it back, at most 30 times a
	 * second unless a key comes. Nothing otherwise. They nest.
	 */
	void (*hide)(void);
	void (*show)(void);
	/* Ctrl-C while editing: the line is dropped, a fresh prompt shown. */
	void (*clear)(void);
	/* Remember a line, in the file at once (not twice in a row); with a space in front it is not kept. */
	void (*remember)(const char *line);
	/* Cuts the history (at most 2,000 lines), restores the terminal. */
	void (*close)(void);
	const char *version; /* readline's */
};

/* Exported by the module. */
extern const struct edit_table edit_table;

#endif
