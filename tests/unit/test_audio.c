/* SPDX-License-Identifier: MIT */
/*
 * wire/audio: binary frames of versions 1, 2 and 3.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/audio.h"

/* The examples of device.md 1.7. */
static const unsigned char version_2[] = { 0x00, 0x02, 0x00, 0x00, 0x00,
					   0x00, 0x00, 0x00, 0x01, 0x02,
					   0x03, 0x04, 0x00, 0x00, 0x00,
					   0x03, 0x55, 0x55, 0x55 };
static const unsigned char version_3[] = { 0x00, 0x00, 0x00, 0x03,
					   0x55, 0x55, 0x55 };

static int decode(struct audio_frame *f, int version, const void *data,
		  size_t len)
{
	struct error err = { 0 };
	int status = audio_decode(f, version, data, len, &err);

	assert_int_equal(err.kind, status ? ERR_PROTOCOL : ERR_NONE);
	return status;
}

static void good(void **state)
{
	struct audio_frame f;

	(void)state;
	assert_int_equal(decode(&f, 1, "\x55\x55", 2), 0);
	assert_int_equal(f.len, 2);
	assert_int_equal(f.payload[1], 0x55);
	assert_int_equal(decode(&f, 2, version_2, sizeof(version_2)), 0);
	assert_int_equal(f.type, 0);
	assert_int_equal(f.timestamp, 0x01020304);
	assert_int_equal(f.len, 3);
	assert_ptr_equal(f.payload, version_2 + 16);
	assert_int_equal(decode(&f, 3, version_3, sizeof(version_3)), 0);
	assert_int_equal(f.len, 3);
	assert_ptr_equal(f.payload, version_3 + 4);
	assert_int_equal(decode(&f, 1, "", 0), 0);
	assert_int_equal(f.len, 0);
}

static void broken(void **state)
{
	unsigned char copy[sizeof(version_2)];
	struct audio_frame f;

	(void)state;
	assert_int_equal(decode(&f, 2, version_2, 15), -1);
	assert_int_equal(decode(&f, 3, version_3, 3), -1);
	/* payload_size says more than there is */
	assert_int_equal(decode(&f, 2, version_2, 18), -1);
	assert_int_equal(decode(&f, 3, version_3, 6), -1);
	/* another version than agreed */
	assert_int_equal(decode(&f, 2, version_3, sizeof(version_3)), -1);
	memcpy(copy, version_2, sizeof(copy));
	copy[1] = 3;
	assert_int_equal(decode(&f, 2, copy, sizeof(copy)), -1);
	memcpy(copy, version_2, sizeof(copy));
	copy[12] = 0xff;
	assert_int_equal(decode(&f, 2, copy, sizeof(copy)), -1);
}

static void shorter_payload(void **state)
{
	unsigned char copy[sizeof(version_3)];
	struct audio_frame f;

	(void)state;
	memcpy(copy, version_3, sizeof(copy));
	copy[3] = 2;
	assert_int_equal(decode(&f, 3, copy, sizeof(copy)), 0);
	assert_int_equal(f.len, 2);
}

static void encode(void **state)
{
	struct buf out = { 0 };

	(void)state;
	audio_encode(&out, 1, 9, "\x55\x55\x55", 3);
	assert_int_equal(out.len, 3);
	buf_reset(&out);
	audio_encode(&out, 2, 0x01020304, "\x55\x55\x55", 3);
	assert_int_equal(out.len, sizeof(version_2));
	assert_memory_equal(out.data, version_2, sizeof(version_2));
	buf_reset(&out);
	audio_encode(&out, 3, 0x01020304, "\x55\x55\x55", 3);
	assert_int_equal(out.len, sizeof(version_3));
	assert_memory_equal(out.data, version_3, sizeof(version_3));
	buf_done(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(broken),
		cmocka_unit_test(shorter_payload),
		cmocka_unit_test(encode),
	};

	return cmocka_run_group_tests_name("audio", tests, NULL, NULL);
}
