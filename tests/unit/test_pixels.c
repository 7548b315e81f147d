/* SPDX-License-Identifier: MIT */
/*
 * Pictures as pixels: those of PNG exactly, those of JPEG by their size, made
 * smaller, cut anywhere, and what is refused before a library sees it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/module.h"
#include "base/picture.h"
#include "out/pixels.h"
#include "sim/upload.h"

/* 2x1, red, and blue that one half shines through */
static const unsigned char small[] =
	"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x06\0\0\0"
	"\xf4\x22\x7f\x8a\0\0\0\x0eIDAT\x78\xda\x63\xf8\xcf\xc0\0\x42\x0d\0"
	"\x0f\x7a\x03\x7e\x6a\x81\x31\xe1\0\0\0\0IEND\xae\x42\x60\x82";
/* 3201x2, all of the grey 0x40 */
static const unsigned char wide[] =
	"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x0c\x81\0\0\0\x02\x08\0\0\0\0"
	"\x50\xf5\x72\x3d\0\0\0\x22IDAT\x78\xda\xed\xd0\xb1\0\0\0\0\x02\xb0"
	"\xd0\xf2\xa7\xca\xa2\x6b\x43\x58\x0a\0\0\xf0\x12\x05\0\0\xc0\xcd\0"
	"\x6f\x3d\x40\xdb\xf5\x8e\x17\0\0\0\0IEND\xae\x42\x60\x82";

static const struct pixels_table *table(void)
{
	const struct pixels_table *t =
		module_table("pixels", PIXELS_TABLE, NULL);

	assert_non_null(t);
	return t;
}

/* A copy of exactly that many bytes, so that ASan sees the end. */
static int decode(struct pixels *p, const void *data, size_t len,
		  struct error *err)
{
	void *copy = mem_alloc(len + (len == 0));
	int status;

	memcpy(copy, data, len);
	status = table()->decode(p, copy, len, err);
	mem_free(copy);
	return status;
}

static void test_png(void **state)
{
	static const unsigned char expected[] = {
		255, 0, 0, 255, 0, 0, 255, 128
	};
	struct pixels p = { 0 };

	(void)state;
	assert_int_equal(decode(&p, small, sizeof(small) - 1, NULL), 0);
	assert_int_equal(p.width, 2);
	assert_int_equal(p.height, 1);
	assert_memory_equal(p.rgba, expected, sizeof(expected));
	assert_string_equal(p.damage, "");
	pixels_done(&p);
	assert_null(p.rgba);
}

static void test_smaller(void **state)
{
	struct pixels p = { 0 };

	(void)state;
	assert_int_equal(decode(&p, wide, sizeof(wide) - 1, NULL), 0);
	assert_int_equal(p.width, 1067); /* by 3 */
	assert_int_equal(p.height, 1);
	for (unsigned x = 0; x < p.width; x++) {
		assert_int_equal(p.rgba[4 * x], 0x40);
		assert_int_equal(p.rgba[4 * x + 3], 255);
	}
	pixels_done(&p);
}

static void test_jpeg(void **state)
{
	struct pixels p = { 0 };

	(void)state;
	assert_int_equal(
		decode(&p, photo_builtin.data, photo_builtin.len, NULL), 0);
	assert_int_equal(p.width, 64);
	assert_int_equal(p.height, 48);
	assert_int_equal(p.rgba[3], 255);
	assert_string_equal(p.damage, "");
	pixels_done(&p);
}

/* What is missing is told; nothing is read behind the end. */
static void assert_cuts(const void *data, size_t len)
{
	size_t damaged = 0;

	for (size_t cut = 0; cut < len; cut++) {
		CLEANUP(error_reset) struct error err = { 0 };
		struct pixels p = { 0 };

		if (decode(&p, data, cut, &err)) {
			assert_int_equal(err.kind, ERR_PROTOCOL);
			assert_null(p.rgba);
			continue;
		}
		damaged += *p.damage != '\0';
		pixels_done(&p);
	}
	assert_true(len < 500 || damaged > 0);
}

static void test_cut(void **state)
{
	(void)state;
	assert_cuts(small, sizeof(small) - 1);
	assert_cuts(wide, sizeof(wide) - 1);
	assert_cuts(photo_builtin.data, photo_builtin.len);
}

static void assert_refused(const void *data, size_t len, const char *words)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct pixels p = { 0 };

	assert_int_equal(decode(&p, data, len, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_non_null(strstr(err.text, words));
	assert_null(p.rgba);
}

/* With another width and height in its head. */
static void assert_size_refused(uint32_t width, uint32_t height,
				const char *words)
{
	unsigned char copy[sizeof(small) - 1];

	memcpy(copy, small, sizeof(copy));
	for (unsigned i = 0; i < 4; i++) {
		copy[16 + i] = (unsigned char)(width >> (24 - 8 * i));
		copy[20 + i] = (unsigned char)(height >> (24 - 8 * i));
	}
	assert_refused(copy, sizeof(copy), words);
}

static void test_refused(void **state)
{
	static const char gif[] = "GIF89a\x40\x01\xf0\0";

	(void)state;
	assert_refused("", 0, "no JPEG and no PNG");
	assert_refused("hello", 5, "no JPEG and no PNG");
	assert_refused(gif, sizeof(gif) - 1, "it is a GIF");
	assert_refused(small, 12, "without a size");
	assert_size_refused(10000, 10000, "100 megapixels, and 40 are");
	assert_size_refused(8000, 5001, "41 megapixels, and 40 are");
	assert_size_refused(UINT32_MAX, UINT32_MAX, "megapixels, and 40 are");
	assert_size_refused(0, 5, "no pixels");
	/* The sum of the head is wrong now. */
	assert_size_refused(5, 5, "the PNG cannot be decoded: ");
}

/* The head says more than there can be; a JPEG of two heads is the second's. */
static void test_jpeg_of_two_sizes(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const unsigned char *photo = photo_builtin.data;
	static const unsigned char large[] = "\xff\xc0\0\x0b\x08\xff\xff\xff"
					     "\xff\x01\x01\x11\0";
	struct pixels p = { 0 };

	(void)state;
	buf_add(&b, photo, 2);
	buf_add(&b, large, sizeof(large) - 1);
	buf_add(&b, photo + 2, photo_builtin.len - 2);
	assert_int_equal(decode(&p, b.data, b.len, NULL), -1);
	assert_null(p.rgba);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_png),
		cmocka_unit_test(test_smaller),
		cmocka_unit_test(test_jpeg),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_jpeg_of_two_sizes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
