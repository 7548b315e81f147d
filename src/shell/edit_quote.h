/* SPDX-License-Identifier: MIT */
/*
 * The word at the cursor, in the quoting that the user began, and what to
 * type behind it. Pure functions; the rules are those of base/split.h.
 */
#ifndef SHELL_EDIT_QUOTE_H
#define SHELL_EDIT_QUOTE_H

#include "base/buf.h"

struct quoted_word {
	size_t start; /* where it begins in the line */
	char quote; /* the open one, ' or ", or 0 */
	bool plain; /* nothing in it is quoted */
	bool dangling; /* a backslash stands at the end */
	struct buf text; /* what it means */
};

/* The last word of line, "" behind a blank. Overwrites, does not release. */
void quoted_word_find(struct quoted_word *out, const char *line);
void quoted_word_done(struct quoted_word *w);

/*
 * Append text so that behind w it means text. closed: and the quote ends
 * there, w's own or the one that text needs.
 */
void quoted_word_more(struct buf *out, const struct quoted_word *w,
		      const char *text, bool closed);

#endif
