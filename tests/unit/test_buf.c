/* SPDX-License-Identifier: MIT */
/*
 * base/buf and base/mem: ceilings, growth, JSON strings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

static void empty(void **state)
{
	struct buf b;
	char *text;

	(void)state;
	buf_init(&b, 0);
	assert_null(b.data);
	assert_string_equal(buf_string(&b), "");
	buf_consume(&b, 5);
	text = buf_take(&b);
	assert_string_equal(text, "");
	mem_free(text);
	assert_int_equal(buf_add(&b, NULL, 0), 0);
	assert_int_equal(b.len, 0);
	buf_done(&b);
	buf_done(&b);
	buf_done(NULL);
}

static void grows(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	int i;

	(void)state;
	for (i = 0; i < 100000; i++)
		assert_int_equal(buf_char(&b, (char)('a' + i % 26)), 0);
	assert_int_equal(b.len, 100000);
	for (i = 0; i < 100000; i++)
		assert_int_equal(b.data[i], 'a' + i % 26);
	assert_int_equal(b.data[b.len], '\0');
	buf_reset(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(buf_string(&b), "");
	assert_true(b.capacity > 100000);
}

static void ceiling(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	buf_init(&b, 10);
	assert_int_equal(buf_text(&b, "12345678"), 0);
	assert_int_equal(buf_text(&b, "9ab"), -1);
	assert_true(b.full);
	assert_string_equal(b.data, "12345678");
	assert_int_equal(buf_printf(&b, "%s", "9ab"), -1);
	assert_string_equal(b.data, "12345678");
	assert_int_equal(buf_text(&b, "9a"), 0);
	assert_int_equal(buf_char(&b, 'x'), -1);
	assert_int_equal(buf_add(&b, "", SIZE_MAX), -1);
	assert_int_equal(b.len, 10);
	assert_true(b.capacity <= 11);
	buf_reset(&b);
	assert_false(b.full);
	/* A string that does not fit leaves nothing of it behind. */
	assert_int_equal(buf_text(&b, "abc"), 0);
	assert_int_equal(buf_json_string(&b, "123456", 6), -1);
	assert_string_equal(b.data, "abc");
	assert_true(b.full);
	assert_int_equal(buf_json_string(&b, "12345", 5), 0);
	assert_string_equal(b.data, "abc\"12345\"");
}

static void formats(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	char text[1000];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(buf_printf(&b, "%d-%s", 42, "ab"), 0);
	assert_string_equal(b.data, "42-ab");
	assert_int_equal(buf_printf(&b, "%s", text), 0);
	assert_int_equal(b.len, 5 + 999);
	assert_string_equal(b.data + 5, text);
	/* Around the length that is formatted twice. */
	for (int n = 120; n < 140; n++) {
		buf_reset(&b);
		assert_int_equal(buf_printf(&b, "%.*s", n, text), 0);
		assert_int_equal(b.len, n);
		assert_int_equal(strlen(b.data), n);
	}
}

static void consumes(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	buf_text(&b, "hello");
	buf_consume(&b, 2);
	assert_string_equal(b.data, "llo");
	assert_int_equal(b.len, 3);
	buf_consume(&b, 99);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
}

static void cuts(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	buf_cut(&b, 0);
	assert_null(b.data);
	buf_text(&b, "hello");
	buf_cut(&b, 6);
	buf_cut(&b, 5);
	assert_string_equal(b.data, "hello");
	assert_int_equal(b.len, 5);
	buf_cut(&b, 2);
	assert_string_equal(b.data, "he");
	assert_int_equal(b.len, 2);
	buf_cut(&b, 0);
	assert_string_equal(b.data, "");
	assert_int_equal(b.len, 0);
}

static void trims(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	buf_trim(&b, 0, " ");
	assert_null(b.data);
	buf_add(&b, " \n \0 \n\n ", 8);
	buf_trim(&b, 0, "");
	assert_int_equal(b.len, 8);
	buf_trim(&b, 6, " \n");
	assert_int_equal(b.len, 6);
	assert_int_equal(b.data[6], '\0');
	buf_trim(&b, 0, "\n ");
	/* A NUL is no end of what is to be trimmed. */
	assert_int_equal(b.len, 4);
	buf_cut(&b, 3);
	buf_trim(&b, 3, " ");
	assert_int_equal(b.len, 3);
	buf_trim(&b, 0, " \n");
	assert_string_equal(b.data, "");
	assert_int_equal(b.len, 0);
}

static void check_cut(size_t max, const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "<");
	assert_int_equal(buf_add_cut(&b,
				     "ab\xc3\xa9"
				     "d",
				     5, max),
			 0);
	assert_string_equal(b.data, expected);
}

/* At most so many bytes, no character cut, and whether there is more. */
static void cut_with_a_mark(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	check_cut(6, "<ab\xc3\xa9"
		     "d");
	check_cut(5, "<ab\xc3\xa9"
		     "d");
	check_cut(4, "<ab\xc3\xa9\xe2\x80\xa6");
	check_cut(3, "<ab\xe2\x80\xa6");
	check_cut(0, "<\xe2\x80\xa6");
	assert_int_equal(buf_add_cut(&b, "", 0, 0), 0);
	assert_string_equal(buf_string(&b), "");
	buf_done(&b);
	buf_init(&b, 3);
	assert_int_equal(buf_add_cut(&b, "abcdef", 6, 4), -1);
	assert_int_equal(buf_add_cut(&b, "abcdef", 6, 2), -1);
	assert_true(b.full);
}

static void taken(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;

	(void)state;
	buf_init(&b, 5);
	buf_text(&b, "hello");
	text = buf_take(&b);
	assert_string_equal(text, "hello");
	assert_null(b.data);
	assert_int_equal(b.len, 0);
	/* The ceiling stays. */
	assert_int_equal(buf_text(&b, "hello!"), -1);
}

static void check_json(const char *text, size_t len, const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	assert_int_equal(buf_json_string(&b, text, len), 0);
	assert_string_equal(b.data, expected);
}

static void json_strings(void **state)
{
	(void)state;
	check_json("", 0, "\"\"");
	check_json(" a ~!", 5, "\" a ~!\"");
	check_json("a\"b\\c/", 6, "\"a\\\"b\\\\c/\"");
	check_json("\b\t\n\f\r", 5, "\"\\b\\t\\n\\f\\r\"");
	check_json("\x01\x1f\x7f", 3, "\"\\u0001\\u001f\x7f\"");
	check_json("a\0b", 3, "\"a\\u0000b\"");
	check_json("\xe4\xbd\xa0\xf0\x9f\x98\x80", 7,
		   "\"\xe4\xbd\xa0\xf0\x9f\x98\x80\"");
	/* Each bad byte is one replacement character. */
	check_json("x\xff\xc3", 3, "\"x\\ufffd\\ufffd\"");
	check_json("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
}

static void memory(void **state)
{
	CLEANUP(mem_free_ptr) char *cut = mem_strndup("hello", 3);
	CLEANUP(mem_free_ptr) char *short_one = mem_strndup("hi", 30);
	CLEANUP(mem_free_ptr) char *printed = mem_printf("%d%%", 7);
	CLEANUP(mem_free_ptr) int *numbers = NULL;
	size_t capacity = 0, count;

	(void)state;
	assert_string_equal(cut, "hel");
	assert_string_equal(short_one, "hi");
	assert_string_equal(printed, "7%");
	assert_null(mem_strdup(NULL));
	assert_null(mem_strndup(NULL, 3));
	for (count = 0; count < 1000; count++) {
		numbers = mem_grow(numbers, &capacity, count, sizeof(int));
		assert_true(capacity > count);
		numbers[count] = (int)count;
	}
	assert_int_equal(numbers[999], 999);
	assert_true(capacity < 2100);
}

static void taking(void **state)
{
	char *text = mem_strdup("x"), *other;

	(void)state;
	other = TAKE(text);
	assert_null(text);
	assert_string_equal(other, "x");
	mem_free(other);
	mem_free(NULL);
	mem_free(mem_alloc(0));
	mem_free(mem_realloc(NULL, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(empty),
		cmocka_unit_test(grows),
		cmocka_unit_test(ceiling),
		cmocka_unit_test(formats),
		cmocka_unit_test(consumes),
		cmocka_unit_test(cuts),
		cmocka_unit_test(trims),
		cmocka_unit_test(taken),
		cmocka_unit_test(json_strings),
		cmocka_unit_test(memory),
		cmocka_unit_test(taking),
		cmocka_unit_test(cut_with_a_mark),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
