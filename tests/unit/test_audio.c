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

/* Which header is missing, and how much of it is there. */
static void told(void **state)
{
	static const struct {
		int version;
		const char *data;
		size_t len;
		const char *text;
	} rows[] = {
		{ 2, "", 0,
		  "binary frame of 0 bytes: version 2 has a header of 16" },
		{ 3, "ab", 2,
		  "binary frame of 2 bytes: version 3 has a header of 4" },
		{ 2, "\0\x03\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 16,
		  "binary frame says version 3 where the hello said 2" },
		{ 2, "\0\x02\0\0\0\0\0\0\0\0\0\0\x01\x02\x03\x04!", 17,
		  "binary frame claims a payload of 16909060 bytes and has 1" },
		{ 3, "\0\0\x01\x02!", 5,
		  "binary frame claims a payload of 258 bytes and has 1" },
	};
	struct error err = { 0 };
	struct audio_frame f;

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_int_equal(audio_decode(&f, rows[i].version, rows[i].data,
					      rows[i].len, &err),
				 -1);
		assert_string_equal(err.text, rows[i].text);
	}
	assert_int_equal(
		decode(&f, 2, "\0\x02\1\2\0\0\0\0\0\0\0\0\0\0\0\0", 16), 0);
	assert_int_equal(f.version, 2);
	assert_int_equal(f.type, 0x102);
	assert_int_equal(decode(&f, 3, "\x07\0\0\0", 4), 0);
	assert_int_equal(f.type, 7);
	error_reset(&err);
}

/* RFC 6716, 3.1 and 3.2: how long a packet sounds. */
static void opus_lengths(void **state)
{
	static const struct {
		unsigned char packet[2];
		size_t len;
		int us;
	} rows[] = {
		/* SILK, hybrid, CELT: one frame */
		{ { 0 << 3 }, 1, 10000 },
		{ { 1 << 3 }, 1, 20000 },
		{ { 2 << 3 }, 1, 40000 },
		{ { 3 << 3 }, 1, 60000 },
		{ { 4 << 3 }, 1, 10000 },
		{ { 11 << 3 }, 1, 60000 },
		{ { 12 << 3 }, 1, 10000 },
		{ { 13 << 3 }, 1, 20000 },
		{ { 14 << 3 }, 1, 10000 },
		{ { 15 << 3 }, 1, 20000 },
		{ { 16 << 3 }, 1, 2500 },
		{ { 17 << 3 }, 1, 5000 },
		{ { 18 << 3 }, 1, 10000 },
		{ { 19 << 3 }, 1, 20000 },
		{ { 31 << 3 }, 1, 20000 },
		/* two; as many as the second byte says, its flags aside */
		{ { 11 << 3 | 1 }, 1, 120000 },
		{ { 11 << 3 | 2 }, 1, 120000 },
		{ { 1 << 3 | 3, 3 }, 2, 60000 },
		{ { 1 << 3 | 3, 0xc0 | 6 }, 2, 120000 },
		/* more than there can be, and what is not all there */
		{ { 1 << 3 | 3, 7 }, 2, 0 },
		{ { 1 << 3 | 3 }, 1, 0 },
		{ { 0 }, 0, 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(opus_length_us(rows[i].packet, rows[i].len),
				 rows[i].us);
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
		cmocka_unit_test(told),
		cmocka_unit_test(opus_lengths),
	};

	return cmocka_run_group_tests_name("audio", tests, NULL, NULL);
}
