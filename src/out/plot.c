/* SPDX-License-Identifier: MIT */
#include "out/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "out/wrap.h"

enum { LABEL = 24 };

/* Dots: two by four a cell in braille, one a cell in ASCII. */
struct canvas {
	size_t columns, rows; /* cells */
	size_t across, down; /* dots in a cell */
	unsigned char *cell; /* owned; bits of its dots */
	double least, greatest;
	int64_t from, until; /* ms */
};

/* Bits of U+2800: two columns of three, the fourth row behind them. */
static const unsigned char braille_bit[4][2] = {
	{ 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 }
};

static void canvas_begin(struct canvas *c, bool braille)
{
	c->across = braille ? 2 : 1;
	c->down = braille ? 4 : 1;
	c->cell = mem_zalloc(c->columns * c->rows + 1);
	/* What never changes is a line in the middle. */
	if (!(c->least < c->greatest)) {
		const double around = fabs(c->least) > 1 ? fabs(c->least) : 1;

		c->least -= around;
		c->greatest += around;
	}
}

/* From the top. */
static size_t dot_of(const struct canvas *c, double value)
{
	const size_t dots = c->rows * c->down;
	const double part = (c->greatest / 2 - value / 2) /
			    (c->greatest / 2 - c->least / 2);
	const double at = part * (double)(dots - 1) + 0.5;

	if (!(at > 0))
		return 0;
	return at < (double)dots ? (size_t)at : dots - 1;
}

static size_t dot_across(const struct canvas *c, int64_t at)
{
	const size_t dots = c->columns * c->across;
	const int64_t span = c->until - c->from;

	if (span <= 0)
		return 0;
	return (size_t)((at - c->from) * (int64_t)(dots - 1) / span);
}

static void set(struct canvas *c, size_t x, size_t y)
{
	unsigned char *cell =
		&c->cell[y / c->down * c->columns + x / c->across];

	*cell |= c->down == 1 ? 1 : braille_bit[y % 4][x % 2];
}

static void stroke(struct canvas *c, size_t x, double from, double to)
{
	size_t top = dot_of(c, from > to ? from : to);
	const size_t bottom = dot_of(c, from > to ? to : from);

	for (; top <= bottom; top++)
		set(c, x, top);
}

static void draw_points(struct canvas *c, const struct series_point *point,
			size_t count)
{
	size_t x = 0;

	for (size_t i = 0; i < count; i++) {
		const struct series_point *p = &point[i];
		const size_t here = dot_across(c, p->at);

		for (x++; i > 0 && x < here; x++)
			set(c, x, dot_of(c, point[i - 1].last));
		stroke(c, here, p->least, p->greatest);
		if (i > 0)
			stroke(c, here, point[i - 1].last, p->last);
		x = here;
	}
}

static void add_cell(struct buf *out, const struct canvas *c,
		     unsigned char bits)
{
	if (c->down == 1) {
		buf_char(out, bits ? '*' : ' ');
		return;
	}
	const char cell[] = { (char)0xe2, (char)(0xa0 | bits >> 6),
			      (char)(0x80 | (bits & 0x3f)) };

	buf_add(out, cell, sizeof(cell));
}

static void add_row(struct buf *out, const struct canvas *c, size_t row)
{
	for (size_t i = 0; i < c->columns; i++)
		add_cell(out, c, c->cell[row * c->columns + i]);
}

static const char *label_of(char *out, double value, const char *unit)
{
	snprintf(out, LABEL, "%.5g%s%s", value, unit ? " " : "",
		 unit ? unit : "");
	return out;
}

static size_t columns_of(const char *text)
{
	return text_width(text, strlen(text));
}

/* Of the greatest, the middle, the least. */
struct scale {
	char label[3][LABEL];
	size_t columns;
};

static void scale_make(struct scale *s, const struct canvas *c,
		       const char *unit)
{
	const double at[] = { c->greatest, c->greatest / 2 + c->least / 2,
			      c->least };

	s->columns = 0;
	for (int i = 0; i < 3; i++) {
		size_t columns = columns_of(label_of(s->label[i], at[i], unit));

		if (columns > s->columns)
			s->columns = columns;
	}
}

static const char *label_at(const struct scale *s, const struct canvas *c,
			    size_t row)
{
	if (row == 0)
		return s->label[0];
	if (row == c->rows - 1)
		return s->label[2];
	return c->rows > 4 && row == (c->rows - 1) / 2 ? s->label[1] : "";
}

static void add_times(struct buf *out, const struct canvas *c, size_t indent)
{
	char span[LABEL];
	const char *text =
		text_milliseconds(c->until - c->from, span, sizeof(span));
	const size_t wide = columns_of(text);

	wrap_pad(out, 0, indent);
	buf_char(out, '0');
	wrap_pad(out, 1, c->columns > wide ? c->columns - wide : 1);
	buf_text(out, text);
	buf_char(out, '\n');
}

static void draw(struct buf *out, struct canvas *c, const struct scale *s,
		 bool braille)
{
	for (size_t row = 0; row < c->rows; row++) {
		const char *label = label_at(s, c, row);

		wrap_pad(out, columns_of(label), s->columns);
		buf_text(out, label);
		buf_text(out, !braille ? " |" : *label ? " ┤" : " │");
		add_row(out, c, row);
		buf_char(out, '\n');
	}
	add_times(out, c, s->columns + 2);
}

void plot_draw(struct buf *out, const struct plot *p)
{
	const struct series *s = p->series;
	struct canvas c = { .rows = p->rows,
			    .least = s->least,
			    .greatest = s->greatest };
	struct scale scale;

	if (s->count < 2)
		return;
	c.from = s->point[0].at;
	c.until = s->point[s->count - 1].at;
	c.columns = p->columns;
	canvas_begin(&c, p->braille);
	scale_make(&scale, &c, p->unit);
	/* A unit that leaves no room stands elsewhere. */
	if (scale.columns + 10 > p->columns)
		scale_make(&scale, &c, NULL);
	c.columns = p->columns > scale.columns + 10 ?
			    p->columns - scale.columns - 3 :
			    8;
	draw_points(&c, s->point, s->count);
	draw(out, &c, &scale, p->braille);
	mem_free(c.cell);
}

void plot_line(struct buf *out, const struct series *s, size_t columns)
{
	const size_t most = columns * 2;
	const size_t first = s->count > most ? s->count - most : 0;
	struct canvas c = { .columns = columns,
			    .rows = 1,
			    .least = s->least,
			    .greatest = s->greatest };

	if (s->count < 2 || columns == 0)
		return;
	c.from = s->point[first].at;
	c.until = s->point[s->count - 1].at;
	canvas_begin(&c, true);
	draw_points(&c, s->point + first, s->count - first);
	add_row(out, &c, 0);
	mem_free(c.cell);
}
