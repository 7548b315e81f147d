/* SPDX-License-Identifier: MIT */
#include "top/view.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/wrap.h"

#define NAME_WIDTH 17 /* a Device-Id */
#define NAME_WIDEST 32

static const struct column_layout {
	size_t width; /* columns */
	bool right; /* a number */
} layouts[ROW_COLUMNS] = {
	[COLUMN_NAME] = { NAME_WIDTH, false },
	[COLUMN_STATE] = { 12, false },
	[COLUMN_BOARD] = { 20, false },
	[COLUMN_VERSION] = { 9, false },
	[COLUMN_TRANSPORT] = { 4, false },
	[COLUMN_ADDRESS] = { 21, false },
	[COLUMN_SIGNAL] = { 9, false },
	[COLUMN_BATTERY] = { 7, true },
	[COLUMN_HEAP] = { 7, true },
	[COLUMN_CALLS] = { 6, true },
	[COLUMN_P50] = { 8, true },
	[COLUMN_FINDING] = { 7, false },
	[COLUMN_AUDIO] = { 7, true },
	[COLUMN_JITTER] = { 8, true },
	[COLUMN_LOST] = { 5, true },
	[COLUMN_TOOLS] = { 5, true },
};

/* Who gets room first. The name always has some. */
static const enum row_column first_come[] = {
	COLUMN_STATE,	COLUMN_FINDING, COLUMN_VERSION,	  COLUMN_P50,
	COLUMN_CALLS,	COLUMN_SIGNAL,	COLUMN_BATTERY,	  COLUMN_HEAP,
	COLUMN_ADDRESS, COLUMN_AUDIO,	COLUMN_TRANSPORT, COLUMN_BOARD,
	COLUMN_JITTER,	COLUMN_LOST,	COLUMN_TOOLS
};

/* What is announced first; the rest is not known there. */
static const enum row_column first_announced[COUNT(first_come)] = {
	COLUMN_STATE,	COLUMN_BOARD, COLUMN_TOOLS,    COLUMN_ADDRESS,
	COLUMN_VERSION, COLUMN_CALLS, COLUMN_SIGNAL,   COLUMN_BATTERY,
	COLUMN_HEAP,	COLUMN_P50,   COLUMN_FINDING,  COLUMN_AUDIO,
	COLUMN_JITTER,	COLUMN_LOST,  COLUMN_TRANSPORT
};

/* Widths of the columns that there is room for; 0: there is none. */
static void arrange(const struct top_view *v, size_t width[ROW_COLUMNS])
{
	size_t used = NAME_WIDTH < v->columns ? NAME_WIDTH : v->columns;

	memset(width, 0, ROW_COLUMNS * sizeof(*width));
	for (size_t i = 0; i < COUNT(first_come); i++) {
		enum row_column c =
			v->brokered ? first_announced[i] : first_come[i];

		if (used + 1 + layouts[c].width > v->columns)
			continue;
		width[c] = layouts[c].width;
		used += 1 + width[c];
	}
	width[COLUMN_NAME] =
		(NAME_WIDTH < v->columns ? NAME_WIDTH : v->columns) +
		(v->columns - used);
	if (width[COLUMN_NAME] > NAME_WIDEST)
		width[COLUMN_NAME] = NAME_WIDEST;
}

/* ---- text ---- */

/* A terminal without UTF-8 would show something else for each byte. */
static void to_ascii(struct buf *out, const char *text, size_t len)
{
	for (size_t at = 0; at < len;) {
		size_t size = text_utf8(text + at, len - at);

		if (size == 1)
			buf_char(out, text[at]);
		else
			buf_char(out, '?');
		at += size ? size : 1;
	}
}

/* Safe, and at most columns wide; what is cut ends with a mark. */
static void fit(struct buf *out, const struct top_view *v, const char *text,
		size_t columns)
{
	CLEANUP(buf_done) struct buf safe = { 0 }, plain = { 0 };
	struct buf *whole = &safe;

	text_safe(&safe, text, strlen(text), TEXT_NAME);
	if (v->ascii) {
		to_ascii(&plain, buf_string(&safe), safe.len);
		whole = &plain;
	}
	if (text_width(buf_string(whole), whole->len) <= columns) {
		buf_text(out, buf_string(whole));
	} else if (columns > 0) {
		buf_add(out, whole->data,
			text_fit(whole->data, whole->len, columns - 1));
		buf_text(out, v->ascii ? "~" : "…");
	}
}

static struct view_cell *add_cell(struct view_line *l, size_t x, size_t width)
{
	struct view_cell *cell = &l->cell[l->count++];

	buf_reset(&cell->text);
	cell->x = x;
	cell->width = width;
	cell->paint = PAINT_NONE;
	return cell;
}

static void whole_line(struct view_line *l, const struct top_view *v,
		       const char *text, enum paint paint)
{
	struct view_cell *cell = add_cell(l, 0, v->columns);

	fit(&cell->text, v, text, v->columns);
	cell->paint = paint;
}

static void align(struct view_cell *cell, bool right)
{
	size_t used = text_width(buf_string(&cell->text), cell->text.len);

	if (right && used < cell->width) {
		cell->x += cell->width - used;
		cell->width = used;
	}
}

/* ---- the parts ---- */

static void add_every(struct buf *out, const struct top_view *v)
{
	char time[32];

	if (v->silent)
		buf_printf(out, "; %s has not answered for %s",
			   v->brokered ? "the broker" : "serve",
			   text_milliseconds(v->silent / 1000 * 1000, time,
					     sizeof(time)));
	else if (v->brokered)
		buf_text(out, "; as they announce themselves");
	else if (v->unasked)
		buf_text(out, "; no status: this serve is of an older version");
	else
		buf_printf(out, "; status every %s",
			   text_milliseconds(v->every, time, sizeof(time)));
}

static void add_counts(struct buf *out, const struct top_view *v)
{
	const struct top_rows *r = v->rows;

	if (!v->listed) {
		buf_printf(out, "no list of %s yet",
			   v->brokered ? "servers" : "boards");
		return;
	}
	if (r->servers < r->count || (!r->count && !v->brokered))
		wrap_count(out, r->count - r->servers, "board");
	if (r->servers || v->brokered) {
		buf_text(out, r->servers < r->count ? ", " : "");
		wrap_count(out, r->servers, "server");
	}
	buf_printf(out, ", %zu %s", r->ready,
		   v->brokered ? "present" : "ready");
	if (*r->filter)
		buf_printf(out, ", %zu with '%s'", r->shown_count, r->filter);
}

static void add_title(struct view_line *l, const struct top_view *v)
{
	const struct top_rows *r = v->rows;
	CLEANUP(buf_done) struct buf text = { 0 };

	add_counts(&text, v);
	buf_printf(&text, "; by %s%s", rows_column_name(r->sort),
		   r->reverse ? ", reversed" : "");
	add_every(&text, v);
	whole_line(l, v, buf_string(&text), PAINT_STRONG);
}

static void add_headings(struct view_line *l, const struct top_view *v)
{
	size_t width[ROW_COLUMNS], x = 0;

	arrange(v, width);
	for (enum row_column c = 0; c < ROW_COLUMNS; c++) {
		struct view_cell *cell;

		if (!width[c])
			continue;
		cell = add_cell(l, x, width[c]);
		fit(&cell->text, v, rows_column_name(c), width[c]);
		cell->paint = c == v->rows->sort ? PAINT_STRONG : PAINT_DIM;
		align(cell, layouts[c].right);
		x += width[c] + 1;
	}
}

static enum paint paint_of(const struct top_row *row, enum row_column c)
{
	if (c == COLUMN_NAME)
		return PAINT_STRONG;
	if (c == COLUMN_FINDING && *row->finding)
		return PAINT_WARN;
	if (c != COLUMN_STATE)
		return PAINT_NONE;
	if (row->breaker || strcmp(row->state, "failed") == 0)
		return PAINT_BAD;
	if (row->stale)
		return PAINT_WARN;
	return board_row_ready(row) ? PAINT_GOOD : PAINT_DIM;
}

static void add_board(struct view_line *l, const struct top_view *v, size_t at)
{
	const struct top_row *row = v->rows->shown[at];
	size_t width[ROW_COLUMNS], x = 0;

	l->marked = at == v->rows->at;
	arrange(v, width);
	for (enum row_column c = 0; c < ROW_COLUMNS; c++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		struct view_cell *cell;

		if (!width[c])
			continue;
		rows_cell(&text, row, c);
		cell = add_cell(l, x, width[c]);
		fit(&cell->text, v, buf_string(&text), width[c]);
		cell->paint = paint_of(row, c);
		align(cell, layouts[c].right);
		x += width[c] + 1;
	}
}

static void add_last(struct view_line *l, const struct top_view *v)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	size_t from = 0, room;

	if (!v->prompt) {
		whole_line(
			l, v,
			v->note ?
				v->note :
				"q quit  / filter  s sort  r reverse  Enter frames  c call  x shell",
			v->note ? PAINT_WARN : PAINT_DIM);
		return;
	}
	/* The end of what is typed is what one looks at. */
	room = v->columns > strlen(v->prompt) + 1 ?
		       v->columns - strlen(v->prompt) - 1 :
		       0;
	while (text_width(v->typed + from, strlen(v->typed + from)) > room) {
		size_t size =
			text_utf8(v->typed + from, strlen(v->typed + from));

		from += size ? size : 1;
	}
	buf_printf(&text, "%s%s", v->prompt, v->typed + from);
	whole_line(l, v, buf_string(&text), PAINT_NONE);
}

/* ---- where they stand ---- */

enum { HEAD_LINES = 2, FOOT_LINES = 1 };

/* Of the frames, with their heading; 0: they are not shown. */
static size_t frame_lines(const struct top_view *v)
{
	size_t lines = v->lines / 3;

	if (!v->frames || !v->frames->name || v->lines < 9)
		return 0;
	return lines > 15 ? 15 : lines;
}

size_t view_page(const struct top_view *v)
{
	size_t others = HEAD_LINES + FOOT_LINES + frame_lines(v);

	return v->lines > others ? v->lines - others : 0;
}

void view_prepare(struct top_view *v)
{
	rows_update(v->rows);
	rows_scroll(v->rows, view_page(v));
}

static char *frames_heading(const struct top_view *v)
{
	const struct top_row *row = rows_selected(v->rows);
	const bool heard =
		row && strcmp(row->name, v->frames->name) == 0 && *row->sound;

	return mem_printf("what %s says by itself%s%s%s", v->frames->name,
			  v->frames->count ? "" : ": nothing yet",
			  heard ? "; sound: " : "", heard ? row->sound : "");
}

/* back: lines from the end of the frames' part, from 0. */
static void add_frame(struct view_line *l, const struct top_view *v,
		      size_t back)
{
	CLEANUP(mem_free_ptr) char *heading = NULL;
	const char *line;

	if (back + 1 == frame_lines(v)) {
		heading = frames_heading(v);
		whole_line(l, v, heading, PAINT_STRONG);
		l->marked = true;
		return;
	}
	line = last_frames_at(v->frames, back);
	if (line)
		whole_line(l, v, line, PAINT_NONE);
}

void view_line(const struct top_view *v, size_t y, struct view_line *out)
{
	size_t page = view_page(v), at;

	out->count = 0;
	out->marked = false;
	if (y + FOOT_LINES == v->lines && y > 0) {
		add_last(out, v);
	} else if (y == 0) {
		add_title(out, v);
	} else if (y < HEAD_LINES) {
		add_headings(out, v);
	} else if (y < HEAD_LINES + page) {
		at = v->rows->first + y - HEAD_LINES;
		if (at < v->rows->shown_count)
			add_board(out, v, at);
	} else {
		add_frame(out, v, v->lines - FOOT_LINES - 1 - y);
	}
}

void view_line_done(struct view_line *l)
{
	for (size_t i = 0; i < VIEW_CELLS_MAX; i++)
		buf_done(&l->cell[i].text);
}
