/* SPDX-License-Identifier: MIT */
/*
 * The question at the terminal whether a project's file is trusted.
 */
#ifndef CLI_TRUST_ASK_H
#define CLI_TRUST_ASK_H

#include "cli/app.h"
#include "cli/named_file.h"

/*
 * Show what the file would do, or what changed, and ask; only "y" is yes. 0:
 * yes, and what was read is kept as trusted. -1: ERR_USAGE (no; nobody can be
 * asked; it is too long to be shown: what to type instead) or ERR_OUTPUT (it
 * could not be kept), or ended by a signal. Waits: never from a callback.
 */
int trust_ask(struct app *app, const struct named_file *f, struct error *err);

#endif
