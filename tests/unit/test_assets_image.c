/* SPDX-License-Identifier: MIT */
/*
 * wire/assets_image: what a board would take as assets, and what not.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/assets_image.h"

/* One file, "a", of three bytes with a sum of 4 and 0x44 for its row. */
#define BODY                                                              \
	"a\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0" \
	"\1\0\0\0\0\0\0\0\0\0\0\0"                                        \
	"ZZ\377"
enum { HEAD = 12, STORED = 47 };
/* 0x61 + 1 + 0x5a + 0x5a + 0xff */
static const char good[] = "\1\0\0\0\x15\2\0\0\x2f\0\0\0" BODY;

static struct assets_image a;
static struct error err;

static void assert_refused(const void *data, size_t len, const char *word)
{
	assert_int_equal(assets_image_read(&a, data, len, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say '%s'", err.text, word);
	error_reset(&err);
}

static void test_good(void **state)
{
	char longer[sizeof(good) + 10] = { 0 };

	(void)state;
	assert_int_equal(assets_image_read(&a, good, HEAD + STORED, &err), 0);
	assert_int_equal(a.files, 1);
	assert_int_equal(a.size, HEAD + STORED);
	/* What stands behind is not read. */
	memcpy(longer, good, sizeof(good));
	assert_int_equal(assets_image_read(&a, longer, sizeof(longer), &err),
			 0);
	assert_int_equal(a.size, HEAD + STORED);
}

static void test_bad(void **state)
{
	char bad[sizeof(good)];

	(void)state;
	assert_refused(good, 0, "empty");
	for (size_t len = 1; len < HEAD; len++)
		assert_refused(good, len, "no file of assets");
	for (size_t len = HEAD; len < HEAD + STORED; len++)
		assert_refused(good, len, "it is cut");
	for (size_t i = HEAD; i < HEAD + STORED; i++) {
		memcpy(bad, good, sizeof(bad));
		bad[i] ^= 1;
		assert_refused(bad, HEAD + STORED, "damaged");
	}
	assert_int_equal(assets_image_read(&a, good, 40, &err), -1);
	assert_string_equal(err.text, "it is cut: 40 of 59 bytes are there");
	assert_int_equal(assets_image_read(&a, good, 5, &err), -1);
	assert_string_equal(
		err.hint,
		"the assets.bin of a release, or generated_assets.bin of the build; --force sends it as it is");
	error_reset(&err);
	/* Two files need a longer table; none is nothing. */
	memcpy(bad, good, sizeof(bad));
	bad[0] = 2;
	assert_refused(bad, HEAD + STORED, "no file of assets");
	bad[0] = 0;
	assert_refused(bad, HEAD + STORED, "no file of assets");
	/* Sizes that no flash has. */
	memcpy(bad, good, sizeof(bad));
	memset(bad + 8, 0xff, 4);
	assert_refused(bad, HEAD + STORED, "no file of assets");
	memset(bad, 0xff, 4);
	assert_refused(bad, HEAD + STORED, "no file of assets");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
