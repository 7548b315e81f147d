/* SPDX-License-Identifier: MIT */
/*
 * A file for the partition of assets, as the firmware reads it (main/assets.cc,
 * LvglStrategy::InitializePartition): how many files, a sum, how many bytes;
 * then a table and the files. Pure.
 */
#ifndef WIRE_ASSETS_IMAGE_H
#define WIRE_ASSETS_IMAGE_H

#include <stdint.h>

#include "base/error.h"

struct assets_image {
	uint32_t files;
	size_t size; /* to its end; what is behind is not read */
};

/*
 * -1 (ERR_USAGE): a board would not take it, or not find anything in it: it is
 * firmware or something else, cut, or damaged.
 */
int assets_image_read(struct assets_image *out, const void *data, size_t len,
		      struct error *err);

#endif
