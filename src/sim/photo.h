/* SPDX-License-Identifier: MIT */
/*
 * What the pretend camera sees: a JPEG of its own, or one from a file.
 */
#ifndef SIM_PHOTO_H
#define SIM_PHOTO_H

#include "base/buf.h"
#include "base/error.h"

#define PHOTO_MAX (16u << 20) /* bytes */

struct photo {
	const void *data;
	size_t len;
};
extern const struct photo photo_builtin;

/*
 * Fill out, which is overwritten, not released. -1 (ERR_USAGE): it cannot be
 * read, is larger than PHOTO_MAX, or is no JPEG; out is empty then.
 */
int photo_read(struct buf *out, const char *file, struct error *err);

#endif
