/* SPDX-License-Identifier: MIT */
/*
 * Files written from the command table: the man page and the completions.
 * `completion SHELL` and the hidden command `generate` print them.
 */
#ifndef CLI_GENERATE_H
#define CLI_GENERATE_H

#include <stdio.h>

#include "cli/command.h"

struct generator {
	const char *name; /* "man", "bash", "zsh", "fish", "examples" */
	void (*write)(FILE *out);
	bool shell; /* `completion` prints it */
};

/* Ends with name NULL. */
extern const struct generator generators[];
const struct generator *generator_find(const char *name);
void generate_bash(FILE *out);
void generate_zsh(FILE *out);
void generate_fish(FILE *out);

/* What completes the value of an option or an operand, in words of every shell. */
enum source_kind {
	SOURCE_NONE,
	SOURCE_WORDS, /* the words in `words` */
	SOURCE_FILES,
	SOURCE_TARGETS,
	SOURCE_FAULTS,
	SOURCE_PROFILES, /* names and files */
	SOURCE_COMMANDS,
	SOURCE_HELP, /* commands and topics */
	SOURCE_SHELLS,
	SOURCE_METHODS,
	SOURCE_LEVELS, /* of logging */
	SOURCE_ASK /* only `mcpctl _complete` knows (cli/complete.h) */
};
enum source_kind source_of_option(const struct option_row *row);
enum source_kind source_of_operand(const struct command *c);

/* The words of a source, each followed by a space, appended; nothing for files. */
void source_words(struct buf *out, enum source_kind kind);

/* Call back for each word of a source with its text ("" if it has none). */
typedef void source_each(void *owner, const char *word, const char *brief);
void source_each_word(enum source_kind kind, source_each *each, void *owner);

#endif
