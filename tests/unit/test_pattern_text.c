/* SPDX-License-Identifier: MIT */
/* mcp/pattern_text: texts made for patterns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/pattern_text.h"

static void makes(const char *pattern, size_t repeat, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "=");
	if (pattern_text(pattern, repeat, &out) != 0)
		fail_msg("nothing for '%s'", pattern);
	assert_string_equal(buf_string(&out) + 1, expected);
}

static void refuses(const char *pattern)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (pattern_text(pattern, 1, &out) == 0)
		fail_msg("'%s' for '%s'", buf_string(&out), pattern);
}

static void simple_patterns(void **state)
{
	(void)state;
	makes("", 1, "");
	makes("^abc$", 1, "abc");
	makes("a.c", 1, "axc");
	makes("^[A-Z]{3}$", 1, "ABC");
	makes("\\d\\d-\\w{2,4}", 1, "01-cd");
	makes("[^a-z]{2}", 1, "AB");
	makes("[-+.]x", 1, "-x");
	makes("[+-]x", 1, "-x");
	makes("[a-c-]{4}", 1, "abca");
	makes("[--.]{3}", 1, "-.-");
	makes("[\\]\\d]", 1, "0");
	makes("\\.\\/\\$\\n\\s", 1, "./$\n ");
	makes("灯{2}", 1, "灯灯");
	makes("a\\b b", 1, "a b");
}

static void counts(void **state)
{
	(void)state;
	makes("a*b+c?d{2,}e{1,3}", 0, "bdde");
	makes("a*b+c?d{2,}e{1,3}", 1, "abcdde");
	makes("a*b+c?d{2,}e{1,3}", 4, "aaaabbbbcddddeee");
	makes("a+?b*?", 1, "ab");
	makes("a{12}", 1, "aaaaaaaaaaaa");
	makes("a{0}b{0,}c{,2}", 1, "bc");
	makes("(ab){2}(?:c|d)+", 2, "ababcc");
	makes("(?<year>\\d{4})|never", 1, "0123");
}

static void choices(void **state)
{
	(void)state;
	makes("^(on|off)$", 1, "on");
	makes("one|two|(three)", 1, "one");
	makes("(a|b(c|d)e)f", 1, "af");
	makes("|x", 1, "");
}

static void what_is_not_known(void **state)
{
	static const char *const patterns[] = {
		"(?=a)a",      "(?!a)b",  "(?<=a)b", "(?<!a)b",	 "(a)\\1",
		"\\p{L}",      "\\u0041", "[a",	     "(a",	 "a)",
		"*a",	       "a{2",	  "a{x}",    "[]",	 "\\",
		"(?i)a",       "a**",	  "[\\b]",   "(a|b(",	 "[]x]?",
		"[a-\\u0041]", "[\\ba]",  "[a-",     "(?<=a>b)", "(?<!a>b)",
		"(?i>a)",      "(?>a)",	  "(?=a",    "(?<a",	 "(?<"
	};

	(void)state;
	for (size_t i = 0; i < COUNT(patterns); i++)
		refuses(patterns[i]);
}

static void groups_are(size_t depth, bool known)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < depth; i++)
		buf_char(&out, '(');
	buf_char(&out, 'a');
	for (size_t i = 0; i < depth; i++)
		buf_char(&out, ')');
	assert_int_equal(pattern_text(buf_string(&out), 1, &text) == 0, known);
}

static void limits(void **state)
{
	CLEANUP(buf_done) struct buf beside = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	groups_are(24, true);
	groups_are(25, false);
	for (int i = 0; i < 30; i++)
		buf_text(&beside, "(a)");
	makes(buf_string(&beside), 1, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	assert_int_equal(pattern_text("a{512}", 1, &out), 0);
	assert_int_equal(out.len, PATTERN_TEXT_MAX);
	refuses("a{513}");
	/* Much work for nothing. */
	refuses("(((^){99}){99}){99}");
}

/* Counts in counts, and more than anybody would type. */
static void it_ends(void **state)
{
	CLEANUP(buf_done) struct buf deep = { 0 };

	(void)state;
	refuses("(((((((a{9}){9}){9}){9}){9}){9}){9}){9}");
	refuses("((((((((((((((((((((((((((((((((a))))))))))))))))))))))))))))))))");
	refuses("a{99999999999999999999}");
	refuses("a{600}");
	for (int i = 0; i < 20; i++)
		buf_text(&deep, "(a?");
	for (int i = 0; i < 20; i++)
		buf_text(&deep, ")*");
	CLEANUP(buf_done) struct buf out = { 0 };
	pattern_text(buf_string(&deep), 2, &out);
	assert_true(out.len <= PATTERN_TEXT_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(simple_patterns),
		cmocka_unit_test(counts),
		cmocka_unit_test(choices),
		cmocka_unit_test(what_is_not_known),
		cmocka_unit_test(limits),
		cmocka_unit_test(it_ends),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
