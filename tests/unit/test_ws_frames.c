/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "wire/ws_frames.h"

static struct ws_reader reader(void)
{
	return (struct ws_reader){ .keep = 1000, .keep_binary = 100 };
}

static void head_of_every_length(void **state)
{
	static const uint64_t lengths[] = { 0,	   1,	  125,	   126,
					    65535, 65536, 1u << 20 };

	(void)state;
	for (size_t i = 0; i < COUNT(lengths); i++) {
		struct ws_head h = { .fin = true,
				     .opcode = WS_TEXT,
				     .masked = i % 2,
				     .mask = { 1, 2, 3, 4 },
				     .length = lengths[i] };
		unsigned char bytes[WS_HEAD_MAX];
		size_t size = ws_head_write(&h, bytes);
		struct ws_head got;

		for (size_t len = 0; len < size; len++)
			assert_int_equal(ws_head_read(&got, bytes, len), 0);
		assert_int_equal(ws_head_read(&got, bytes, size), (int)size);
		assert_true(got.length == lengths[i] && got.fin &&
			    got.masked == h.masked && got.opcode == WS_TEXT);
	}
}

static void no_frame(void **state)
{
	static const char *const heads[] = {
		"\x83\x00", /* an opcode that is none */
		"\x09\x00", /* a Ping that is not the last */
		"\x89\x7e", /* a Ping of more than 125 bytes */
	};
	struct ws_head h;

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++)
		assert_int_equal(ws_head_read(&h, heads[i], 2), -1);
	assert_int_equal(
		ws_head_read(&h, "\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
			     10),
		-1);
}

/* RFC 6455, 5.7: "Hello" masked. */
static void masked_text(void **state)
{
	static const char frame[] =
		"\x81\x85\x37\xfa\x21\x3d\x7f\x9f\x4d\x51\x58";
	struct ws_reader r = reader();
	struct ws_item item;

	(void)state;
	for (size_t i = 0; i < sizeof(frame) - 2; i++) {
		const char *at = frame + i;
		size_t len = 1;

		assert_int_equal(ws_read(&r, &at, &len, &item), WS_MORE);
		assert_int_equal(len, 0);
		assert_true(ws_in_text(&r));
	}
	{
		const char *at = frame + sizeof(frame) - 2;
		size_t len = 1;

		assert_int_equal(ws_read(&r, &at, &len, &item), WS_MESSAGE);
	}
	assert_int_equal(item.opcode, WS_TEXT);
	assert_int_equal(item.len, 5);
	assert_memory_equal(item.data, "Hello", 5);
	assert_true(item.masked);
	assert_false(ws_in_text(&r));
	ws_reader_done(&r);
}

static enum ws_what next(struct ws_reader *r, const char **at, size_t *len,
			 struct ws_item *item)
{
	enum ws_what what;

	do
		what = ws_read(r, at, len, item);
	while (what == WS_MORE && *len > 0);
	return what;
}

/* "Hel", a Ping amid it, "lo", a Close with 1000. */
static void fragments_and_controls(void **state)
{
	static const char bytes[] =
		"\x01\x03Hel\x89\x02hi\x80\x02lo\x88\x05\x03\xe8"
		"bye";
	struct ws_reader r = reader();
	struct ws_item item;
	const char *at = bytes;
	size_t len = sizeof(bytes) - 1;

	(void)state;
	assert_int_equal(next(&r, &at, &len, &item), WS_CONTROL);
	assert_int_equal(item.opcode, WS_PING);
	assert_memory_equal(item.data, "hi", 2);
	assert_true(ws_in_text(&r));
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_int_equal(item.frames, 2);
	assert_memory_equal(item.data, "Hello", 5);
	assert_int_equal(next(&r, &at, &len, &item), WS_CONTROL);
	assert_int_equal(item.opcode, WS_CLOSE);
	assert_int_equal(item.code, 1000);
	assert_int_equal(len, 0);
	ws_reader_done(&r);
}

static void broken_order(void **state)
{
	static const char *const bytes[] = {
		"\x80\x01x", /* goes on with nothing */
		"\x01\x01x\x81\x01y", /* a new one amid another */
		"\xc1\x01x", /* compressed */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bytes); i++) {
		struct ws_reader r = reader();
		const char *at = bytes[i];
		size_t len = strlen(bytes[i]);
		struct ws_item item;

		assert_int_equal(next(&r, &at, &len, &item), WS_BROKEN);
		assert_int_equal(ws_read(&r, &at, &len, &item), WS_BROKEN);
		ws_reader_done(&r);
	}
}

static void only_so_much_is_kept(void **state)
{
	CLEANUP(buf_done) struct buf stream = { 0 };
	char data[3000];
	struct ws_reader r = reader();
	struct ws_item item;
	const char *at;
	size_t len;

	(void)state;
	memset(data, 'x', sizeof(data));
	ws_frame(&stream, WS_TEXT, (const unsigned char *)"abcd", data,
		 sizeof(data));
	ws_frame(&stream, WS_BINARY, NULL, data, 200);
	ws_frame(&stream, WS_TEXT, NULL, "", 0);
	at = stream.data;
	len = stream.len;
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.size == 3000 && item.len == 1000);
	assert_memory_equal(item.data, data, 1000);
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.size == 200 && item.len == 100);
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.size == 0 && item.opcode == WS_TEXT);
	ws_reader_done(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(head_of_every_length),
		cmocka_unit_test(no_frame),
		cmocka_unit_test(masked_text),
		cmocka_unit_test(fragments_and_controls),
		cmocka_unit_test(broken_order),
		cmocka_unit_test(only_so_much_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
