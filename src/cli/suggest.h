/* SPDX-License-Identifier: MIT */
/*
 * What to propose for a wrong word: the nearest of ours, or what other tools
 * call it. Each function sets ERR_USAGE and returns -1.
 */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "cli/command.h"

/* No command has that name. inside: on a line of run, where a target cannot stand. */
int suggest_command(const char *word, bool inside, struct error *err);

/* Neither command (NULL: none was given) nor program has the option `text` ("--name" or "-x"). */
int suggest_option(const struct command *c, const char *text,
		   struct error *err);

/* `help WORD`: neither command nor topic. */
int suggest_topic(const char *word, struct error *err);

/* A target without ':'; source says where it came from. */
int suggest_target(const char *text, const char *source, struct error *err);

/* What to propose for a wrong word: nearest name, or what other tools call it ("ls" -> tools). NULL: nothing near. */
const char *command_nearest(const char *word);
/* The kind of target that a word like "device" or "websocket" most likely means; NULL. */
const char *target_nearest(const char *word);

#endif
