/* SPDX-License-Identifier: MIT */
/*
 * The servers of serve --open: each is opened by a command of ours, as a user
 * would (cli/cmd_open), which starts what keeps it. What it says is in the log,
 * as is that it failed: then it is tried again, ever more seldom, but for what no
 * try makes right (status 2: no such name, nothing that can be kept open).
 */
#ifndef CLI_SERVE_OPEN_H
#define CLI_SERVE_OPEN_H

#include "base/loop.h"
#include "base/split.h"

struct serve;
struct serve_openings;

/* Before the fences: they may be started there, where serve was. */
void serve_open_allow(const char *folder, const struct words *names);
/* As long as one of them is tried serve does not end for having none. NULL: there are none. */
struct serve_openings *serve_open_all(struct serve *s, struct loop *l,
				      const char *folder,
				      const struct words *names);
/* None was opened, and none will be. NULL is fine. */
bool serve_open_failed(const struct serve_openings *all);
/* Tries none any more; ends in the loop. NULL is fine. */
void serve_open_stop(struct serve_openings *all);

#endif
