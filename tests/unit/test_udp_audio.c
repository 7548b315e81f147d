/* SPDX-License-Identifier: MIT */
/*
 * The head of UDP audio, byte for byte, and what is no such packet.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/audio.h"

/* type, flags, length 3, ssrc, timestamp, sequence, payload (device.md 2.4) */
static const unsigned char packet[] = { 0x01, 0x80, 0x00, 0x03, 0xde,
					0xad, 0xbe, 0xef, 0x01, 0x02,
					0x03, 0x04, 0x80, 0x00, 0x00,
					0x07, 0xf8, 0xff, 0xfe };

static void test_decode(void **state)
{
	struct udp_audio_head h;

	(void)state;
	assert_int_equal(udp_audio_decode(&h, packet, sizeof(packet), NULL), 0);
	assert_int_equal(h.type, 1);
	assert_int_equal(h.flags, 0x80);
	assert_int_equal(h.length, 3);
	assert_int_equal(h.ssrc, 0xdeadbeef);
	assert_int_equal(h.timestamp, 0x01020304);
	assert_int_equal(h.sequence, 0x80000007);
}

static void test_encode(void **state)
{
	const struct udp_audio_head h = { .type = 1,
					  .flags = 0x80,
					  .length = 3,
					  .ssrc = 0xdeadbeef,
					  .timestamp = 0x01020304,
					  .sequence = 0x80000007 };
	unsigned char out[UDP_AUDIO_HEAD];

	(void)state;
	udp_audio_encode(out, &h);
	assert_memory_equal(out, packet, sizeof(out));
}

static void refused(const unsigned char *data, size_t size, const char *says)
{
	struct error err = { 0 };
	struct udp_audio_head h;

	assert_int_equal(udp_audio_decode(&h, data, size, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	if (!strstr(err.text, says))
		fail_msg("'%s' does not say '%s'", err.text, says);
}

static void test_broken(void **state)
{
	unsigned char copy[sizeof(packet) + 1] = { 0 };
	struct udp_audio_head h;

	(void)state;
	refused(packet, 0, "the head alone has 16");
	refused(packet, 15, "the head alone has 16");
	refused(packet, 16, "tells 3 bytes of audio, and 0 came");
	refused(packet, 18, "and 2 came");
	memcpy(copy, packet, sizeof(packet));
	refused(copy, sizeof(copy), "and 4 came");
	copy[0] = 2;
	refused(copy, sizeof(packet), "type 2");
	/* Whose it is stands there all the same. */
	udp_audio_decode(&h, copy, sizeof(packet), NULL);
	assert_int_equal(h.ssrc, 0xdeadbeef);
	copy[0] = 1;
	copy[3] = 0;
	refused(copy, 16, "empty");
	/* Not even one byte of it was there. */
	udp_audio_decode(&h, packet, 15, NULL);
	assert_int_equal(h.ssrc, 0);
}

static void test_hex(void **state)
{
	static const unsigned char bytes[16] = { 0x00, 0x01, 0x23, 0x45,
						 0x67, 0x89, 0xab, 0xcd,
						 0xef, 0xff, 0x10, 0x0f,
						 0xa0, 0x0a, 0x5a, 0xa5 };
	static const char text[] = "000123456789abcdefff100fa00a5aa5";
	unsigned char out[16] = { 0 };
	char printed[33];

	(void)state;
	hex_encode_16(printed, bytes);
	assert_string_equal(printed, text);
	assert_true(hex_decode_16(out, text));
	assert_memory_equal(out, bytes, sizeof(out));
	/* Either case (device.md 2.3). */
	assert_true(hex_decode_16(out, "000123456789ABCDEFfF100Fa00A5aA5"));
	assert_memory_equal(out, bytes, sizeof(out));
	assert_false(hex_decode_16(out, ""));
	assert_false(hex_decode_16(out, "000123456789abcdefff100fa00a5aa"));
	assert_false(hex_decode_16(out, "000123456789abcdefff100fa00a5aa55"));
	assert_false(hex_decode_16(out, "000123456789abcdefff100fa00a5ag5"));
	assert_memory_equal(out, bytes, sizeof(out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_decode),
		cmocka_unit_test(test_encode),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_hex),
	};

	return cmocka_run_group_tests_name("udp audio", tests, NULL, NULL);
}
