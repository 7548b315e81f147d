/* SPDX-License-Identifier: MIT */
/*
 * wire/lines: the same lines, however the bytes are cut.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/lines.h"

static struct buf seen; /* "<line>", "<!>" for one that was too long */
static size_t too_long; /* what was told of the last one */

static void on_line(void *owner, const char *text, size_t len)
{
	assert_ptr_equal(owner, &seen);
	if (text)
		assert_true(len > 0);
	else
		too_long = len;
	buf_char(&seen, '<');
	buf_add(&seen, text ? text : "!", text ? len : 1);
	buf_char(&seen, '>');
}

static int clear(void **state)
{
	(void)state;
	buf_done(&seen);
	too_long = 0;
	return 0;
}

/* In parts of each size; the rest counts too. */
static void check(const char *text, size_t len, size_t max, const char *wanted)
{
	for (size_t part = 1; part <= len + 1; part++) {
		struct lines l = { .max = max };

		buf_reset(&seen);
		for (size_t at = 0; at < len; at += part) {
			size_t rest = len - at;

			lines_feed(&l, text + at, part < rest ? part : rest,
				   on_line, &seen);
		}
		lines_finish(&l, on_line, &seen);
		assert_string_equal(buf_string(&seen), wanted);
		/* And it begins anew. */
		buf_reset(&seen);
		lines_feed(&l, "x\n", 2, on_line, &seen);
		assert_string_equal(buf_string(&seen), "<x>");
		lines_release(&l);
	}
}

static void test_lines(void **state)
{
	(void)state;
	check("", 0, 10, "");
	check("a\nbc\n", 5, 10, "<a><bc>");
	check("a\r\nbc\r\n", 7, 10, "<a><bc>");
	check("\n\r\n\na\n\n", 7, 10, "<a>");
	check("a\nrest", 6, 10, "<a><rest>");
	check("a\rb\r\r\n", 6, 10, "<a\rb\r>");
	check(" \n", 2, 10, "< >");
	/* Bytes are bytes. */
	check("\xff\xc3\n\xf0\n", 5, 10, "<\xff\xc3><\xf0>");
}

static void test_nul(void **state)
{
	struct lines l = { .max = 10 };

	(void)state;
	lines_feed(&l, "a\0b\n", 4, on_line, &seen);
	assert_int_equal(seen.len, 5);
	assert_memory_equal(seen.data, "<a\0b>", 5);
	lines_release(&l);
}

static void test_limit(void **state)
{
	(void)state;
	check("1234\n12345\n1\n", 13, 4, "<1234><!><1>");
	check("12345\n12345", 11, 4, "<!><!>");
	check("123456789012345678901234567890\nok\n", 34, 4, "<!><ok>");
	check("123\r\n", 5, 4, "<123>");
}

/* A huge line takes no more than the limit, and what it took is given back. */
static void test_memory(void **state)
{
	struct lines l = { .max = (size_t)1 << 20 };
	char part[1000];

	(void)state;
	memset(part, 'x', sizeof(part));
	for (int i = 0; i < 5000; i++) {
		lines_feed(&l, part, sizeof(part), on_line, &seen);
		assert_true(l.rest.capacity <= (size_t)4 << 20);
	}
	assert_string_equal(buf_string(&seen), "<!>");
	assert_true(too_long > l.max && too_long <= l.max + sizeof(part));
	lines_feed(&l, "\nshort\n", 7, on_line, &seen);
	assert_string_equal(buf_string(&seen), "<!><short>");
	assert_true(l.rest.capacity <= 65536);
	lines_release(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_lines, clear),
		cmocka_unit_test_teardown(test_nul, clear),
		cmocka_unit_test_teardown(test_limit, clear),
		cmocka_unit_test_teardown(test_memory, clear),
	};

	return cmocka_run_group_tests_name("lines", tests, NULL, NULL);
}
