/* SPDX-License-Identifier: MIT */
/*
 * One invocation: which words are options (of the program, of the command),
 * which one is the target, which the command, which are operands. It runs
 * nothing and opens nothing.
 */
#ifndef CLI_PARSE_H
#define CLI_PARSE_H

#include "cli/app.h"

struct parsed {
	const struct command *command; /* NULL: none was named */
	const char *
		target_source; /* where config->target came from; NULL if there is none */
	struct words operands;
	void *options; /* command->options_size bytes, filled; NULL without a command */
	bool help; /* --help */
	const char *jq; /* --jq of a line in run or the shell; NULL */
};

/*
 * Parse words into *out (freed by parsed_done) and the global options into
 * *config; then fill both from the environment. config NULL: a line inside
 * `run` or the shell; the command comes first, and global options but --jq are
 * refused.
 * Values are lent from words. -1 (ERR_USAGE): config->output is all the same
 * what was asked for, so that the error can be shown in that form.
 */
int parse_words(struct parsed *out, char *const *words, size_t count,
		struct config *config, struct error *err);
void parsed_done(struct parsed *p);

#endif
