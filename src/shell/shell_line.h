/* SPDX-License-Identifier: MIT */
/*
 * A line of the shell taken apart. Words as base/split.h splits them, and
 * besides: JSON without quotes is one word ({"a": 1}, volume:=[1, 2]), '|'
 * outside of quotes begins a command for sh, so does '!' at the start, and a
 * newline ends the line. Pure.
 */
#ifndef SHELL_SHELL_LINE_H
#define SHELL_SHELL_LINE_H

#include "base/split.h"

struct shell_line {
	struct words words; /* empty behind '!', and of an empty line */
	char *outside; /* for sh: behind '|', or, without words, '!'; NULL */
};

/*
 * The first line of *text that is not empty, which then points behind it. -1
 * (ERR_USAGE): a quote is not closed, nothing stands behind '|'. At the end of
 * the text out is empty.
 */
int shell_line_read(struct shell_line *out, const char **text,
		    struct error *err);
void shell_line_done(struct shell_line *l);

/* A quote or a bracket is open, or a backslash ends it: more must follow. */
bool shell_line_is_open(const char *text);

/*
 * It may hold a secret: an argument, option or member whose name says so
 * (token, password, secret, authorization, …key) has a value. Such lines are
 * not remembered.
 */
bool shell_line_has_secret(const char *text);

#endif
