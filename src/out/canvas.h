/* SPDX-License-Identifier: MIT */
/*
 * Pixels as bytes for a terminal. A loaded part (mcpctl-canvas.so), for
 * libchafa. It asks the terminal nothing: what that can is known by its
 * environment.
 */
#ifndef OUT_CANVAS_H
#define OUT_CANVAS_H

#include "out/decoder.h"
#include "out/render.h"

struct canvas_order {
	const struct pixels *pixels;
	enum image_mode how; /* but IMAGE_AUTO and IMAGE_OFF */
	unsigned columns, rows; /* cells; it is not larger */
	unsigned cell_width, cell_height; /* pixels */
	bool color; /* false: symbols have none, and no escape sequence */
	bool unicode; /* false: symbols are ASCII */
};

#define CANVAS_TABLE "canvas_table"

struct canvas_table {
	/*
	 * The best that this terminal understands. Inside tmux and screen that
	 * is symbols: what the terminal around them can is not known there.
	 */
	enum image_mode (*best)(void);
	/* Appended, with a newline behind it. */
	void (*draw)(struct buf *out, const struct canvas_order *o);
};
extern const struct canvas_table canvas_table;

#endif
