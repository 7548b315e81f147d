/* SPDX-License-Identifier: MIT */
/*
 * What stands on the screen of `top`: a line at a time, from the rows and the
 * size, as cells. Pure; knows no terminal. All that a peer said is made safe
 * here, and only for lines that are asked for.
 */
#ifndef TOP_VIEW_H
#define TOP_VIEW_H

#include "base/buf.h"
#include "out/term.h"
#include "top/last_frames.h"
#include "top/rows.h"

struct top_view {
	struct top_rows *rows;
	const struct last_frames *frames;
	size_t lines, columns; /* of the screen */
	bool ascii; /* the terminal has no UTF-8 */
	int64_t every; /* ms between two questions for the status */
	bool brokered; /* servers at a broker, by what they announce */
	bool listed; /* there was a list of boards */
	int64_t silent; /* ms that serve owes one; 0: it does not */
	bool unasked; /* serve is too old to be asked for it */
	const char *prompt; /* something is typed behind it; NULL */
	const char *typed;
	const char *note; /* in place of the keys; NULL */
};

struct view_cell {
	size_t x, width;
	struct buf text; /* at most width columns */
	enum paint paint;
};

#define VIEW_CELLS_MAX (ROW_COLUMNS + 1)

struct view_line {
	struct view_cell cell[VIEW_CELLS_MAX];
	size_t count;
	bool marked; /* the selected board, or the heading */
};

/* Before the lines: puts the rows in order and scrolls them. */
void view_prepare(struct top_view *v);
/* How many boards fit, for a page up or down. */
size_t view_page(const struct top_view *v);
/* Line y from 0 on; out is used again, zeroed at first. */
void view_line(const struct top_view *v, size_t y, struct view_line *out);
void view_line_done(struct view_line *l);

#endif
