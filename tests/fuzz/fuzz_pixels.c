/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a picture: refused in words, or pixels within the bounds.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "base/picture.h"
#include "out/pixels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A fuzzer has no gigabytes, nor minutes: that is the process's own bound. */
#define FUZZ_MOST 200000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct pixels p = { 0 };
	unsigned width, height;

	if (picture_size(data, size, &width, &height) &&
	    (uint64_t)width * height > FUZZ_MOST)
		return 0;
	if (pixels_table.decode(&p, data, size, &err)) {
		assert(*err.text && !p.rgba);
		return 0;
	}
	assert(p.width >= 1 && p.width <= PIXELS_SIDE);
	assert(p.height >= 1 && p.height <= PIXELS_SIDE);
	assert(memchr(p.damage, '\0', sizeof(p.damage)));
	/* All of it is there. */
	for (size_t i = 0; i < (size_t)p.width * p.height; i++)
		width ^= p.rgba[4 * i + 3];
	pixels_done(&p);
	return 0;
}
