/* SPDX-License-Identifier: MIT */
/*
 * Text in lines: cut, wrapped, indented, numbers with separators. Pure; the
 * text has been made safe before (base/text.h), unless a function says that it
 * does so. Colours come last, since they have no width.
 */
#ifndef OUT_WRAP_H
#define OUT_WRAP_H

#include "base/buf.h"

/* Append text, cut to columns with "…" at its end; columns 0: whole. */
void wrap_cut(struct buf *out, const char *text, size_t len, size_t columns);

/* How wrap_wrap fills lines. */
struct wrap {
	size_t column; /* where the first line begins */
	size_t indent; /* spaces before every line after the first */
	size_t width; /* columns; 0: lines are only broken where text does */
};

/*
 * Append text broken at spaces (inside a word only if it is longer than a
 * line). Line ends of the text stay. No newline is added at the end.
 */
void wrap_wrap(struct buf *out, const char *text, size_t len,
	       const struct wrap *how);

/* Spaces until `columns` are filled, when `used` are; nothing if they are. */
void wrap_pad(struct buf *out, size_t used, size_t columns);

/* "1,204". */
void wrap_number(struct buf *out, uint64_t number);

/* "1 page", "2 pages", "1,204 bytes": plural is the word with an s. */
void wrap_count(struct buf *out, uint64_t number, const char *word);

/* The first line that is not blank, without the white space around it. */
size_t wrap_first(const char *text, const char **start);

/* Make safe and append: one line; or a paragraph, which keeps its line ends. */
void wrap_safe(struct buf *out, const char *text);
void wrap_safe_paragraph(struct buf *out, const char *text);
/* A name, an address, an id: what is invisible in it is shown as escapes. */
void wrap_name(struct buf *out, const char *text);
/* Columns of what wrap_name makes of it. */
size_t wrap_columns(const char *text);

#endif
