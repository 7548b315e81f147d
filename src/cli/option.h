/* SPDX-License-Identifier: MIT */
/*
 * Option rows: letter, name, operand, type, place in a struct, text. The parser is a loop over rows; there is no switch
 * over options anywhere. Rows write into a zeroed struct, made anew for each invocation.
 */
#ifndef CLI_OPTION_H
#define CLI_OPTION_H

#include "base/error.h"
#include "base/split.h"

enum option_type {
	OPTION_FLAG, /* bool; --no-NAME is not made up: such options have their own row */
	OPTION_COUNT, /* int: how often the flag was given */
	OPTION_TEXT, /* const char *, borrowed from argv or the environment */
	OPTION_FILE, /* the same, completed as a file */
	OPTION_NUMBER, /* int64_t within [min, max] */
	OPTION_DURATION, /* int64_t, milliseconds, at least min */
	OPTION_CHOICE, /* int: the index of the word in `choices` */
	OPTION_LIST, /* struct words: may be given many times */
	/* int64_t within [min, max], only behind '='; OPTION_BARE without a value */
	OPTION_OPTIONAL,
	/* const char *, only behind '='; "" without a value */
	OPTION_OPTIONAL_TEXT
};

#define OPTION_BARE (-1)

struct option_row {
	char letter; /* 0: none */
	const char *name; /* "timeout", without dashes */
	const char *word; /* operand in help: "DURATION"; NULL for flags */
	enum option_type type;
	size_t offset; /* in the struct */
	const char *brief; /* one line */
	const char *
		env; /* environment variable that gives it when no option does; NULL */
	/* OPTION_CHOICE: "text json raw"; OPTION_TEXT: offered; else NULL */
	const char *choices;
	int64_t min,
		max; /* OPTION_NUMBER (both 0: from 0 on), OPTION_DURATION (min) */
	const char *
		fallback; /* shown in help as the default; NULL. Not applied by the parser */
};

/* Whether the word behind the option is its value, if none stands behind '='. */
/* FLAG or COUNT: on or off. */
bool option_is_flag(const struct option_row *row);
bool option_takes_word(const struct option_row *row);

/* The index of a word in a list with spaces between, such as choices; -1. */
int option_choice(const char *choices, const char *value);

/* Whether a value may stand behind '=', and need not. */
bool option_is_optional(const struct option_row *row);

/* The row of that long name (up to '=') or letter; NULL. */
const struct option_row *option_by_name(const struct option_row *rows,
					const char *name, size_t len);
const struct option_row *option_by_letter(const struct option_row *rows,
					  char letter);

/* Store value in target (the zeroed struct). -1 (ERR_USAGE): option, value, what is expected. value NULL only for flags. `given` may be "the environment variable X" for messages, or NULL. */
int option_store(const struct option_row *row, void *target, const char *value,
		 const char *given, struct error *err);

/* Fill from the environment what was not given; `seen` has a bool for each row. */
int option_environment(const struct option_row *rows, void *target,
		       const bool *seen, struct error *err);

/* Release what OPTION_LIST rows hold. */
void option_release(const struct option_row *rows, void *target);

#endif
