/* SPDX-License-Identifier: MIT */
/*
 * The servers of serve --open: each is opened by a command of ours, as a user
 * would (cli/cmd_open), which starts what keeps it. What it says is in the log,
 * as is that it failed.
 */
#ifndef CLI_SERVE_OPEN_H
#define CLI_SERVE_OPEN_H

#include "base/loop.h"
#include "base/split.h"

struct serve;

/* Before the fences: they may be started there, where serve was. */
void serve_open_allow(const char *folder, const struct words *names);
void serve_open_all(struct serve *s, struct loop *l, const char *folder,
		    const struct words *names);

#endif
