/* SPDX-License-Identifier: MIT */
/*
 * Three headers. Every read is checked against the length.
 */
#include "out/picture.h"

#include <string.h>

struct bytes {
	const unsigned char *at;
	size_t len;
};

static unsigned big16(const unsigned char *p)
{
	return (unsigned)p[0] << 8 | p[1];
}

static unsigned little16(const unsigned char *p)
{
	return (unsigned)p[1] << 8 | p[0];
}

static bool png_size(struct bytes b, unsigned *width, unsigned *height)
{
	static const unsigned char start[] = "\x89PNG\r\n\x1a\n";
	if (b.len < 24 || memcmp(b.at, start, 8) != 0 ||
	    memcmp(b.at + 12, "IHDR", 4) != 0)
		return false;
	*width = big16(b.at + 16) << 16 | big16(b.at + 18);
	*height = big16(b.at + 20) << 16 | big16(b.at + 22);
	return true;
}

static bool gif_size(struct bytes b, unsigned *width, unsigned *height)
{
	if (b.len < 10 || memcmp(b.at, "GIF8", 4) != 0)
		return false;
	*width = little16(b.at + 6);
	*height = little16(b.at + 8);
	return true;
}

/* SOF0..SOF15, but for the four codes among them that are other segments. */
static bool is_frame(unsigned char marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
	       marker != 0xc8 && marker != 0xcc;
}

/* A marker without a length behind it. */
static bool is_bare(unsigned char marker)
{
	return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd8);
}

static bool jpeg_size(struct bytes b, unsigned *width, unsigned *height)
{
	if (b.len < 4 || b.at[0] != 0xff || b.at[1] != 0xd8)
		return false;
	for (size_t i = 2; i + 4 <= b.len;) {
		unsigned char marker = b.at[i + 1];
		if (b.at[i] != 0xff)
			return false;
		if (marker == 0xff || is_bare(marker)) {
			i += marker == 0xff ? 1 : 2;
			continue;
		}
		if (is_frame(marker)) {
			if (b.len - i < 9)
				return false;
			*height = big16(b.at + i + 5);
			*width = big16(b.at + i + 7);
			return true;
		}
		i += 2 + (size_t)big16(b.at + i + 2);
	}
	return false;
}

bool picture_size(const void *data, size_t len, unsigned *width,
		  unsigned *height)
{
	struct bytes b = { data, len };
	if (!data)
		return false;
	return png_size(b, width, height) || gif_size(b, width, height) ||
	       jpeg_size(b, width, height);
}
