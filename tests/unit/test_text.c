/* SPDX-License-Identifier: MIT */
/*
 * base/text: safety, width, distance, globs, numbers, codings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"

static void check_safe(const char *text, size_t len, const char *line,
		       const char *paragraph)
{
	CLEANUP(buf_done) struct buf a = { 0 }, b = { 0 };

	text_safe(&a, text, len, TEXT_LINE);
	text_safe(&b, text, len, TEXT_PARAGRAPH);
	assert_string_equal(buf_string(&a), line);
	assert_string_equal(buf_string(&b), paragraph);
	buf_done(&b);
}

#define SAFE(text, line, paragraph) \
	check_safe(text, sizeof(text) - 1, line, paragraph)

static void safe(void **state)
{
	(void)state;
	SAFE("", "", "");
	SAFE("plain \\x1b", "plain \\x1b", "plain \\x1b");
	SAFE("\x1b[31mred", "\\x1b[31mred", "\\x1b[31mred");
	SAFE("a\nb\tc", "a\\nb\\tc", "a\nb\tc");
	SAFE("a\r\0\x7f", "a\\r\\x00\\x7f", "a\\r\\x00\\x7f");
	/* C1 as a character, and as a stray byte. */
	SAFE("\xc2\x9b\x9b", "\\u009b\\x9b", "\\u009b\\x9b");
	SAFE("\xc2\xa0", "\xc2\xa0", "\xc2\xa0");
	SAFE("\xe2\x80\xae\xe2\x81\xa6\xd8\x9c", "\\u202e\\u2066\\u061c",
	     "\\u202e\\u2066\\u061c");
	SAFE("\xe2\x80\x8f\xe2\x80\xa8", "\\u200f\\u2028", "\\u200f\\u2028");
	SAFE("\xe4\xbd\xa0\xf0\x9f\x98\x80", "\xe4\xbd\xa0\xf0\x9f\x98\x80",
	     "\xe4\xbd\xa0\xf0\x9f\x98\x80");
	/* Cut, overlong, surrogate, above the last plane. */
	SAFE("\xe4\xbd", "\\xe4\\xbd", "\\xe4\\xbd");
	SAFE("\xc0\xaf\xed\xa0\x80", "\\xc0\\xaf\\xed\\xa0\\x80",
	     "\\xc0\\xaf\\xed\\xa0\\x80");
	SAFE("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80",
	     "\\xf4\\x90\\x80\\x80");
}

static void utf8(void **state)
{
	static const char *const good[] = {
		"",
		"a",
		"\xc2\x80",
		"\xdf\xbf",
		"\xe0\xa0\x80",
		"\xed\x9f\xbf",
		"\xee\x80\x80",
		"\xef\xbf\xbf",
		"\xf0\x90\x80\x80",
		"\xf4\x8f\xbf\xbf",
	};
	static const char *const broken[] = {
		"\x80",
		"\xbf",
		"\xc0\x80",
		"\xc1\xbf",
		"\xc2",
		"\xc2\x41",
		"\xe0\x9f\xbf",
		"\xe4\xbd",
		"\xed\xa0\x80",
		"\xed\xbf\xbf",
		"\xf0\x8f\xbf\xbf",
		"\xf0\x9f\x98",
		"\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
		"\xff",
		"abc\xfe",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(good); i++)
		assert_true(text_is_utf8(good[i], strlen(good[i])));
	for (i = 0; i < COUNT(broken); i++)
		assert_false(text_is_utf8(broken[i], strlen(broken[i])));
	assert_true(text_is_utf8("a\0b", 3));
	assert_int_equal(text_utf8("\xe4\xbd\xa0", 3), 3);
	assert_int_equal(text_utf8("\xe4\xbd\xa0", 2), 0);
	assert_int_equal(text_utf8("", 0), 0);
	assert_int_equal(text_point("\xe4\xbd\xa0", 3), 0x4f60);
	assert_int_equal(text_point("\xf0\x9f\x98\x80", 4), 0x1f600);
}

static size_t width(const char *text)
{
	return text_width(text, strlen(text));
}

static void widths(void **state)
{
	(void)state;
	assert_int_equal(width(""), 0);
	assert_int_equal(width("abc"), 3);
	assert_int_equal(width("\xe4\xbd\xa0\xe5\xa5\xbd"), 4);
	assert_int_equal(width("e\xcc\x81"), 1); /* e and an accent */
	assert_int_equal(width("\xc3\xa9"), 1);
	assert_int_equal(width("\xf0\x9f\x98\x80"), 2);
	assert_int_equal(width("\xe2\x9c\x85"), 2); /* white check mark */
	assert_int_equal(width("\xe2\x94\x80"), 1); /* box drawing */
	assert_int_equal(width("\xef\xbc\xa1"), 2); /* fullwidth A */
	assert_int_equal(width("\xef\xbd\xb1"), 1); /* halfwidth katakana */
	assert_int_equal(width("\xea\xb0\x80"), 2); /* hangul */
	assert_int_equal(width("\xe2\x80\x8b"), 0); /* zero width space */
	assert_int_equal(width("a\xff z"), 4);
	assert_int_equal(width("\x1b\n"), 0);
}

static size_t fit(const char *text, size_t columns)
{
	return text_fit(text, strlen(text), columns);
}

static void fits(void **state)
{
	(void)state;
	assert_int_equal(fit("abc", 0), 0);
	assert_int_equal(fit("abc", 2), 2);
	assert_int_equal(fit("abc", 9), 3);
	assert_int_equal(fit("\xe4\xbd\xa0\xe5\xa5\xbd", 3), 3);
	assert_int_equal(fit("\xe4\xbd\xa0\xe5\xa5\xbd", 1), 0);
	/* An accent stays with its letter. */
	assert_int_equal(fit("e\xcc\x81x", 1), 3);
	assert_int_equal(fit("\xff\xfe", 1), 1);
}

static void distances(void **state)
{
	(void)state;
	assert_int_equal(text_distance("", ""), 0);
	assert_int_equal(text_distance("abc", ""), 3);
	assert_int_equal(text_distance("", "abc"), 3);
	assert_int_equal(text_distance("kitten", "sitting"), 3);
	assert_int_equal(text_distance("tools", "TOOLS"), 0);
	assert_int_equal(text_distance("tolos", "tools"), 1);
	assert_int_equal(text_distance("ab", "ba"), 1);
	assert_int_equal(text_distance("call", "cal"), 1);
	assert_int_equal(text_distance("call", "calls"), 1);
	assert_int_equal(text_distance("call", "cull"), 1);
}

static void check_nearest(const char *word, const char *expected)
{
	static const char *const names[] = {
		"info", "tools", "describe", "call", "tail", "self.get_state",
	};
	const char *near = text_nearest(word, names, COUNT(names));

	if (expected) {
		assert_non_null(near);
		assert_string_equal(near, expected);
	} else {
		assert_null(near);
	}
}

static void nearest(void **state)
{
	(void)state;
	check_nearest("tool", "tools");
	check_nearest("TOLOS", "tools");
	check_nearest("cal", "call");
	check_nearest("desc", "describe");
	check_nearest("descirbe", "describe");
	check_nearest("self.get_stat", "self.get_state");
	check_nearest("tai", "tail");
	check_nearest("zzzzzz", NULL);
	check_nearest("", NULL);
	check_nearest("x", NULL);
	assert_null(text_nearest("x", NULL, 0));
}

static void globs(void **state)
{
	(void)state;
	assert_true(text_glob("", ""));
	assert_false(text_glob("", "a"));
	assert_false(text_glob("a", ""));
	assert_true(text_glob("*", ""));
	assert_true(text_glob("self.*", "self.light"));
	assert_false(text_glob("self.*", "my.self.light"));
	assert_true(text_glob("*light*", "self.light.set"));
	assert_true(text_glob("*a*b*c", "xxaxxbxxbxxc"));
	assert_false(text_glob("*a*b*c", "xxaxxbxxbxx"));
	assert_true(text_glob("a**b", "ab"));
	assert_true(text_glob("?", "\xe4\xbd\xa0"));
	assert_true(text_glob("?", "\xff"));
	assert_false(text_glob("?", ""));
	assert_false(text_glob("??", "a"));
	assert_true(text_glob("[a-c]x", "bx"));
	assert_false(text_glob("[a-c]x", "dx"));
	assert_true(text_glob("[!a-c]x", "dx"));
	assert_false(text_glob("[!a-c]", ""));
	assert_true(text_glob("[]a]", "]"));
	assert_true(text_glob("[a-]", "-"));
	assert_true(text_glob("[", "["));
	assert_true(text_glob("[ab", "[ab"));
	assert_false(text_glob("A", "a"));
	assert_true(text_glob("*[0-9]", "v1a2"));
	assert_true(text_has_glob("a*"));
	assert_true(text_has_glob("?"));
	assert_true(text_has_glob("[x"));
	assert_false(text_has_glob("self.x"));
}

/* Stars that backtrack must not take exponential time. */
static void hostile_glob(void **state)
{
	char text[5001];

	(void)state;
	memset(text, 'a', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	assert_false(text_glob("*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

static void searches(void **state)
{
	const char *text = "Set the VOLUME";

	(void)state;
	assert_ptr_equal(text_find(text, "volume"), text + 8);
	assert_ptr_equal(text_find(text, ""), text);
	assert_null(text_find(text, "volumes"));
	assert_null(text_find("", "x"));
	assert_true(text_same("Host", "hOST"));
	assert_false(text_same("Host", "Hos"));
	assert_false(text_same("Hos", "Host"));
	assert_false(text_same(NULL, NULL));
	assert_false(text_same("[", "{"));
	assert_true(text_starts("listen:8000", "listen:"));
	assert_false(text_starts("list", "listen:"));
}

static void integers(void **state)
{
	int64_t n = 77;

	(void)state;
	assert_int_equal(text_integer("0", 0, 9, &n), 0);
	assert_int_equal(n, 0);
	assert_int_equal(text_integer("-12", -20, 0, &n), 0);
	assert_int_equal(n, -12);
	assert_int_equal(
		text_integer("9223372036854775807", INT64_MIN, INT64_MAX, &n),
		0);
	assert_true(n == INT64_MAX);
	assert_int_equal(
		text_integer("-9223372036854775808", INT64_MIN, INT64_MAX, &n),
		0);
	assert_true(n == INT64_MIN);
	n = 77;
	assert_int_equal(
		text_integer("9223372036854775808", INT64_MIN, INT64_MAX, &n),
		-1);
	assert_int_equal(
		text_integer("-9223372036854775809", INT64_MIN, INT64_MAX, &n),
		-1);
	assert_int_equal(text_integer("", 0, 9, &n), -1);
	assert_int_equal(text_integer("-", -9, 9, &n), -1);
	assert_int_equal(text_integer("+1", 0, 9, &n), -1);
	assert_int_equal(text_integer(" 1", 0, 9, &n), -1);
	assert_int_equal(text_integer("1 ", 0, 9, &n), -1);
	assert_int_equal(text_integer("1.0", 0, 9, &n), -1);
	assert_int_equal(text_integer("0x1", 0, 9, &n), -1);
	assert_int_equal(text_integer("10", 0, 9, &n), -1);
	assert_int_equal(text_integer("1", 2, 9, &n), -1);
	assert_int_equal(n, 77);
}

static void check_duration(const char *text, int64_t expected)
{
	int64_t ms = -1;

	assert_int_equal(text_duration(text, &ms, NULL), 0);
	assert_int_equal(ms, expected);
}

static void no_duration(const char *text)
{
	struct error err = { 0 };
	int64_t ms = 77;

	assert_int_equal(text_duration(text, &ms, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, text));
	assert_string_not_equal(err.hint, "");
	assert_int_equal(ms, 77);
}

static void durations(void **state)
{
	(void)state;
	check_duration("250ms", 250);
	check_duration("10s", 10000);
	check_duration("2m", 120000);
	check_duration("1h", 3600000);
	check_duration("1.5", 1500);
	check_duration(".5", 500);
	check_duration("0", 0);
	check_duration("0.0001", 1);
	check_duration("0.25h", 900000);
	check_duration("240h", 864000000);
	no_duration("240.001h");
	no_duration("864000001ms");
	no_duration("99999999999999999999999999999999s");
	no_duration("");
	no_duration("s");
	no_duration("-1");
	no_duration("1.");
	no_duration("1 s");
	no_duration("1d");
	no_duration("1e3");
	no_duration("nan");
	no_duration("10S");
}

static void check_ms(int64_t ms, const char *expected)
{
	char text[40];

	assert_string_equal(text_milliseconds(ms, text, sizeof(text)),
			    expected);
}

static void milliseconds(void **state)
{
	char small[4];

	(void)state;
	check_ms(0, "0 ms");
	check_ms(4, "4 ms");
	check_ms(999, "999 ms");
	check_ms(1000, "1 s");
	check_ms(12345, "12.3 s");
	check_ms(59949, "59.9 s");
	check_ms(59950, "1 min");
	check_ms(125000, "2 min 5 s");
	check_ms(3599499, "59 min 59 s");
	check_ms(3599500, "1 h");
	check_ms(5400000, "1 h 30 min");
	assert_string_equal(text_milliseconds(12345, small, sizeof(small)),
			    "12.");
}

static void check_base64(const char *text, const char *expected, size_t len)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "<");
	assert_int_equal(text_base64_decode(text, strlen(text), &b), 0);
	assert_int_equal(b.len, len + 1);
	assert_memory_equal(b.data + 1, expected, len);
}

static void no_base64(const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "<");
	assert_int_equal(text_base64_decode(text, strlen(text), &b), -1);
	assert_string_equal(b.data, "<");
}

static void base64(void **state)
{
	(void)state;
	check_base64("", "", 0);
	check_base64("Zg==", "f", 1);
	check_base64("Zg", "f", 1);
	check_base64("Zm8=", "fo", 2);
	check_base64("Zm9v", "foo", 3);
	check_base64("Zm9v\r\nYm Fy", "foobar", 6);
	check_base64("Zg= =\n", "f", 1);
	check_base64("AP/+", "\x00\xff\xfe", 3);
	no_base64("Z");
	no_base64("Zg=");
	no_base64("Zm9vY");
	no_base64("=");
	no_base64("====");
	no_base64("Zg==Zg==");
	no_base64("Zm9*");
	no_base64("Zm9v=");
	no_base64("Zm9\xff");
}

static void base64_long(void **state)
{
	CLEANUP(mem_free_ptr) unsigned char *data = mem_alloc(10000);
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf back = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		data[i] = (unsigned char)(i * 7 + i / 256);
	for (i = 9990; i <= 10000; i++) {
		buf_reset(&text);
		buf_reset(&back);
		text_base64_encode(&text, data, i);
		assert_int_equal(text.len, (i + 2) / 3 * 4);
		assert_int_equal(text_base64_decode(text.data, text.len, &back),
				 0);
		assert_int_equal(back.len, i);
		assert_memory_equal(back.data, data, i);
	}
	/* A ceiling refuses all of it. */
	buf_done(&back);
	buf_init(&back, 5000);
	assert_int_equal(text_base64_decode(text.data, text.len, &back), -1);
	assert_true(back.full);
	assert_int_equal(back.len, 0);
}

static void base64_encodes(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	text_base64_encode(&b, "f", 1);
	text_base64_encode(&b, "fo", 2);
	text_base64_encode(&b, "foo", 3);
	text_base64_encode(&b, "", 0);
	text_base64_encode(&b, "\xff\xef\xbe", 3);
	assert_string_equal(b.data, "Zg==Zm8=Zm9v/+++");
}

static void check_percent(const char *text, const char *expected)
{
	CLEANUP(mem_free_ptr) char *copy = mem_strdup(text);

	assert_int_equal(text_percent_decode(copy), expected ? 0 : -1);
	assert_string_equal(copy, expected ? expected : text);
}

static void percent(void **state)
{
	(void)state;
	check_percent("", "");
	check_percent("a+b", "a+b");
	check_percent("%41%3a%2F%2f", "A://");
	check_percent("%25", "%");
	check_percent("%2541", "%41");
	check_percent("%e4%bd%a0", "\xe4\xbd\xa0");
	check_percent("x%", NULL);
	check_percent("x%4", NULL);
	check_percent("%41%zz", NULL);
	check_percent("%41%00", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(safe),
		cmocka_unit_test(utf8),
		cmocka_unit_test(widths),
		cmocka_unit_test(fits),
		cmocka_unit_test(distances),
		cmocka_unit_test(nearest),
		cmocka_unit_test(globs),
		cmocka_unit_test(hostile_glob),
		cmocka_unit_test(searches),
		cmocka_unit_test(integers),
		cmocka_unit_test(durations),
		cmocka_unit_test(milliseconds),
		cmocka_unit_test(base64),
		cmocka_unit_test(base64_long),
		cmocka_unit_test(base64_encodes),
		cmocka_unit_test(percent),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
