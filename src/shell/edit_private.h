/* SPDX-License-Identifier: MIT */
/*
 * What the files of the editor share. readline's callbacks have no owner, so
 * there is one current editor. Files: edit.c (its life, lines, the
 * history), edit_screen.c (what is seen), edit_keys.c (bytes of the terminal),
 * edit_complete.c (TAB).
 */
#ifndef SHELL_EDIT_PRIVATE_H
#define SHELL_EDIT_PRIVATE_H

#include <readline/history.h>
#include <readline/readline.h>
#include <stdio.h>

#include "base/buf.h"
#include "shell/edit.h"

#define EDIT_CONTINUES "... " /* the prompt of a second line */
/* States of readline that show something else instead of the prompt. */
#define EDIT_SEARCHES \
	(RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG)

/* What is on the screen where the cursor is. */
enum edit_ask {
	ASK_NOTHING, /* the line that is edited */
	ASK_ALL, /* "Display all 312 possibilities?" */
	ASK_MORE /* "--More--" */
};

/* Lines that are shown above the line that is edited. */
struct edit_list {
	struct words lines;
	size_t at; /* the next to be shown */
	size_t candidates; /* for the question */
	enum edit_ask ask;
};

/* Bytes from the terminal on their way to readline. */
struct edit_keys {
	uv_poll_t poll;
	struct timer held; /* for what is held, or came before the line */
	bool escape_held; /* a lone ESC in vi mode is no Alt-something */
	unsigned lacking; /* bytes of the character that ready ends with */
	bool paused; /* hidden while a key came */
	struct buf ready; /* from at on */
	size_t at;
	struct buf
		paste; /* as far as it came; readline gets all of it or nothing */
	bool pasting;
	size_t matched; /* bytes of the mark that begins or ends a paste */
};

struct editor {
	struct loop *loop;
	const struct edit_events *events;
	void *owner;
	FILE *out; /* the terminal, buffered */

	bool editing; /* between start and the line, stop */
	bool drawn; /* the line, or a question, is on the screen */
	size_t hidden; /* hide without show */
	struct timer redraw;
	int64_t drawn_at; /* milliseconds of loop_now */

	char *prompt; /* with readline's marks */
	bool prompt_due; /* changed while a search has its own */
	char *kept; /* typed at stop; NULL */
	int kept_point;
	struct buf
		before; /* the finished lines of an entry, each with its newline */

	/* Left by readline's line handler, for edit_keys.c to report. */
	bool finished;
	char *line; /* malloc's; NULL: the input ended */

	struct edit_keys keys;
	uv_signal_t resize, suspend, resume, quit;
	bool can_suspend;
	int64_t resumed_at; /* restored; SIGCONT is still to come */
	struct completion offer; /* what the list shows */
	char *bell; /* the user's bell-style while a completion silences it */
	struct edit_list list;
	char *history; /* path */
	int closing; /* handles whose close callback is to come */
};

/* NULL: none is open. */
extern struct editor *edit_current;
void edit_end(struct editor *e); /* no more; the terminal is as before */
void edit_finish(struct editor *e); /* reports a line; e may be gone after */
/* What was opened is closed; the last close callback releases e. */
void edit_close_handle(struct editor *e, uv_handle_t *handle);
void edit_close_timer(struct editor *e, struct timer *t);

#endif
