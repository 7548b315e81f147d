/* SPDX-License-Identifier: MIT */
/*
 * The words of a command line taken apart one by one: plain words, options
 * with their values, bundled letters. Finds an option's row to know whether it
 * takes a value; stores nothing and reports no errors.
 */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include "cli/command.h"

enum piece_kind {
	PIECE_WORD, /* no option: text is the word */
	PIECE_OPTION, /* text is "--name" or "-x", without a value */
	PIECE_CHILD /* "--": a child process and its arguments follow */
};

struct piece {
	enum piece_kind kind;
	size_t index; /* of the word */
	const char *text;
	const struct option_row *row; /* NULL: no such option */
	bool global; /* the row is one of config_options */
	const char *value; /* NULL: none was given, or it is missing */
	const char *next; /* the word that was no value, as it is an option */
	char name[48]; /* what text points to for an option */
};

struct words_walk {
	char *const *words;
	size_t count, at;
	const char *bundle; /* letters that are left of "-vq" */
	/* Its rows are known besides the global ones; NULL: those of all commands. */
	const struct command *command;
};

/* The next piece; false at the end. A zeroed walk with words and count starts. */
bool walk_next(struct words_walk *w, struct piece *out);

/* The first command, in the order of help, that has an option of that name; NULL. */
const struct command *walk_owner(const char *name, size_t len);

#endif
