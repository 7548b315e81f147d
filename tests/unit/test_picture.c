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
		cmocka_unit_test(test_known),
		cmocka_unit_test(test_types),
		cmocka_unit_test(test_unknown),
	};
	return cmocka_run_group_tests_name("picture", tests, NULL, NULL);
}
