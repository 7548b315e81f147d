/* SPDX-License-Identifier: MIT */
/*
 * Help from the command table, as text for people. Nothing is opened or
 * loaded. It goes to r->out, whose width and colours count; lines are at most
 * 80 wide.
 */
#ifndef CLI_HELP_H
#define CLI_HELP_H

#include "cli/command.h"
#include "out/render.h"

/* `mcpctl` alone: at most 24 lines of at most 80 columns. */
void help_brief(const struct renderer *r);

/* `mcpctl help`: usage, commands, global options, topics. */
void help_all(const struct renderer *r);

/* `mcpctl help COMMAND` and `mcpctl COMMAND --help`. */
void help_command(const struct renderer *r, const struct command *c);

/* Whether a target may stand before it: none is a running serve; the lines of a script may need one. */
bool help_takes_target(const struct command *c);

/* "usage: mcpctl [OPTION]... TARGET call TOOL [ARG]..." appended. */
void help_usage(struct buf *out, const struct command *c);

/* The text of an option with what is behind it: "longest wait … (default 10s, environment MCPCTL_TIMEOUT)". */
void help_option_text(struct buf *out, const struct option_row *row);

#endif
