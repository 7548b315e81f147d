/* SPDX-License-Identifier: MIT */
/*
 * What is seen: the line that is edited, taken away for other output and put
 * back; above it lists, candidates with their briefs, a page at a time. The
 * questions are asked as readline does, but answered by a later key: nothing
 * waits.
 */
#ifndef SHELL_EDIT_SCREEN_H
#define SHELL_EDIT_SCREEN_H

#include "shell/edit_private.h"

/* Its timer, which the editor closes. */
void edit_screen_open(struct editor *e);

/* The line, or the question in its place. Each does nothing if it is so. */
void edit_erase(struct editor *e);
void edit_draw(struct editor *e); /* not while it is hidden */
/*
 * After the first of many lines of output it is back at once, and then until
 * they end at every frame.
 */
void edit_draw_soon(struct editor *e);
/* From now on readline itself draws nothing. */
void edit_quiet(void);
/* Shows e's prompt, unless a search shows its own: then after it. */
void edit_prompt_due(struct editor *e);

/* Candidates as lines of at most columns, briefs beside them. */
void edit_list_layout(struct words *out, const struct completion *c,
		      size_t columns);
/*
 * Shows lines, which are taken, above the line, a page at a time; asks before
 * when there are many candidates.
 */
void edit_list_show(struct editor *e, struct words *lines, size_t candidates);
void edit_list_key(struct editor *e, int key);
void edit_list_end(struct editor *e); /* without drawing */

#endif
