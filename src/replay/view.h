/* SPDX-License-Identifier: MIT */
/*
 * A capture as it would have been seen while it was made (out/passing.h).
 */
#ifndef REPLAY_VIEW_H
#define REPLAY_VIEW_H

#include <stdio.h>

#include "base/error.h"

struct renderer;

struct view_order {
	const char *path;
	const char *device; /* its id or a glob; NULL: all */
	const char *word; /* what must stand in it, capitals or not; NULL */
	const char *from, *to; /* "10s" behind the start, or "10:02:31"; NULL */
	unsigned detail; /* -v */
	struct renderer *out;
};

/* Lines to stdout, or with -o json a capture of what is left. -1: err
   (ERR_UNMET: nothing fits). */
int view(const struct view_order *order, struct error *err);

#endif
