/* SPDX-License-Identifier: MIT */
/*
 * The size of a picture from its first bytes: PNG, JPEG, GIF. It does not
 * decode, and believes what the file says.
 */
#ifndef OUT_PICTURE_H
#define OUT_PICTURE_H

#include "base/base.h"

/* False: none of the three, or cut before its size. */
bool picture_size(const void *data, size_t len, unsigned *width,
		  unsigned *height);

#endif
