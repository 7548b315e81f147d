/* SPDX-License-Identifier: MIT */
/*
 * `top` as a whole: what its files share. The main line is in cmd_top.c, keys
 * and what they do in top_keys.c, the terminal and other programs on it in
 * top_terminal.c.
 */
#ifndef TOP_TOP_H
#define TOP_TOP_H

#include "cli/app.h"
#include "top/feed.h"
#include "top/screen.h"
#include "top/view.h"

#define TYPED_MAX 512 /* bytes */

enum top_mode { TOP_LOOKS, TOP_FILTERS, TOP_CALLS };

/* Keys and signals, on the loop. */
struct top_terminal {
	uv_poll_t keys;
	uv_signal_t resize, suspend, resume, quit;
	unsigned handles; /* that are open, or being closed */
	bool closed; /* none is left */
	int idle; /* times that a key was told and none was there */
	int64_t resumed_at;
};

struct top {
	struct app *app;
	const struct screen_table *screen;
	struct top_terminal terminal;
	struct feed *feed; /* NULL: not yet */
	struct top_rows rows;
	struct last_frames frames;
	struct top_view view;
	struct view_line line; /* room for one */

	enum top_mode mode;
	struct buf typed;
	char *callee; /* id of the board that a call is typed for; owned */
	char filter[ROWS_FILTER_MAX]; /* before it was typed anew */
	char *note; /* owned; NULL */

	bool away; /* another program has the terminal */
	bool keyed; /* a key came since it was drawn */
	bool quit, gone; /* the terminal is gone */
	int signal; /* that came while another program ran; 0 */
	int64_t drawn_at; /* loop_now() ms */
};

#endif
