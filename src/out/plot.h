/* SPDX-License-Identifier: MIT */
/*
 * A series as a picture of characters: braille dots, or ASCII. Pure; no
 * colours.
 */
#ifndef OUT_PLOT_H
#define OUT_PLOT_H

#include "base/buf.h"
#include "out/series.h"

struct plot {
	const struct series *series;
	size_t columns; /* of the terminal; at least 20 */
	size_t rows; /* of the picture, without the axis below it; odd, or 2 */
	bool braille;
	const char *unit; /* of the values, safe for a terminal; NULL */
};

/*
 * Lines with a scale on the left, and below them how much time it is. Between
 * two values the line stays at the first. Nothing if there are fewer than two.
 */
void plot_draw(struct buf *out, const struct plot *p);

/* The last values that fit, as one line of braille without a scale. */
void plot_line(struct buf *out, const struct series *s, size_t columns);

#endif
