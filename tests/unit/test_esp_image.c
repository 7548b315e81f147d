/* SPDX-License-Identifier: MIT */
/* wire/esp_image: an image from literal bytes, and all that is none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/esp_image.h"

enum { TABLE = 0x8000, SEGMENT = 300, SIZE = 0x9000 };

static unsigned char image[SIZE];
static size_t length;
static struct esp_image read_it;
static struct error err;

static void put(size_t at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		image[at + (size_t)i] = (unsigned char)(value >> (8 * i));
}

/* Checksum and SHA-256 behind two segments of that size and of 5 bytes. */
static void finish(void)
{
	char hash[SHA256_TEXT];
	size_t end = 24 + 8 + SEGMENT + 8 + 5, at;
	unsigned char sum = 0xef;

	for (size_t i = 32; i < 32 + SEGMENT; i++)
		sum ^= image[i];
	for (size_t i = end - 5; i < end; i++)
		sum ^= image[i];
	at = (end | 15) + 1;
	image[at - 1] = sum;
	sha256_text(image, at, hash);
	for (size_t i = 0; i < 32; i++) {
		char pair[3] = { hash[2 * i], hash[2 * i + 1] };

		image[at + i] = (unsigned char)strtoul(pair, NULL, 16);
	}
	length = at + 32;
}

static int start(void **state)
{
	(void)state;
	memset(image, 0, sizeof(image));
	error_reset(&err);
	image[0] = 0xe9;
	image[1] = 2; /* segments */
	image[12] = 9; /* ESP32-S3 */
	image[23] = 1; /* a SHA-256 stands behind */
	put(28, SEGMENT);
	put(32, 0xabcd5432);
	memcpy(image + 48, "2.5.0", 6);
	memcpy(image + 80, "xiaozhi", 8);
	memcpy(image + 112, "10:11:12", 9);
	memcpy(image + 128, "Nov 23 2026", 12);
	memcpy(image + 144, "v5.5.1", 7);
	memset(image + 176, 0xa5, 32);
	put(32 + SEGMENT + 4, 5);
	memcpy(image + 32 + SEGMENT + 8, "other", 5);
	finish();
	return 0;
}

static void assert_refused(const char *word)
{
	assert_int_equal(esp_image_read(&read_it, image, length, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, word))
		fail_msg("'%s' does not say '%s'", err.text, word);
	assert_true(err.hint[0]);
}

static void test_good(void **state)
{
	(void)state;
	assert_int_equal(esp_image_read(&read_it, image, length, &err), 0);
	assert_string_equal(read_it.chip_name, "esp32s3");
	assert_string_equal(read_it.version, "2.5.0");
	assert_string_equal(read_it.project, "xiaozhi");
	assert_string_equal(read_it.time, "10:11:12");
	assert_string_equal(read_it.date, "Nov 23 2026");
	assert_string_equal(read_it.idf, "v5.5.1");
	assert_int_equal(strspn(read_it.elf_sha256, "a5"), 64);
	assert_true(read_it.hashed);
	assert_int_equal(read_it.size, length);
	/* A signature may stand behind it. */
	assert_int_equal(esp_image_read(&read_it, image, length + 4096, &err),
			 0);
	assert_int_equal(read_it.size, length);
}

static void test_texts_without_an_end(void **state)
{
	(void)state;
	memset(image + 48, 'v', 32 + 32 + 16 + 16 + 32);
	finish();
	assert_int_equal(esp_image_read(&read_it, image, length, &err), 0);
	assert_int_equal(strlen(read_it.version), 32);
	assert_int_equal(strlen(read_it.idf), 32);
}

static void test_fit(void **state)
{
	struct image_place place = { "", "", "", 0 };
	char other[SHA256_TEXT];

	(void)state;
	assert_int_equal(esp_image_read(&read_it, image, length, &err), 0);
	assert_int_equal(esp_image_fit(&read_it, length, &place), IMAGE_FITS);
	place.chip = "ESP32-S3";
	place.room = (int64_t)length;
	assert_int_equal(esp_image_fit(&read_it, length, &place), IMAGE_FITS);
	place.elf_sha256 = read_it.elf_sha256;
	assert_int_equal(esp_image_fit(&read_it, length, &place), IMAGE_RUNS);
	memcpy(other, read_it.elf_sha256, sizeof(other));
	other[63] = 'b';
	place.elf_sha256 = other;
	assert_int_equal(esp_image_fit(&read_it, length, &place), IMAGE_FITS);
	place.room--;
	assert_int_equal(esp_image_fit(&read_it, length, &place),
			 IMAGE_TOO_LARGE);
	place.chip = "esp32c3";
	assert_int_equal(esp_image_fit(&read_it, length, &place),
			 IMAGE_OTHER_CHIP);
	/* Of a chip that is not known nothing is said. */
	read_it.chip_name = NULL;
	assert_int_equal(esp_image_fit(&read_it, length, &place),
			 IMAGE_TOO_LARGE);
}

static void test_no_hash(void **state)
{
	(void)state;
	image[23] = 0;
	finish();
	assert_int_equal(esp_image_read(&read_it, image, length - 32, &err), 0);
	assert_false(read_it.hashed);
}

static void test_unknown_chip(void **state)
{
	(void)state;
	image[12] = 0xee;
	image[13] = 0x12;
	finish();
	assert_int_equal(esp_image_read(&read_it, image, length, &err), 0);
	assert_null(read_it.chip_name);
	assert_int_equal(read_it.chip, 0x12ee);
}

/* Every length below its own is told as cut, and nothing behind it is read. */
static void test_cut(void **state)
{
	const size_t whole = length;

	(void)state;
	for (length = 1; length < whole; length++) {
		assert_refused("it is cut");
		assert_string_equal(err.hint, "copy or download it again");
	}
	/* How much there is, and up to where it was read. */
	length = 287;
	assert_refused(
		"it is cut: 287 bytes are there, and its segments need 288");
	length = 331;
	assert_refused("331 bytes are there, and its segments need 332");
	length = 339;
	assert_refused("339 bytes are there, and its segments need 340");
	length = 344;
	assert_refused("344 bytes are there, and its segments need 345");
	length = whole - 1;
	assert_refused("383 bytes are there, and its segments need 384");
	length = whole;
	put(28, 0xffffffff);
	assert_refused("it is cut");
}

static void test_damaged(void **state)
{
	(void)state;
	image[40 + SEGMENT] ^= 1;
	assert_refused("checksum");
	image[40 + SEGMENT] ^= 1;
	image[2] ^= 1; /* no part of a segment */
	assert_refused("SHA-256");
	image[2] ^= 1;
	image[1] = 0;
	assert_refused("number of segments");
	image[1] = 17;
	assert_refused("number of segments");
	assert_string_equal(err.hint,
			    "copy or download it again, or build it anew");
	image[1] = 16;
	assert_refused("is cut");
}

static void test_merged(void **state)
{
	(void)state;
	put(32, 0);
	assert_refused("no descriptor");
	image[TABLE] = 0xaa;
	image[TABLE + 1] = 0x50;
	length = SIZE;
	assert_refused("merged image");
	/* An ESP32's has its bootloader at 0x1000. */
	memset(image, 0xff, TABLE);
	assert_refused("merged image");
}

static void test_others(void **state)
{
	(void)state;
	length = 0;
	assert_refused("empty");
	memcpy(image, "\177ELF", 4);
	length = 100;
	assert_refused("ELF");
	memcpy(image, "PK\x03\x04", 4);
	assert_refused("zip");
	memcpy(image, "\x1f\x8b\x08", 3);
	assert_refused("gzip");
	memcpy(image, "text", 4);
	assert_refused("0xE9");
}

static void test_chips(void **state)
{
	/* esp_chip_id_t of ESP-IDF's bootloader_support. */
	static const struct {
		unsigned id;
		const char *name;
	} chips[] = {
		{ 0, "esp32" },	   { 2, "esp32s2" },   { 5, "esp32c3" },
		{ 9, "esp32s3" },  { 12, "esp32c2" },  { 13, "esp32c6" },
		{ 16, "esp32h2" }, { 18, "esp32p4" },  { 20, "esp32c61" },
		{ 23, "esp32c5" }, { 25, "esp32h21" }, { 28, "esp32h4" },
	};

	(void)state;
	assert_true(esp_chip_same("esp32s3", "ESP32-S3"));
	assert_false(esp_chip_same("esp32s3", "esp32s2"));
	assert_false(esp_chip_same("esp32", "esp32s3"));
	assert_false(esp_chip_same("esp32s3", ""));
	assert_null(esp_chip_name(0xffff));
	for (size_t i = 0; i < COUNT(chips); i++)
		assert_string_equal(esp_chip_name(chips[i].id), chips[i].name);
	assert_true(esp_chip_same("-esp 32_s3", "ESP32S3-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_good, start),
		cmocka_unit_test_setup(test_texts_without_an_end, start),
		cmocka_unit_test_setup(test_fit, start),
		cmocka_unit_test_setup(test_no_hash, start),
		cmocka_unit_test_setup(test_unknown_chip, start),
		cmocka_unit_test_setup(test_cut, start),
		cmocka_unit_test_setup(test_damaged, start),
		cmocka_unit_test_setup(test_merged, start),
		cmocka_unit_test_setup(test_others, start),
		cmocka_unit_test(test_chips),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
