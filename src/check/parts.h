/* SPDX-License-Identifier: MIT */
/*
 * The stages of a connected peer: each asks, and tells its line. -1: nothing
 * more can be asked (err: why), and the stages behind it are not reached.
 */
#ifndef CHECK_PARTS_H
#define CHECK_PARTS_H

#include "check/check.h"

/* Questions that nobody should mind, and the list once more. */
int stage_asked(struct checkup *k, struct error *err);
/* Odd ones, each with a plain one behind it. */
int stage_odd(struct checkup *k, struct error *err);

/* Tools that are known to read only. */
int stage_calls(struct checkup *k, struct error *err);
/* What --call names. */
int stage_named(struct checkup *k, struct error *err);
/* Arguments that do not fit, to tools that are not known to destroy. */
int stage_args(struct checkup *k, struct error *err);

/* --power-cycle: nothing is asked after it. */
int stage_power(struct checkup *k, struct error *err);
/* Whether the risk allows it, and whether that serve can: -1 (ERR_USAGE, or as serve_ask). */
int check_power_read(const struct checkup *k, struct error *err);
int check_power_possible(const struct checkup *k, struct error *err);

/* --call, before anything is sent: -1 (ERR_USAGE). */
int check_calls_read(const struct checkup *k, struct error *err);
/* The name, and the JSON behind '=': "{}" if there is none. name is yours. */
char *check_call_split(const char *word, const char **arguments);

/* --against: -1 (ERR_USAGE): a backend that is not known. */
int check_against_read(struct checkup *k, struct error *err);
/* What each of them would make of the list; nothing without --against. */
void check_against(struct checkup *k, const struct tool_list *l);

bool tool_is_reader(const struct tool *t);
/* Whose arguments can be wrong without something being lost. */
bool tool_is_tried(const struct tool *t);
#define WRONG_WAYS 3 /* none, above, below */
/* Arguments that do not fit; false: there are none of that kind. */
bool tool_wrong_arguments(const struct tool *t, int n, struct buf *out);

#endif
