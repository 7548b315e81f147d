/* SPDX-License-Identifier: MIT */
/*
 * The terminal, lines that fit it, JSON laid out for it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "out/term.h"
#include "out/text_result.h"
#include "out/wrap.h"

static char *wrapped(const char *text, struct wrap how)
{
	struct buf b = { 0 };
	wrap_wrap(&b, text, strlen(text), &how);
	return buf_take(&b);
}

static void assert_wrap(const char *text, struct wrap how, const char *expected)
{
	char *got = wrapped(text, how);
	assert_string_equal(got, expected);
	mem_free(got);
}

static void test_wrap_at_spaces(void **state)
{
	(void)state;
	assert_wrap("one two three four five", (struct wrap){ 0, 0, 20 },
		    "one two three four\nfive");
	assert_wrap("one two three four five", (struct wrap){ 0, 2, 20 },
		    "one two three four\n  five");
	assert_wrap("one two", (struct wrap){ 15, 4, 24 }, "one two");
	assert_wrap("one two three", (struct wrap){ 15, 4, 24 },
		    "one two\n    three");
}

static void test_wrap_keeps_line_ends(void **state)
{
	(void)state;
	assert_wrap("a\n\nb\n", (struct wrap){ 0, 2, 0 }, "a\n\n  b");
	assert_wrap("a b", (struct wrap){ 0, 0, 0 }, "a b");
	assert_wrap("", (struct wrap){ 3, 3, 20 }, "");
}

static void test_wrap_long_words(void **state)
{
	(void)state;
	/* It begins where there is room. */
	assert_wrap("one abcdefghijklmnopqrstuvwxyz", (struct wrap){ 0, 0, 20 },
		    "one abcdefghijklmnop\nqrstuvwxyz");
	assert_wrap("abcdefghijklmnopqrstuvwxyz", (struct wrap){ 0, 0, 20 },
		    "abcdefghijklmnopqrst\nuvwxyz");
	/* 12 wide characters are 24 columns; none is cut in half */
	assert_wrap("一二三四五六七八九十百千", (struct wrap){ 0, 1, 21 },
		    "一二三四五六七八九十\n 百千");
	/* an indent does not make lines longer than 20 columns */
	assert_wrap("abcdefghijklmnopqrstuvwxyz", (struct wrap){ 0, 2, 20 },
		    "abcdefghijklmnopqrst\n  uvwxyz");
	assert_wrap("one two three four fives", (struct wrap){ 0, 2, 20 },
		    "one two three four\n  fives");
	/* narrower than anything sensible: it still ends */
	assert_wrap("abcdefghijkl def", (struct wrap){ 30, 10, 3 },
		    "\n  abcdefghijkl def");
	/* beside an indent that leaves no room nothing stands */
	assert_wrap("one two three four", (struct wrap){ 15, 15, 27 },
		    "one two\n  three four");
	assert_wrap("one two three four", (struct wrap){ 15, 15, 28 },
		    "one two three\n               four");
}

/* What is no ASCII could be a control where bytes are characters: U+4E9B has 0x9b. */
static void test_ascii(void **state)
{
	struct buf b = { 0 };

	(void)state;
	term_ascii(&b, "a\033[0m 些é…\x9b", strlen("a\033[0m 些é…\x9b"));
	assert_string_equal(buf_string(&b), "a\033[0m ???~?");
	buf_done(&b);
	setenv("LC_ALL", "de_DE.ISO-8859-1", 1);
	assert_true(term_is_foreign());
	setenv("LC_ALL", "zh_CN.GBK", 1);
	assert_true(term_is_foreign());
	setenv("LC_ALL", "zh_CN.UTF-8", 1);
	assert_false(term_is_foreign());
	setenv("LC_ALL", "C", 1);
	assert_false(term_is_foreign());
	unsetenv("LC_ALL");
}

static void test_cut(void **state)
{
	struct buf b = { 0 };
	(void)state;
	wrap_cut(&b, "abcdef", 6, 6);
	assert_string_equal(buf_string(&b), "abcdef");
	buf_reset(&b);
	wrap_cut(&b, "abcdef", 6, 5);
	assert_string_equal(buf_string(&b), "abcd…");
	buf_reset(&b);
	wrap_cut(&b, "一二三", 9, 4);
	assert_string_equal(buf_string(&b), "一…");
	buf_reset(&b);
	wrap_cut(&b, "abcdef", 6, 0);
	assert_string_equal(buf_string(&b), "abcdef");
	buf_done(&b);
}

static void test_numbers(void **state)
{
	struct buf b = { 0 };
	(void)state;
	wrap_number(&b, 0);
	buf_char(&b, ' ');
	wrap_number(&b, 999);
	buf_char(&b, ' ');
	wrap_number(&b, 1204);
	buf_char(&b, ' ');
	wrap_number(&b, UINT64_MAX);
	assert_string_equal(buf_string(&b),
			    "0 999 1,204 18,446,744,073,709,551,615");
	buf_reset(&b);
	wrap_count(&b, 1, "page");
	buf_char(&b, ' ');
	wrap_count(&b, 2, "page");
	assert_string_equal(buf_string(&b), "1 page 2 pages");
	buf_done(&b);
}

static void test_first_line(void **state)
{
	const char *start;
	(void)state;
	assert_int_equal(wrap_first("\n \t one two \r\nthree", &start), 7);
	assert_memory_equal(start, "one two", 7);
	assert_int_equal(wrap_first(" \n\n", &start), 0);
}

static char *laid_out(const char *json, bool color)
{
	struct buf b = { 0 };
	json_layout(&b, json, strlen(json), color);
	return buf_take(&b);
}

static void assert_layout(const char *json, const char *expected)
{
	char *got = laid_out(json, false);
	assert_string_equal(got, expected);
	mem_free(got);
}

static void test_layout(void **state)
{
	(void)state;
	assert_layout("{\"a\":{\"b\":1,\"c\":\"x\"},\"d\":[1,2],\"e\":{},"
		      "\"f\":[]}",
		      "{\n"
		      "  \"a\": { \"b\": 1, \"c\": \"x\" },\n"
		      "  \"d\": [1, 2],\n"
		      "  \"e\": {},\n"
		      "  \"f\": []\n"
		      "}");
	assert_layout(" [ ] ", "[]");
	assert_layout("{ }", "{}");
	assert_layout("[{\"a\":[]}]", "[\n  {\n    \"a\": []\n  }\n]");
	/* bytes of numbers and strings stay; brackets in strings are none */
	assert_layout("[1.50e+3, 12345678901234567890, \"}\\\"]\"]",
		      "[1.50e+3, 12345678901234567890, \"}\\\"]\"]");
}

static void test_layout_breaks_what_is_long(void **state)
{
	(void)state;
	assert_layout("[\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\","
		      "\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"]",
		      "[\n  \"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\",\n"
		      "  \"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\"\n]");
}

static void test_layout_colors_and_safety(void **state)
{
	(void)state;
	char *got = laid_out("{\"k\":[\"s\",-1,true]}", true);
	assert_string_equal(got, "{\n  \033[36m\"k\"\033[0m: "
				 "[\033[32m\"s\"\033[0m, \033[33m-1\033[0m, "
				 "\033[35mtrue\033[0m]\n}");
	mem_free(got);
	/* U+009B is valid in JSON and starts a control sequence */
	got = laid_out("[\"\xc2\x9b\x7f\"]", false);
	assert_null(strchr(got, '\x7f'));
	assert_null(strstr(got, "\xc2\x9b"));
	mem_free(got);
}

static void test_layout_deep(void **state)
{
	struct buf json = { 0 };
	(void)state;
	for (int i = 0; i < 200; i++)
		buf_char(&json, '[');
	for (int i = 0; i < 200; i++)
		buf_char(&json, ']');
	char *got = laid_out(buf_string(&json), false);
	assert_non_null(got);
	mem_free(got);
	buf_done(&json);
}

static void test_color_names(void **state)
{
	struct buf b = { 0 };
	(void)state;
	term_painted(&b, false, PAINT_BAD, "error");
	assert_string_equal(buf_string(&b), "error");
	buf_reset(&b);
	term_painted(&b, true, PAINT_BAD, "error");
	assert_string_equal(buf_string(&b), "\033[1;31merror\033[0m");
	buf_reset(&b);
	term_painted(&b, true, PAINT_NONE, "plain");
	assert_string_equal(buf_string(&b), "plain");
	buf_done(&b);
}

/* A stream without a terminal: COLUMNS decides, and there are no colours. */
static void test_no_terminal(void **state)
{
	FILE *f = fopen("/dev/null", "w");
	(void)state;
	assert_non_null(f);
	setenv("COLUMNS", "123", 1);
	assert_int_equal(term_width(f), 123);
	setenv("COLUMNS", "3", 1);
	assert_int_equal(term_width(f), 20);
	setenv("COLUMNS", "many", 1);
	assert_int_equal(term_width(f), 80);
	unsetenv("COLUMNS");
	assert_int_equal(term_width(f), 80);
	setenv("TERM", "xterm", 1);
	assert_false(term_is_terminal(f));
	assert_false(term_has_color(f));
	fclose(f);
}

static void test_what_term_can(void **state)
{
	(void)state;
	setenv("TERM", "dumb", 1);
	assert_false(term_moves());
	setenv("TERM", "", 1);
	assert_false(term_moves());
	unsetenv("TERM");
	assert_false(term_moves());
	setenv("TERM", "xterm-256color", 1);
	assert_true(term_moves());
}

static void test_rewrite(void **state)
{
	char *text = NULL;
	size_t len = 0;
	FILE *f = open_memstream(&text, &len);
	(void)state;
	assert_non_null(f);
	term_rewrite(f, "waiting 42 s", 8);
	term_erase(f);
	fclose(f);
	/* the last column stays free */
	assert_string_equal(text, "\r\033[Kwaitin…\r\033[K");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wrap_at_spaces),
		cmocka_unit_test(test_wrap_keeps_line_ends),
		cmocka_unit_test(test_wrap_long_words),
		cmocka_unit_test(test_ascii),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_first_line),
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_layout_breaks_what_is_long),
		cmocka_unit_test(test_layout_colors_and_safety),
		cmocka_unit_test(test_layout_deep),
		cmocka_unit_test(test_color_names),
		cmocka_unit_test(test_no_terminal),
		cmocka_unit_test(test_what_term_can),
		cmocka_unit_test(test_rewrite),
	};
	return cmocka_run_group_tests_name("term", tests, NULL, NULL);
}
