/* SPDX-License-Identifier: MIT */
/*
 * What a picture is, and its size, from its first bytes. It does not decode,
 * and believes what the file says.
 */
#ifndef BASE_PICTURE_H
#define BASE_PICTURE_H

#include "base/base.h"

struct picture_type {
	const char *name; /* "JPEG" */
	const char *word; /* "jpeg", the subtype of its media type */
	const char *suffix; /* "jpg" */
};

/* By its first bytes: JPEG, PNG, GIF, BMP, TIFF, WebP. NULL: none of them. */
const struct picture_type *picture_type(const void *data, size_t len);

/* PNG, JPEG, GIF, BMP. False: none of them, or cut before its size. */
bool picture_size(const void *data, size_t len, unsigned *width,
		  unsigned *height);

#endif
