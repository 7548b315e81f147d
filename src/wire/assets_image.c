/* SPDX-License-Identifier: MIT */
/* Assets: looked at as the firmware looks at them. */
#include "wire/assets_image.h"

#include <string.h>

#include "wire/esp_image.h"

enum {
	HEAD = 12,
	ROW = 44 /* of the table: a name of 32 bytes, size, offset, two numbers */
};

static uint32_t number(const unsigned char *at)
{
	return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
	       (uint32_t)at[3] << 24;
}

/* Of all bytes, which are unsigned on the chips. */
static uint32_t sum(const unsigned char *at, size_t len)
{
	uint32_t all = 0;

	for (size_t i = 0; i < len; i++)
		all += at[i];
	return all & 0xffff;
}

static int is_none(const void *data, size_t len, struct error *err)
{
	struct esp_image image;

	if (esp_image_peek(&image, data, len, NULL) == 0) {
		error_set(err, ERR_USAGE, "it is firmware, and no assets");
		return error_hint(err, "'mcpctl upgrade' is for firmware");
	}
	error_set(err, ERR_USAGE,
		  "it is no file of assets as firmware reads them");
	return error_hint(
		err,
		"the assets.bin of a release, or generated_assets.bin of the build; --force sends it as it is");
}

int assets_image_read(struct assets_image *out, const void *data, size_t len,
		      struct error *err)
{
	const unsigned char *at = data;
	uint32_t files, stored;

	if (len == 0)
		return error_set(err, ERR_USAGE, "it is empty");
	if (len < HEAD)
		return is_none(data, len, err);
	files = number(at);
	stored = number(at + 8);
	if (!files || (uint64_t)files * ROW > stored || stored > ESP_IMAGE_MAX)
		return is_none(data, len, err);
	if (stored > len - HEAD)
		return error_set(err, ERR_USAGE,
				 "it is cut: %zu of %zu bytes are there", len,
				 (size_t)stored + HEAD);
	if (sum(at + HEAD, stored) != number(at + 4))
		return error_set(err, ERR_USAGE,
				 "it is damaged: its sum is another one");
	*out = (struct assets_image){ .files = files,
				      .size = (size_t)stored + HEAD };
	return 0;
}
