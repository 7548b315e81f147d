/* SPDX-License-Identifier: MIT */
/*
 * What a terminal (xterm) would show: bytes in, rows of text out. As much of
 * it as a line editor uses.
 */
#ifndef TESTS_SCREEN_H
#define TESTS_SCREEN_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"

#define SCREEN_ROWS 60
#define SCREEN_COLUMNS 200

struct cell {
	char text[32]; /* a character and what combines with it; "": a blank */
	bool behind; /* the right half of a wide one */
};

struct screen {
	struct cell cell[SCREEN_ROWS][SCREEN_COLUMNS];
	int rows, columns;
	int y, x; /* the cursor; x == columns: the next character wraps */
	char held[64]; /* a character or a sequence that is not complete */
	size_t held_len;
	char line[SCREEN_COLUMNS * 32]; /* of screen_row */
};

static inline void screen_reset(struct screen *s, int rows, int columns)
{
	memset(s, 0, sizeof(*s));
	s->rows = rows;
	s->columns = columns;
}

static inline void screen_line_feed(struct screen *s)
{
	if (s->y + 1 < s->rows) {
		s->y++;
		return;
	}
	memmove(&s->cell[0], &s->cell[1],
		sizeof(s->cell[0]) * (size_t)(s->rows - 1));
	memset(&s->cell[s->rows - 1], 0, sizeof(s->cell[0]));
}

static inline void screen_blank(struct screen *s, int y, int from, int to)
{
	for (; from < to; from++)
		s->cell[y][from] = (struct cell){ 0 };
}

static inline void screen_combine(struct screen *s, const char *text,
				  size_t len)
{
	int x = s->x;
	struct cell *c;

	if (x > 0 && s->cell[s->y][x - 1].behind)
		x--;
	if (x == 0)
		return;
	c = &s->cell[s->y][x - 1];
	if (strlen(c->text) + len < sizeof(c->text))
		strncat(c->text, text, len);
}

static inline void screen_put(struct screen *s, const char *text, size_t len)
{
	int width = (int)text_width(text, len);
	struct cell *c;

	if (width == 0) {
		screen_combine(s, text, len);
		return;
	}
	if (s->x + width > s->columns) {
		s->x = 0;
		screen_line_feed(s);
	}
	c = &s->cell[s->y][s->x];
	*c = (struct cell){ 0 };
	memcpy(c->text, text, len);
	if (width == 2)
		c[1] = (struct cell){ .behind = true };
	s->x += width;
}

static inline void screen_erase(struct screen *s, char kind, int mode)
{
	int y, x = s->x < s->columns ? s->x : s->columns - 1;

	if (mode == 0)
		screen_blank(s, s->y, x, s->columns);
	else
		screen_blank(s, s->y, 0, mode == 1 ? x + 1 : s->columns);
	for (y = 0; kind == 'J' && y < s->rows; y++) {
		if (mode == 2 || (mode == 0 && y > s->y) ||
		    (mode == 1 && y < s->y))
			screen_blank(s, y, 0, s->columns);
	}
}

/* Characters go or come at the cursor, the rest of the row moves. */
static inline void screen_shift(struct screen *s, int by)
{
	struct cell *row = s->cell[s->y];
	int n = by < 0 ? -by : by, left = s->columns - s->x - n;

	if (left < 0)
		return;
	if (by < 0) {
		memmove(row + s->x, row + s->x + n,
			sizeof(*row) * (size_t)left);
		screen_blank(s, s->y, s->columns - n, s->columns);
	} else {
		memmove(row + s->x + n, row + s->x,
			sizeof(*row) * (size_t)left);
		screen_blank(s, s->y, s->x, s->x + n);
	}
}

static inline int screen_within(int value, int max)
{
	return value < 0 ? 0 : value > max ? max : value;
}

static inline void screen_control(struct screen *s, const char *seq, char last)
{
	int n = atoi(seq + 2), one = n ? n : 1;
	const char *second = strchr(seq, ';');

	if (s->x == s->columns && !strchr("mhl", last))
		s->x--;
	switch (last) {
	case 'A':
		s->y = screen_within(s->y - one, s->rows - 1);
		break;
	case 'B':
		s->y = screen_within(s->y + one, s->rows - 1);
		break;
	case 'C':
		s->x = screen_within(s->x + one, s->columns - 1);
		break;
	case 'D':
		s->x = screen_within(s->x - one, s->columns - 1);
		break;
	case 'G':
		s->x = screen_within(one - 1, s->columns - 1);
		break;
	case 'H':
		s->y = screen_within(one - 1, s->rows - 1);
		s->x = second ? atoi(second + 1) - 1 : 0;
		s->x = screen_within(s->x, s->columns - 1);
		break;
	case 'J':
	case 'K':
		screen_erase(s, last, n);
		break;
	case 'P':
		screen_shift(s, -one);
		break;
	case '@':
		screen_shift(s, one);
		break;
	case 'm':
	case 'h':
	case 'l':
		break;
	default:
		fprintf(stderr, "screen: unknown ESC%s\n", seq + 1);
		abort();
	}
}

/* Bytes of what stands at the beginning of held, 0 if more must come. */
static inline size_t screen_take(struct screen *s)
{
	const char *p = s->held;
	size_t len = s->held_len, n;

	if (*p == '\033') {
		if (len < 2)
			return 0;
		if (p[1] != '[')
			return p[1] == '(' ? (len < 3 ? 0 : 3) : 2;
		n = 2 + strspn(p + 2, "0123456789;?");
		if (n >= len)
			return 0;
		screen_control(s, p, p[n]);
		return n + 1;
	}
	if (*p == '\r') {
		s->x = 0;
	} else if (*p == '\n') {
		screen_line_feed(s);
	} else if (*p == '\b') {
		s->x = screen_within(s->x == s->columns ? s->x - 2 : s->x - 1,
				     s->columns);
	} else if (*p == '\t') {
		s->x = screen_within((s->x / 8 + 1) * 8, s->columns - 1);
	} else if ((unsigned char)*p >= ' ') {
		n = text_utf8(p, len);
		if (!n && len < 4)
			return 0;
		screen_put(s, n ? p : "?", n ? n : 1);
		return n ? n : 1;
	}
	return 1;
}

static inline void screen_write(struct screen *s, const char *bytes, size_t len)
{
	size_t n;

	for (; len; len--, bytes++) {
		s->held[s->held_len++] = *bytes;
		s->held[s->held_len] = '\0';
		n = screen_take(s);
		memmove(s->held, s->held + n, s->held_len + 1 - n);
		s->held_len -= n;
	}
}

/* A row without the blanks at its end; lent until the next. */
static inline const char *screen_row(struct screen *s, int y)
{
	size_t len = 0;
	int x;

	for (x = 0; x < s->columns; x++) {
		const struct cell *c = &s->cell[y][x];
		const char *text = *c->text ? c->text : c->behind ? "" : " ";

		memcpy(s->line + len, text, strlen(text));
		len += strlen(text);
	}
	while (len && s->line[len - 1] == ' ')
		len--;
	s->line[len] = '\0';
	return s->line;
}

static inline void screen_dump(struct screen *s)
{
	int y;

	for (y = 0; y < s->rows; y++)
		fprintf(stderr, "|%s|\n", screen_row(s, y));
	fprintf(stderr, "cursor: row %d column %d\n", s->y, s->x);
}

#endif
