/* SPDX-License-Identifier: MIT */
/*
 * Event streams from literal bytes: each example whole, and again in pieces
 * of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "wire/sse.h"

static void on_event(void *owner, const struct sse_event *e)
{
	buf_printf(owner, "%s[%s]%s%s{", e->type, e->id, e->has_id ? "!" : "",
		   strlen(e->data) == e->len ? "" : "\\0");
	buf_add(owner, e->data, e->len);
	buf_char(owner, '}');
}

static void on_retry(void *owner, int64_t ms)
{
	buf_printf(owner, "<retry %lld>", (long long)ms);
}

static void on_too_long(void *owner)
{
	buf_text(owner, "<too long>");
}

static const struct sse_events events = { on_event, on_retry, on_too_long };

static void check(const char *data, size_t len, size_t max, const char *expect)
{
	for (size_t piece = 1; piece <= len; piece++) {
		CLEANUP(buf_done) struct buf out = { 0 };
		CLEANUP(sse_done) struct sse s = { .max = max };

		for (size_t at = 0; at < len; at += piece)
			sse_feed(&s, data + at,
				 piece < len - at ? piece : len - at, &events,
				 &out);
		assert_string_equal(buf_string(&out), expect);
	}
}

#define CHECK(text, expect) check(text, sizeof(text) - 1, 1000, expect)

static void test_fields(void **state)
{
	(void)state;
	CHECK("data: one\n\n", "message[]{one}");
	CHECK("data:one\r\n\r\n", "message[]{one}");
	CHECK("data:  one\r\r", "message[]{ one}");
	CHECK("data\n\n", "message[]{}");
	CHECK("data: a\ndata\ndata: b\n\n", "message[]{a\n\nb}");
	CHECK("event: endpoint\ndata: /x?y=1:2\n\n", "endpoint[]{/x?y=1:2}");
	CHECK("event:\ndata: x\n\n", "message[]{x}");
	CHECK("event: a\nevent: b\ndata: x\n\n", "b[]{x}");
	CHECK("data: a\r\ndata: b\r\n\r\n", "message[]{a\nb}");
	CHECK("data: a\rdata: b\ndata: c\r\n\n", "message[]{a\nb\nc}");
	CHECK("data\ndata:\ndata: \n\n", "message[]{\n\n}");
	CHECK("event: a\n\ndata: x\n\n", "message[]{x}");
	CHECK("unknown: 1\nDATA: 2\n data: 3\ndata : 4\n\n", "");
	CHECK("\n\n\n", "");
}

static void test_comments_and_mark(void **state)
{
	(void)state;
	CHECK(": hello\n:\ndata: x\n: more\n\n", "message[]{x}");
	CHECK("\xef\xbb\xbf"
	      "data: x\n\n",
	      "message[]{x}");
	CHECK("\n\xef\xbb\xbf"
	      "data: x\n\n",
	      "");
	CHECK("\xef\xbb"
	      "data: x\n\n",
	      "");
}

static void test_ids(void **state)
{
	(void)state;
	CHECK("id: 1\ndata: a\n\ndata: b\n\n", "message[1]!{a}message[1]{b}");
	CHECK("id: 1\ndata: a\n\nid\ndata: b\n\n",
	      "message[1]!{a}message[]!{b}");
	/* An id without data is a place to go on from. */
	CHECK("id: 7\n\n", "message[7]!{}");
	CHECK("id: 1\0002\ndata: a\n\n", "message[]{a}");
	/* The last one counts, and not what was before it. */
	CHECK("id: 1\n\nid: 2\n\ndata: c\n\n",
	      "message[1]!{}message[2]!{}message[2]{c}");
	CHECK("id: 1\nid: 2\ndata: c\n\n", "message[2]!{c}");
}

static void test_retry(void **state)
{
	(void)state;
	CHECK("retry: 1500\n\n", "<retry 1500>");
	CHECK("retry: 15s\nretry: -1\nretry:\nretry: 1.5\n", "");
	CHECK("retry: 99999999999999999999999\n", "<retry 99999999999999999>");
}

static void test_cut(void **state)
{
	struct sse s = { .max = 100 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	sse_feed(&s, "id: 1\ndata: a\n\nid: 2\ndata: b\n", 30, &events, &out);
	assert_string_equal(buf_string(&out), "message[1]!{a}");
	assert_true(sse_is_amid(&s));
	/* What was not whole does not count, its id neither. */
	assert_string_equal(buf_string(&s.id), "1");
	sse_restart(&s);
	assert_false(sse_is_amid(&s));
	sse_feed(&s, "data: c\n\n", 9, &events, &out);
	assert_string_equal(buf_string(&out), "message[1]!{a}message[1]{c}");
	assert_false(sse_is_amid(&s));
	sse_done(&s);
}

static void test_limits(void **state)
{
	static const char fits[] = "data: 12345678\ndata: 0\n\n";
	static const char line[] = "id: 5\ndata: 123456789012345678901\n"
				   "data: 1\n\ndata: x\n\n";
	static const char lines[] = "data: 123456\ndata: 123456\ndata: 1\n\n"
				    "data: x\n\n";
	static const char comment[] =
		": 1234567890123456789012345678901234567890\ndata: x\n\n";

	(void)state;
	check(fits, sizeof(fits) - 1, 11, "message[]{12345678\n0}");
	check(line, sizeof(line) - 1, 10, "<too long>message[5]{x}");
	check(lines, sizeof(lines) - 1, 10, "<too long>message[]{x}");
	check(comment, sizeof(comment) - 1, 10, "message[]{x}");
}

static void test_no_listeners(void **state)
{
	static const struct sse_events only = { .event = on_event };
	struct sse s = { .max = 4 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	sse_feed(&s, "retry: 1\ndata: 123456789012345\n\n", 31, &only, &out);
	assert_string_equal(buf_string(&out), "");
	sse_done(&s);
}

/* The longest that there may be, and one byte more. */
static void test_borders(void **state)
{
#define BORDER(text, expect) check(text, sizeof(text) - 1, 10, expect)
	(void)state;
	BORDER("data: 1234567890\n\n", "message[]{1234567890}");
	BORDER("data: 12345678901\n\n", "<too long>");
	BORDER("data:12345678901\ndata: x\n\n", "<too long>");
	BORDER("data: 12345\ndata: 6789\n\n", "message[]{12345\n6789}");
	BORDER("data: 12345\ndata: 67890\n\n", "<too long>");
	BORDER("data: 1234567890\ndata\n\n", "<too long>");
	BORDER("event: 123456789\ndata: x\n\n", "123456789[]{x}");
	BORDER("event: 1234567890\ndata: x\n\ndata: y\n\n",
	       "<too long>message[]{y}");
	/* Told once for each event. */
	BORDER("data: 12345678901\nunknown: 1234567890\ndata: x\n\n"
	       "data: 12345678901\n\n",
	       "<too long><too long>");
	/* A mark counts in front of the first line alone, whatever that was. */
	BORDER(": 12345678901234567890\n\xef\xbb\xbf"
	       "data: x\n\n",
	       "");
	BORDER(":\n\xef\xbb\xbf"
	       "data: x\n\n",
	       "");
	BORDER("\xef\xbb\xbf: 123\n", "");
}

static void test_long_names(void **state)
{
	static const struct {
		const char *field;
		size_t len, kept;
	} rows[] = { { "id", 4096, 4096 },
		     { "id", 4097, 0 },
		     { "event", 256, 256 },
		     { "event", 257, 256 },
		     { "event", 255, 255 } };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(buf_done) struct buf in = { 0 }, out = { 0 };
		struct sse s = { .max = 10000 };
		const bool id = *rows[i].field == 'i';

		buf_printf(&in, "%s:%0*d\ndata: x\n\n", rows[i].field,
			   (int)rows[i].len, 1);
		sse_feed(&s, in.data, in.len, &events, &out);
		assert_int_equal(out.len, (id ? strlen("message[]{x}") +
							   (rows[i].kept != 0) :
						strlen("[]{x}")) +
						  rows[i].kept);
		sse_done(&s);
	}
	CHECK("event: a\0b\ndata: x\n\n", "a[]{x}");
}

static void test_numbers(void **state)
{
	(void)state;
	CHECK("retry: 0\n", "<retry 0>");
	CHECK("retry:9\n", "<retry 9>");
	CHECK("retry: 0123456789\n", "<retry 123456789>");
	CHECK("retry: 1:2\nretry: 1/2\nretry:  1\nretry\n", "");
}

/* Whatever there is of an event, its end is missing. */
static void test_amid(void **state)
{
	static const char *const parts[] = { "d",
					     ":",
					     "data: x\n",
					     "data\n",
					     "id: 1\n",
					     "event: a\n",
					     "12345678901234567",
					     "data: 12345678901\n" };
	static const char *const whole[] = { "",
					     "\n",
					     ": x\n",
					     "data: x\n\n",
					     "\r",
					     "retry: 1\n",
					     ": 123456789012345678\n" };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(parts) + COUNT(whole); i++) {
		const bool amid = i < COUNT(parts);
		const char *text = amid ? parts[i] : whole[i - COUNT(parts)];
		struct sse s = { .max = 10 };

		sse_feed(&s, text, strlen(text), &events, &out);
		assert_int_equal(sse_is_amid(&s), amid);
		sse_restart(&s);
		assert_false(sse_is_amid(&s));
		buf_reset(&out);
		/* It begins anew, a mark and all. */
		sse_feed(&s,
			 "\xef\xbb\xbf"
			 "data: y\n\n",
			 12, &events, &out);
		assert_string_equal(buf_string(&out), "message[]{y}");
		sse_done(&s);
	}
}

/* What a large event took is given back. */
static void test_memory(void **state)
{
	struct sse s = { .max = 1000000 };
	CLEANUP(buf_done) struct buf in = { 0 }, out = { 0 };

	(void)state;
	buf_printf(&in, "data: %0*d\n\n", 200000, 1);
	for (size_t i = 0; i < 2; i++) {
		sse_feed(&s, in.data, 100, &events, &out);
		sse_feed(&s, in.data + 100, in.len - 100, &events, &out);
		assert_true(s.data.capacity <= 65536);
		assert_true(s.line.capacity <= 65536);
	}
	assert_int_equal(out.len, 2 * (200000 + strlen("message[]{}")));
	sse_done(&s);
	/* It may be used again. */
	assert_int_equal(s.max, 1000000);
	assert_true(!s.data.data && !s.begun);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fields),
		cmocka_unit_test(test_comments_and_mark),
		cmocka_unit_test(test_ids),
		cmocka_unit_test(test_retry),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_no_listeners),
		cmocka_unit_test(test_borders),
		cmocka_unit_test(test_long_names),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_amid),
		cmocka_unit_test(test_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
