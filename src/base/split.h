/* SPDX-License-Identifier: MIT */
/*
 * A command line into words, as a POSIX shell splits it: single quotes,
 * double quotes, backslash, '#' comments at the start of a word. No variables,
 * globs or substitutions.
 */
#ifndef BASE_SPLIT_H
#define BASE_SPLIT_H

#include "base/error.h"

struct words {
	char **word; /* count words and a NULL */
	size_t count, capacity;
};

/*
 * Fill out, which is overwritten, not released. -1 (ERR_USAGE): a quote is not
 * closed (says which, and at what column), or a backslash ends the line; out
 * is empty then.
 */
int words_split(struct words *out, const char *line, struct error *err);
/* The first c that stands outside of quotes and comments; NULL. */
const char *words_bare(const char *line, char c);
void words_add(struct words *w, const char *word);
bool words_has(const struct words *w, const char *word);
/* Unless it has it. */
void words_add_once(struct words *w, const char *word);
/* Out, each time that it is there. */
void words_drop(struct words *w, const char *word);
void words_done(struct words *w);

/* Append word quoted for a POSIX shell, only if it needs quotes. */
struct buf;
void words_quote(struct buf *out, const char *word);
/* The same by backslashes: more of the word may follow. "" is nothing. */
void words_escape(struct buf *out, const char *text);

#endif
