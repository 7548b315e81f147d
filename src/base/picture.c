/* SPDX-License-Identifier: MIT */
/*
 * A few headers. Every read is checked against the length.
 */
#include "base/picture.h"

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

static const struct {
	size_t at,
		len; /* magic stands there; "RIFF" of WebP is not looked at */
	const char *magic;
	struct picture_type type;
} known[] = {
	{ 0, 3, "\xff\xd8\xff", { "JPEG", "jpeg", "jpg" } },
	{ 0, 8, "\x89PNG\r\n\x1a\n", { "PNG", "png", "png" } },
	{ 0, 4, "GIF8", { "GIF", "gif", "gif" } },
	{ 0, 2, "BM", { "BMP", "bmp", "bmp" } },
	{ 0, 4, "II*\0", { "TIFF", "tiff", "tiff" } },
	{ 0, 4, "MM\0*", { "TIFF", "tiff", "tiff" } },
	{ 8, 4, "WEBP", { "WebP", "webp", "webp" } },
};

const struct picture_type *picture_type(const void *data, size_t len)
{
	const char *bytes = data;

	for (size_t i = 0; bytes && i < COUNT(known); i++) {
		if (len >= known[i].at + known[i].len &&
		    memcmp(bytes + known[i].at, known[i].magic, known[i].len) ==
			    0)
			return &known[i].type;
	}
	return NULL;
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

/* A height below 0 means that the lines run from top to bottom. */
static bool bmp_size(struct bytes b, unsigned *width, unsigned *height)
{
	unsigned high;

	if (b.len < 26 || memcmp(b.at, "BM", 2) != 0)
		return false;
	*width = little16(b.at + 20) << 16 | little16(b.at + 18);
	high = little16(b.at + 24) << 16 | little16(b.at + 22);
	*height = high > INT32_MAX ? 0u - high : high;
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
	       jpeg_size(b, width, height) || bmp_size(b, width, height);
}
