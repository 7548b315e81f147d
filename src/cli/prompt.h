/* SPDX-License-Identifier: MIT */
/*
 * Lines from a person at the terminal, beside everything else: read on the
 * loop, asked for on stderr. Not the shell's editor, which has the terminal
 * while it edits. One at a time.
 */
#ifndef CLI_PROMPT_H
#define CLI_PROMPT_H

#include "cli/app.h"

struct prompt;

/*
 * From the loop: a line (lent), NULL: Ctrl-C, or Ctrl-D on an empty line, or
 * the terminal is gone. prompt_ask and prompt_close may be called within.
 */
typedef void prompt_line(void *owner, const char *line);

/* NULL: a person can be asked; else why not, in a few words. Static. */
const char *prompt_obstacle(const struct app *app);

/*
 * Take the terminal: what was typed ahead is dropped, Ctrl-C comes as a line.
 * What else is printed meanwhile stands above the prompt, which is shown
 * again. -1 (ERR_CONNECT): it cannot be watched.
 */
int prompt_open(struct prompt **out, struct app *app, prompt_line *line,
		void *owner, struct error *err);
/* The last line was Ctrl-C's. */
bool prompt_interrupted(const struct prompt *p);
/* Print lines; ask, and show the question again behind what is printed. Both are made safe. */
void prompt_say(struct prompt *p, const char *lines);
void prompt_ask(struct prompt *p, const char *question);
/* Give the terminal back as it was. NULL is fine. */
void prompt_close(struct prompt *p);

#endif
