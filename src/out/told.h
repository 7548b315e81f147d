/* SPDX-License-Identifier: MIT */
/*
 * What is to be said of any capture that is read: secrets in it, and that it
 * ends too early, or was not read whole.
 */
#ifndef OUT_TOLD_H
#define OUT_TOLD_H

#include "capture/reader.h"

struct renderer;

/* Before something is made of it: whether secrets may stand in that. */
void told_unmasked(struct renderer *out, const struct capture_reader *file,
		   const char *path);
/* When it was read. */
void told_cut(struct renderer *out, const struct capture_reader *file,
	      const char *path);

#endif
