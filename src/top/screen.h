/* SPDX-License-Identifier: MIT */
/*
 * The terminal of `top`, by ncurses: draws lines of a view, tells keys. A loaded
 * part: module_table("screen", SCREEN_TABLE, err). One at a time; it sends to the
 * terminal only what changed, catches no signal, and never waits.
 */
#ifndef TOP_SCREEN_H
#define TOP_SCREEN_H

#include "base/error.h"
#include "top/view.h"

#define SCREEN_TABLE "screen_table"

/* Keys that are no character. */
enum screen_key {
	SCREEN_NONE = -1, /* no key is there */
	SCREEN_UP = 0x110000,
	SCREEN_DOWN,
	SCREEN_PAGE_UP,
	SCREEN_PAGE_DOWN,
	SCREEN_HOME,
	SCREEN_END,
	SCREEN_ENTER,
	SCREEN_ERASE,
	SCREEN_ESCAPE,
	SCREEN_OTHER /* one that means nothing here */
};

struct screen_table {
	/*
	 * Takes the terminal of stdin and stdout. color: if it has some. -1
	 * (ERR_USAGE): TERM is unknown, or a terminal that cannot be drawn on.
	 */
	int (*open)(bool color, struct error *err);
	bool (*ascii)(void); /* its locale has no UTF-8 */
	/* Asks the terminal, which may have another size now. */
	void (*size)(size_t *lines, size_t *columns);
	void (*line)(size_t y, const struct view_line *line);
	/* cursor: the column on the last line where one types; -1: none is seen. */
	void (*show)(int cursor);
	int (*key)(void); /* a character's code point, or enum screen_key */
	/* The terminal as it was, for another program, or to stop; and back. */
	void (*leave)(void);
	void (*back)(void);
	void (*close)(void);
};

#endif
