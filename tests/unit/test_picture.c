/* SPDX-License-Identifier: MIT */
/*
 * Sizes of pictures, and no byte read beyond what is there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/picture.h"

static const unsigned char png[] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR"
				   "\0\0\x01\x40\0\0\0\xf0";
static const unsigned char gif[] = "GIF89a\x40\x01\xf0\0";
/* An APP0 segment, a fill byte, then a progressive frame. */
static const unsigned char jpeg[] = "\xff\xd8\xff\xe0\0\x04\x41\x42\xff"
				    "\xff\xc2\0\x0b\x08\0\xf0\x01\x40";

static const unsigned char bmp[] = "BM\x46\0\0\0\0\0\0\0\x36\0\0\0\x28\0\0\0"
				   "\x40\x01\0\0\x10\xff\xff\xff";

/* A copy of exactly that many bytes, so that ASan sees the end. */
static bool measure(const void *data, size_t len, unsigned *w, unsigned *h)
{
	void *copy = mem_alloc(len + (len == 0));
	memcpy(copy, data, len);
	bool found = picture_size(copy, len, w, h);
	mem_free(copy);
	return found;
}

static void assert_size(const void *data, size_t len)
{
	unsigned w = 0, h = 0;
	assert_true(measure(data, len, &w, &h));
	assert_int_equal(w, 320);
	assert_int_equal(h, 240);
	for (size_t cut = 0; cut < len; cut++)
		assert_false(measure(data, cut, &w, &h));
}

static void test_known(void **state)
{
	(void)state;
	assert_size(png, sizeof(png) - 1);
	assert_size(gif, sizeof(gif) - 1);
	assert_size(jpeg, sizeof(jpeg) - 1);
	assert_size(bmp, sizeof(bmp) - 1);
}

static void assert_type(const void *data, size_t len, const char *word)
{
	const struct picture_type *type = picture_type(data, len);

	assert_non_null(type);
	assert_string_equal(type->word, word);
}

static void test_types(void **state)
{
	(void)state;
	assert_type(png, 8, "png");
	assert_type(gif, 4, "gif");
	assert_type(jpeg, 3, "jpeg");
	assert_type(bmp, 2, "bmp");
	assert_type("II*\0", 4, "tiff");
	assert_type("MM\0*", 4, "tiff");
	assert_type("RIFF....WEBP", 12, "webp");
	assert_null(picture_type("RIFF....WEBP", 11));
	assert_null(picture_type(jpeg, 2));
	assert_null(picture_type("", 0));
	assert_null(picture_type(NULL, 0));
}

static void assert_suffix(const char *data, size_t len, const char *name,
			  const char *suffix)
{
	const struct picture_type *type = picture_type(data, len);

	assert_string_equal(type->name, name);
	assert_string_equal(type->suffix, suffix);
}

static void test_names(void **state)
{
	(void)state;
	assert_suffix("\xff\xd8\xff", 3, "JPEG", "jpg");
	assert_suffix("\x89PNG\r\n\x1a\n", 8, "PNG", "png");
	assert_suffix("GIF8", 4, "GIF", "gif");
	assert_suffix("BM", 2, "BMP", "bmp");
	assert_suffix("MM\0*", 4, "TIFF", "tiff");
	assert_suffix("\0\0\0\0\0\0\0\0WEBP", 12, "WebP", "webp");
	assert_null(picture_type("\x89PNG\r\n\x1a\n", 7));
	assert_null(picture_type("GIF", 3));
	assert_null(picture_type("B", 1));
	assert_null(picture_type("\xff\xd8\xfe", 3));
}

static void assert_sides(const void *data, size_t len, unsigned width,
			 unsigned height)
{
	unsigned w = 0, h = 0;

	assert_true(measure(data, len, &w, &h));
	assert_int_equal(w, width);
	assert_int_equal(h, height);
}

/* All four bytes of a side, in their order; lines from either end. */
static void test_large(void **state)
{
	(void)state;
	assert_sides("\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\1\2\3\4\5\6\7\x08", 24,
		     0x01020304, 0x05060708);
	assert_sides("GIF87a\1\2\3\4", 10, 0x0201, 0x0403);
	assert_sides("BM................\1\2\3\4\5\6\7\x08", 26, 0x04030201,
		     0x08070605);
	assert_sides("BM................\1\0\0\0\xff\xff\xff\x7f", 26, 1,
		     0x7fffffff);
	assert_sides("BM................\1\0\0\0\0\0\0\x80", 26, 1, 0x80000000);
}

/* Of one marker, before a frame of 2 by 3. */
static bool passes_over(unsigned char marker)
{
	unsigned char data[] = "\xff\xd8\xff\xc4\0\x09\x08\0\5\0\4zz"
			       "\xff\xc0\0\x0b\x08\0\3\0\2";
	unsigned w = 0, h = 0;

	data[3] = marker;
	assert_true(measure(data, sizeof(data) - 1, &w, &h));
	if (w == 4)
		assert_int_equal(h, 5);
	else
		assert_int_equal(w * 10 + h, 23);
	return w == 2;
}

static void test_markers(void **state)
{
	static const char bare[] = "\xff\xd8\xff\x01\xff\xd0\xff\xd7\xff\xd8"
				   "\xff\xcf\0\x0b\x08\0\3\0\2";
	unsigned w, h;

	(void)state;
	for (int marker = 0xc0; marker <= 0xcf; marker++)
		assert_int_equal(passes_over((unsigned char)marker),
				 marker == 0xc4 || marker == 0xc8 ||
					 marker == 0xcc);
	assert_true(passes_over(0xbf));
	assert_true(passes_over(0xda));
	assert_true(passes_over(0x02));
	assert_sides(bare, sizeof(bare) - 1, 2, 3);
	/* What is not begun by a marker is none. */
	assert_false(measure("\xff\xd8\xfe\xc0\0\x0b\x08\0\3\0\2", 11, &w, &h));
	assert_false(measure("\xff\xd9\xff\xc0\0\x0b\x08\0\3\0\2", 11, &w, &h));
	assert_false(measure("\xfe\xd8\xff\xc0\0\x0b\x08\0\3\0\2", 11, &w, &h));
}

static void test_unknown(void **state)
{
	unsigned w, h;
	(void)state;
	assert_false(measure("RIFF....WEBPVP8 ", 16, &w, &h));
	assert_false(measure("", 0, &w, &h));
	assert_false(picture_size(NULL, 0, &w, &h));
	/* a segment that points beyond the end */
	assert_false(measure("\xff\xd8\xff\xe0\xff\xff\xff\xc0", 8, &w, &h));
	/* a segment of length 0 */
	assert_false(measure("\xff\xd8\xff\xe0\0\0\0\0\0\0\0\0", 12, &w, &h));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_known),	cmocka_unit_test(test_types),
		cmocka_unit_test(test_names),	cmocka_unit_test(test_large),
		cmocka_unit_test(test_markers), cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
