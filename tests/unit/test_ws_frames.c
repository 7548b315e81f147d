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
		assert_int_equal(got.size, size);
		assert_int_equal(got.reserved, 0);
		if (got.masked)
			assert_memory_equal(got.mask, h.mask, 4);
	}
}

/* RFC 6455, 5.7: heads as they stand there, and what they say. */
static void heads_of_the_rfc(void **state)
{
	static const struct {
		struct ws_head h;
		const char *bytes;
		int size;
	} rows[] = {
		{ { .fin = true, .opcode = WS_TEXT, .length = 5 },
		  "\x81\x05",
		  2 },
		{ { .opcode = WS_TEXT, .length = 3 }, "\x01\x03", 2 },
		{ { .fin = true, .opcode = WS_CONTINUES, .length = 2 },
		  "\x80\x02",
		  2 },
		{ { .fin = true,
		    .opcode = WS_PONG,
		    .masked = true,
		    .mask = { 0x37, 0xfa, 0x21, 0x3d },
		    .length = 5 },
		  "\x8a\x85\x37\xfa\x21\x3d",
		  6 },
		{ { .fin = true, .opcode = WS_BINARY, .length = 256 },
		  "\x82\x7e\x01\x00",
		  4 },
		{ { .fin = true, .opcode = WS_BINARY, .length = 65536 },
		  "\x82\x7f\x00\x00\x00\x00\x00\x01\x00\x00",
		  10 },
		{ { .fin = true,
		    .reserved = 0x40,
		    .opcode = WS_TEXT,
		    .masked = true,
		    .mask = { 9, 8, 7, 6 },
		    .length = 300 },
		  "\xc1\xfe\x01\x2c\x09\x08\x07\x06",
		  8 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		unsigned char bytes[WS_HEAD_MAX];
		struct ws_head got;

		assert_int_equal(ws_head_write(&rows[i].h, bytes),
				 rows[i].size);
		assert_memory_equal(bytes, rows[i].bytes, (size_t)rows[i].size);
		assert_int_equal(
			ws_head_read(&got, rows[i].bytes, (size_t)rows[i].size),
			rows[i].size);
		assert_int_equal(got.fin, rows[i].h.fin);
		assert_int_equal(got.reserved, rows[i].h.reserved);
		assert_int_equal(got.opcode, rows[i].h.opcode);
		assert_int_equal(got.masked, rows[i].h.masked);
		assert_true(got.length == rows[i].h.length);
		assert_memory_equal(got.mask, rows[i].h.mask, 4);
	}
}

static void no_frame(void **state)
{
	static const char *const heads[] = {
		"\x83\x00", /* an opcode that is none */
		"\x09\x00", /* a Ping that is not the last */
		"\x89\x7e", /* a Ping of more than 125 bytes */
		"\x87\x00", "\x8b\x00", /* beside those that there are */
	};
	struct ws_head h;

	(void)state;
	for (size_t i = 0; i < COUNT(heads); i++)
		assert_int_equal(ws_head_read(&h, heads[i], 2), -1);
	assert_int_equal(
		ws_head_read(&h, "\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
			     10),
		-1);
	/* The largest that there is, and the largest of a control frame. */
	assert_int_equal(
		ws_head_read(&h, "\x82\x7f\x7f\xff\xff\xff\xff\xff\xff\xff",
			     10),
		10);
	assert_true(h.length == INT64_MAX);
	assert_int_equal(ws_head_read(&h, "\x89\x7d", 2), 2);
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
	assert_memory_equal(item.mask, "\x37\xfa\x21\x3d", 4);
	assert_int_equal(item.frames, 1);
	assert_int_equal(item.code, 0);
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
	assert_true(item.len == 2 && item.size == 2 && item.frames == 1);
	assert_false(item.masked);
	/* Only a Close begins with a code. */
	assert_int_equal(item.code, 0);
	assert_true(ws_in_text(&r));
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_int_equal(item.frames, 2);
	assert_memory_equal(item.data, "Hello", 5);
	assert_int_equal(next(&r, &at, &len, &item), WS_CONTROL);
	assert_int_equal(item.opcode, WS_CLOSE);
	assert_int_equal(item.code, 1000);
	assert_int_equal(item.len, 5);
	assert_memory_equal(item.data + 2, "bye", 3);
	assert_int_equal(len, 0);
	ws_reader_done(&r);
}

/* What a client says is masked, its Close and its Pings, too; byte by byte. */
static void masked_controls(void **state)
{
	static const unsigned char mask[] = { 0x37, 0xfa, 0x21, 0x3d };
	CLEANUP(buf_done) struct buf stream = { 0 };
	struct ws_reader r = reader();
	struct ws_item item[4] = { 0 };
	size_t items = 0;

	(void)state;
	ws_frame(&stream, WS_CLOSE, mask, "\x03\xe9going away", 12);
	ws_frame(&stream, WS_CLOSE, NULL, "\x0f\xa1", 2);
	ws_frame(&stream, WS_CLOSE, mask, "", 0);
	ws_frame(&stream, WS_PING, mask, "\x03\xe8", 2);
	for (size_t i = 0; i < stream.len; i++) {
		const char *at = stream.data + i;
		size_t len = 1;

		if (ws_read(&r, &at, &len, &item[items]) == WS_MORE)
			continue;
		assert_true(items < COUNT(item));
		if (items == 0)
			assert_memory_equal(item[0].data + 2, "going away", 10);
		if (items == 3)
			assert_memory_equal(item[3].data, "\x03\xe8", 2);
		items++;
	}
	assert_int_equal(items, 4);
	assert_int_equal(item[0].code, 1001);
	assert_true(item[0].masked && !item[1].masked && item[3].masked);
	assert_memory_equal(item[0].mask, mask, 4);
	assert_int_equal(item[1].code, 4001);
	assert_true(item[2].opcode == WS_CLOSE && item[2].code == 0);
	assert_true(item[3].opcode == WS_PING && item[3].code == 0);
	ws_reader_done(&r);
}

/* Each message has its own frames, mask and kind. */
static void one_after_another(void **state)
{
	static const char bytes[] = "\x02\x01"
				    "a\x00\x01"
				    "b\x80\x81\x01\x02\x03\x04"
				    "b"
				    "\x81\x01y\x82\x81\x05\x06\x07\x08\x7f";
	struct ws_reader r = reader();
	struct ws_item item;
	const char *at = bytes;
	size_t len = sizeof(bytes) - 1;

	(void)state;
	assert_int_equal(ws_read(&r, &at, &len, &item), WS_MORE);
	/* Amid a binary one the next frame is of it, whatever it is. */
	assert_false(ws_in_text(&r));
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.opcode == WS_BINARY && item.frames == 3 &&
		    item.size == 3 && !item.masked);
	assert_memory_equal(item.data, "abc", 3);
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.opcode == WS_TEXT && item.frames == 1 &&
		    item.size == 1);
	assert_string_equal(item.data, "y");
	assert_int_equal(next(&r, &at, &len, &item), WS_MESSAGE);
	assert_true(item.opcode == WS_BINARY && item.frames == 1 &&
		    item.masked);
	assert_memory_equal(item.mask, "\x05\x06\x07\x08", 4);
	assert_memory_equal(item.data, "z", 1);
	ws_reader_done(&r);
	assert_true(r.keep == 0 && !r.kept.data && !r.open);
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
		cmocka_unit_test(heads_of_the_rfc),
		cmocka_unit_test(no_frame),
		cmocka_unit_test(masked_text),
		cmocka_unit_test(fragments_and_controls),
		cmocka_unit_test(masked_controls),
		cmocka_unit_test(one_after_another),
		cmocka_unit_test(broken_order),
		cmocka_unit_test(only_so_much_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
