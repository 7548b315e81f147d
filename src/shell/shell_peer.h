/* SPDX-License-Identifier: MIT */
/* The session: opened in the background, lost, reopened, switched. */
#ifndef SHELL_SHELL_PEER_H
#define SHELL_SHELL_PEER_H

#include "shell/shell.h"

/*
 * Between turns of the loop, while a line is edited: notices what was lost,
 * opens, initializes, lists. Says what changed.
 */
void shell_peer_step(struct shell *s);
/* The same behind a command; why: it failed; NULL. */
void shell_peer_after(struct shell *s, const struct error *why);
/* Close it and, if it listens and nobody waits (a terminal), open it in the background; else now. */
int shell_peer_open(struct shell *s, struct error *err);
/* Opening it failed: said once for each reason. */
void shell_peer_failed(struct shell *s, struct error *why);
/* Another target, or device of serve (NULL: whichever), from now on. */
void shell_peer_choose(struct shell *s, const char *target, const char *device);
/* It is from 'use': options were for the first one. */
void shell_mark_later(struct app *app);
/* The target is what a running serve holds. */
bool shell_is_attached(const struct shell *s);
/* "kitchen (lost)> ", with colours; yours. */
char *shell_peer_prompt(const struct shell *s);

/* The renderer, as it now is, told of the line that is edited and of the last result. */
void shell_dress(struct shell *s);
/* One round of waiting: events are shown, then a turn of the loop, until *done. */
int shell_wait(struct shell *s, const bool *done, struct error *err);

#endif
