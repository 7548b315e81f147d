/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a binary frame of each version: the payload stays inside.
 */
#include <assert.h>
#include <stdint.h>

#include "wire/audio.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct audio_frame f;

	for (int version = 0; version <= 4; version++) {
		if (audio_decode(&f, version, data, size, NULL))
			continue;
		assert(f.payload >= data && f.len <= size);
		assert(f.payload + f.len <= data + size);
	}
	return 0;
}
