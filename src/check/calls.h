/* SPDX-License-Identifier: MIT */
/*
 * Calls of a check: of tools that read, of those that are named, with arguments
 * that do not fit.
 */
#ifndef CHECK_CALLS_H
#define CHECK_CALLS_H

#include "check/parts.h"

/* Tools that are known to read only. */
int stage_calls(struct checkup *k, struct error *err);
/* What --call names. */
int stage_named(struct checkup *k, struct error *err);
/* Arguments that do not fit, to tools that are not known to destroy. */
int stage_args(struct checkup *k, struct error *err);

/* --call, before anything is sent: -1 (ERR_USAGE). */
int check_calls_read(const struct checkup *k, struct error *err);
/* The name, and the JSON behind '=': "{}" if there is none. name is yours. */
char *check_call_split(const char *word, const char **arguments);

bool tool_is_reader(const struct tool *t);
/* Whose arguments can be wrong without something being lost. */
bool tool_is_tried(const struct tool *t);
/* Arguments that do not fit; false: there are none of that kind. */
bool tool_wrong_arguments(const struct tool *t, int n, struct buf *out);

#endif
