/* SPDX-License-Identifier: MIT */
/* Keys and signals on the loop, Ctrl-Z, another program on the terminal. */
#ifndef TOP_TOP_TERMINAL_H
#define TOP_TOP_TERMINAL_H

#include "top/top.h"

/* -1: no terminal, or one that cannot be drawn on. */
int top_terminal_open(struct top *t, struct error *err);
void top_terminal_close(struct top *t);
/*
 * Leaves the screen to `mcpctl`, that board, WORDS (quoted for sh), and comes back
 * when that has ended; pause: when Enter was pressed then.
 */
void top_run(struct top *t, const struct top_row *row, const char *words,
	     bool pause);

/* Shown in place of the keys until the next key. */
void top_note(struct top *t, const char *format, ...) PRINTF_LIKE(2, 3);

#endif
