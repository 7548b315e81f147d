/* SPDX-License-Identifier: MIT */
/*
 * JPEG and PNG as pixels. A loaded part (mcpctl-pixels.so), for libturbojpeg
 * and libpng. What it reads is a stranger's: it is called in the process of
 * out/decoder.h, which can do nothing else.
 */
#ifndef OUT_PIXELS_H
#define OUT_PIXELS_H

#include "out/decoder.h"

#define PIXELS_TABLE "pixels_table"

struct pixels_table {
	/*
	 * Checks (decoder_check), decodes and makes it smaller: a JPEG while it
	 * is decoded, then by whole factors. Of a PNG all pixels are held at a
	 * time, 4 bytes each. -1 (ERR_PROTOCOL): it cannot be decoded.
	 */
	int (*decode)(struct pixels *out, const void *data, size_t len,
		      struct error *err);
};
extern const struct pixels_table pixels_table;

#endif
