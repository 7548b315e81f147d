/* SPDX-License-Identifier: MIT */
/* Any bytes as an image of ESP-IDF, and as assets. One that is taken is taken again to its end. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/assets_image.h"
#include "wire/esp_image.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct esp_image image, again;
	struct assets_image assets;

	if (assets_image_read(&assets, data, size, NULL) == 0)
		assert(assets.size <= size);
	if (esp_image_read(&image, data, size, NULL))
		return 0;
	assert(image.size <= size);
	assert(esp_image_read(&again, data, image.size, NULL) == 0);
	assert(strcmp(image.elf_sha256, again.elf_sha256) == 0);
	return 0;
}
