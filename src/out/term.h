/* SPDX-License-Identifier: MIT */
/*
 * The terminal: is it one, how wide, which colours, the line that is
 * rewritten in place. Knows no records and no layout.
 */
#ifndef OUT_TERM_H
#define OUT_TERM_H

#include <stdio.h>

#include "base/buf.h"

/* Not the names of colours but of what they mean. */
enum paint {
	PAINT_NONE,
	PAINT_STRONG, /* names, headings */
	PAINT_DIM, /* what matters less */
	PAINT_KEY, /* labels, keys of JSON */
	PAINT_STRING,
	PAINT_NUMBER,
	PAINT_WORD, /* true, false, null */
	PAINT_BAD,
	PAINT_WARN,
	PAINT_GOOD
};

/* Start and end of a colour; nothing if color is false. */
void term_paint(struct buf *out, bool color, enum paint paint);
void term_plain(struct buf *out, bool color);
/* Text between the two. */
void term_painted(struct buf *out, bool color, enum paint paint,
		  const char *text);

bool term_is_terminal(FILE *f);

/* TERM is set and not "dumb": "erase this line" is understood. */
bool term_moves(void);

/*
 * The locale of the environment is one of UTF-8, and TERM not one that has no
 * braille (dumb, linux).
 */
bool term_has_utf8(void);

/*
 * The locale of the environment names a charset that is not UTF-8 (C, or none,
 * names no charset). Bytes of UTF-8 can be controls there.
 */
bool term_is_foreign(void);
/* For such a terminal: "?" in each column that is not ASCII's, "~" for "…". */
void term_ascii(struct buf *out, const char *text, size_t len);

/* The columns of f's terminal, else of COLUMNS, else 80; at least 20. */
size_t term_width(FILE *f);

struct term_size {
	unsigned rows, cell_width, cell_height; /* pixels; 0: unknown */
};
struct term_size term_size(FILE *f);

/*
 * Whether f gets colours when the user did not say: a terminal, TERM not
 * "dumb", NO_COLOR not set (or empty).
 */
bool term_has_color(FILE *f);

/* Write text in place of the line that the cursor is on, cut to width. */
void term_rewrite(FILE *f, const char *text, size_t width);
void term_erase(FILE *f);

#endif
