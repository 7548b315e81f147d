/* SPDX-License-Identifier: MIT */
/*
 * base/text: safety, width, distance, globs, numbers, codings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/text_looks.h"
#include "base/text_safe.h"
#include "base/utf8.h"

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

static void check_unescaped(const char *json, const char *wanted)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	text_unescape(&out, json, strlen(json));
	assert_string_equal(buf_string(&out), wanted);
}

static void unescaped(void **state)
{
	(void)state;
	check_unescaped("", "");
	check_unescaped("{\"a\":\"\\u72b6\\u6001\"}", "{\"a\":\"状态\"}");
	check_unescaped("\\uD83D\\uDE00 \\ud55c\\uad6d \\u003ca\\u003E",
			"😀 한국 <a>");
	/* A quote, a backslash, control, a turn of direction, half a pair. */
	check_unescaped("\\u0022\\u005c\\u0000\\u001b\\u202e\\ud83d",
			"\\u0022\\u005c\\u0000\\u001b\\u202e\\ud83d");
	check_unescaped("\\ud55c\\u0022\\ud83d\\u72b6", "한\\u0022\\ud83d状");
	/* Escaped backslashes, other escapes, and what is cut. */
	check_unescaped("\\\\u72b6\\n\\\\\\u72b6", "\\\\u72b6\\n\\\\状");
	check_unescaped("\\u72b", "\\u72b");
	check_unescaped("\\u0041", "A");
	check_unescaped("\\ud83d\\u0041", "\\ud83dA");
	check_unescaped("\\ud83d\\ude0", "\\ud83d\\ude0");
	check_unescaped("\\u004g\\u0041", "\\u004gA");
	check_unescaped("\\", "\\");
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

static void check_mode(const char *text, size_t len, enum text_mode mode,
		       const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	text_safe(&b, text, len, mode);
	assert_string_equal(buf_string(&b), expected);
}

static void check_unseen(const char *text, const char *line, const char *name,
			 const char *json)
{
	size_t len = strlen(text);
	bool same = strcmp(text, name) == 0;

	check_safe(text, len, line, line);
	check_mode(text, len, TEXT_NAME, name);
	check_mode(text, len, TEXT_JSON, json);
	assert_int_equal(text_is_safe(text, len), same);
}

/* Zero width, soft hyphen, tags, selectors, fillers, a byte order mark. */
static void unseen(void **state)
{
	(void)state;
	check_unseen("a\u200bb", "a[1 invisible]b", "a\\u200bb", "a\\u200bb");
	check_unseen("a\u00ad\u034f\u2060b", "a[3 invisible]b",
		     "a\\u00ad\\u034f\\u2060b", "a\\u00ad\\u034f\\u2060b");
	check_unseen("\U000e0041\U000e0042", "[2 invisible]",
		     "\\U000e0041\\U000e0042", "\\udb40\\udc41\\udb40\\udc42");
	check_unseen("\u115f\u1160\u3164\uffa0", "[4 invisible]",
		     "\\u115f\\u1160\\u3164\\uffa0",
		     "\\u115f\\u1160\\u3164\\uffa0");
	check_unseen("\ufeffx\ufff9\U0001d173", "[1 invisible]x[2 invisible]",
		     "\\ufeffx\\ufff9\\U0001d173",
		     "\\ufeffx\\ufff9\\ud834\\udd73");
	check_unseen("\u17b4\u180b\U000e0100\ufe0f", "[4 invisible]",
		     "\\u17b4\\u180b\\U000e0100\\ufe0f",
		     "\\u17b4\\u180b\\udb40\\udd00\\ufe0f");
	/* One after the other, and with what is escaped between. */
	check_unseen("\u200b\u202e\u200b", "[1 invisible]\\u202e[1 invisible]",
		     "\\u200b\\u202e\\u200b", "\\u200b\\u202e\\u200b");
	check_unseen("a\u200b\x1b", "a[1 invisible]\\x1b", "a\\u200b\\x1b",
		     "a\\u200b\\x1b");
	/* A joiner that joins nothing. */
	check_unseen("a\u200db\u200c", "a[1 invisible]b[1 invisible]",
		     "a\\u200db\\u200c", "a\\u200db\\u200c");
	check_unseen("scan\ufe0f", "scan[1 invisible]", "scan\\ufe0f",
		     "scan\\ufe0f");
}

/* As many as one likes, and the text does not grow by as many marks. */
static void unseen_everywhere(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 }, shown = { 0 };

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_text(&text, "x\u200b");
	text_safe(&shown, text.data, text.len, TEXT_LINE);
	assert_int_equal(shown.len, 1000 + TEXT_MARKS_MAX * 13 + 20);
	assert_non_null(strstr(shown.data, "xxxx[992 more invisible]"));
}

static void stays(const char *text)
{
	check_unseen(text, text, text, text);
}

/* What shapes the letters beside it is seen by that. */
static void joiners(void **state)
{
	(void)state;
	stays("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645"); /* Persian */
	stays("\u0915\u094d\u200d\u0937"); /* Devanagari */
	stays("\u1820\u180b\u1821"); /* Mongolian */
	stays("\u1780\u200b\u1781"); /* Khmer: between words */
	stays("\u2699\ufe0f \u2764\ufe0e"); /* looks of an emoji */
	stays("1\ufe0f\u20e3 #\ufe0f\u20e3"); /* key caps */
	stays("\U0001f468\u200d\U0001f469\u200d\U0001f467"); /* a family */
	stays("\U0001f3f3\ufe0f\u200d\U0001f308"); /* a rainbow flag */
	stays("\U0001f469\U0001f3fd\u200d\U0001f4bb"); /* a tone of skin */
	stays("\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074"
	      "\U000e007f."); /* Scotland */
	/* Not where one is too many, or in the wrong place. */
	check_unseen("\u0645\u200c\u200cx", "\u0645\u200c[1 invisible]x",
		     "\u0645\u200c\\u200cx", "\u0645\u200c\\u200cx");
	check_unseen("\u2699\ufe0f\ufe0f", "\u2699\ufe0f[1 invisible]",
		     "\u2699\ufe0f\\ufe0f", "\u2699\ufe0f\\ufe0f");
	check_unseen("\U0001f468\u200dx", "\U0001f468[1 invisible]x",
		     "\U0001f468\\u200dx", "\U0001f468\\u200dx");
	check_unseen("\U0001f468\ufe01", "\U0001f468[1 invisible]",
		     "\U0001f468\\ufe01", "\U0001f468\\ufe01");
	check_unseen("1\ufe0f2", "1[1 invisible]2", "1\\ufe0f2", "1\\ufe0f2");
	check_unseen("\u1780\u200bx", "\u1780[1 invisible]x", "\u1780\\u200bx",
		     "\u1780\\u200bx");
	check_unseen("\u1780\u200b\u17b4", "\u1780[2 invisible]",
		     "\u1780\\u200b\\u17b4", "\u1780\\u200b\\u17b4");
	/* A black flag hides no words. */
	check_unseen("\U0001f3f4\U000e0068\U000e0069\U000e007f",
		     "\U0001f3f4[3 invisible]",
		     "\U0001f3f4\\U000e0068\\U000e0069\\U000e007f",
		     "\U0001f3f4\\udb40\\udc68\\udb40\\udc69\\udb40\\udc7f");
	check_unseen("\U0001f3f4\U000e0067\U000e0062",
		     "\U0001f3f4[2 invisible]",
		     "\U0001f3f4\\U000e0067\\U000e0062",
		     "\U0001f3f4\\udb40\\udc67\\udb40\\udc62");
}

/* JSON stays JSON; what is spelled shows each letter that looks like another. */
static void modes(void **state)
{
	(void)state;
	check_mode("[\"a\",\n\t1]\n", 10, TEXT_JSON, "[\"a\",\n\t1]\n");
	check_mode("\x7f\xc2\x9b", 3, TEXT_JSON, "\\u007f\\u009b");
	check_mode("a\n\tb", 4, TEXT_NAME, "a\\n\\tb");
	check_mode("sc\u0430n", 5, TEXT_NAME, "sc\u0430n");
	check_mode("sc\u0430n", 5, TEXT_SPELLED, "sc\\u0430n");
	check_mode("\uff53can", 6, TEXT_SPELLED, "\\uff53can");
	check_mode("\u4f60", 3, TEXT_SPELLED, "\u4f60");
	check_mode("\u2699\ufe0f", 6, TEXT_SPELLED, "\u2699\\ufe0f");
	/* For programs: without all that is not seen, but for lines. */
	check_mode("a\x1b[1m\n\tb\r\x7f", 10, TEXT_PLAIN, "a[1m\n\tb");
	check_mode("a\u202e\u200bb\xff\xc2\x85", 11, TEXT_PLAIN, "ab");
	check_mode("\u2699\ufe0f\ufe0f", 9, TEXT_PLAIN, "\u2699\ufe0f");
	/* Not one of eight bytes is taken for plain that is not. */
	for (int at = 0; at < 16; at++) {
		static const char odd[] = { '\x1f', '\x7f', '\x80', '\x00',
					    '\xff' };
		for (size_t i = 0; i < sizeof(odd); i++) {
			char text[] = "abcdefghijklmnop ~z";
			CLEANUP(buf_done) struct buf b = { 0 };

			text[at] = odd[i];
			text_safe(&b, text, sizeof(text) - 1, TEXT_LINE);
			assert_int_equal(b.len, sizeof(text) - 1 + 3);
			assert_memory_equal(b.data, text, (size_t)at);
			assert_memory_equal(b.data + at, "\\x", 2);
			assert_string_equal(b.data + at + 4, text + at + 1);
		}
	}
}

static bool alike(const char *a, const char *b)
{
	CLEANUP(buf_done) struct buf one = { 0 }, other = { 0 };

	text_skeleton(&one, a, strlen(a));
	text_skeleton(&other, b, strlen(b));
	return strcmp(buf_string(&one), buf_string(&other)) == 0;
}

static void skeletons(void **state)
{
	(void)state;
	assert_true(alike("", ""));
	assert_true(alike("scan", "\u0455\u0441\u0430n")); /* Cyrillic */
	assert_true(alike("scan", "sc\u03b1n")); /* Greek */
	assert_true(alike("scan", "\uff53\uff43\uff41\uff4e")); /* full width */
	assert_true(alike("scan", "sc\u200ban"));
	assert_true(alike("scan", "\u00adscan\U000e0041"));
	assert_true(alike("getInfo", "getlnfo"));
	assert_true(alike("led_0", "led_O"));
	assert_true(alike("room", "roorn"));
	assert_true(alike("a-b", "a\u2010b"));
	assert_true(alike("a b", "a\u00a0b"));
	assert_true(alike("caf\u00e9", "cafe\u0301"));
	assert_true(alike("\u0413\u041e\u0421\u0422", "\u0393OCT"));
	assert_true(alike("1m", "\uff11\uff4d"));
	/* One character or three, in any order. */
	assert_true(alike("vi\u1ec7t", "vie\u0323\u0302t"));
	assert_true(alike("vi\u1ec7t", "vie\u0302\u0323t"));
	assert_true(alike("\u1f82", "\u03b1\u0313\u0300\u0345"));
	assert_true(alike("scan", "\U0001d69c\U0001d68c\U0001d68a\U0001d697"));
	assert_true(alike("A1", "\U0001d400\U0001d7cf"));
	assert_true(alike("file", "\ufb01le"));
	assert_true(alike("scan", "\ua731can"));
	assert_true(alike("a b", "a\u2800b"));
	/* Nobody sees how many blanks there are at the end. */
	assert_true(alike("scan", "scan "));
	assert_true(alike("scan ", "scan\u00a0\u2800\u3000"));
	assert_true(alike("scan", "scan \u200b"));
	assert_false(alike("scan", " scan"));
	assert_false(alike("a b", "ab"));
	assert_false(alike("a\u0323", "a"));
	assert_false(alike("\U0001d7ff", "A"));
	assert_false(alike("scan", "Scan"));
	assert_false(alike("scan", "scam"));
	assert_false(alike("caf\u00e9", "cafe"));
	assert_false(alike("\u4f60", "\u597d"));
	assert_false(alike("\U0001f600", "\U0001f601"));
	assert_false(alike("a\xff", "a"));
	assert_true(text_has_look(0x430));
	assert_true(text_has_look(0xff21));
	assert_true(text_has_look(0x1d400));
	assert_false(text_has_look('l'));
	assert_false(text_has_look(0x4f60));
}

static void check_look(uint32_t point, const char *ascii)
{
	uint32_t to[LOOK_MAX];
	size_t count = text_look(point, to);

	assert_int_equal(count, strlen(ascii));
	for (size_t i = 0; i < count; i++)
		assert_int_equal(to[i], ascii[i]);
}

/* The first and the last of each run of shapes, and what stands beside them. */
static void looks(void **state)
{
	static const struct {
		uint32_t point;
		const char *ascii;
	} rows[] = {
		{ 0xff00, "" },	  { 0xff01, "!" },   { 0xff5e, "~" },
		{ 0xff5f, "" },	  { 0x1d3ff, "" },   { 0x1d400, "A" },
		{ 0x1d419, "Z" }, { 0x1d41a, "a" },  { 0x1d433, "z" },
		{ 0x1d434, "A" }, { 0x1d6a3, "z" },  { 0x1d6a4, "" },
		{ 0x1d7cd, "" },  { 0x1d7ce, "0" },  { 0x1d7d7, "9" },
		{ 0x1d7d8, "0" }, { 0x1d7ff, "9" },  { 0x1d800, "" },
		{ 0x9f, "" },	  { 0xa0, " " },     { 0xfb00, "ff" },
		{ 0xfb06, "st" }, { 0xfb03, "ffi" }, { 0xfb07, "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		check_look(rows[i].point, rows[i].ascii);
	assert_true(alike("0", "O"));
	assert_true(alike("1|", "Il"));
	assert_true(alike("`", "'"));
	assert_true(alike("\"", "''"));
	assert_false(alike("0", "o"));
	assert_false(alike("I", "i"));
	/* Marks in any order; these are U+0300 to U+036F. */
	assert_true(alike("a\u0301\u0323\u0302", "a\u0302\u0323\u0301"));
	assert_true(alike("x\u036f\u0300", "x\u0300\u036f"));
	assert_false(alike("x\u0370\u0300", "x\u0300\u0370"));
	assert_false(alike("x\u02ff\u0300", "x\u0300\u02ff"));
}

/* What acts is escaped, what is only not seen is counted, others stay. */
static void borders(void **state)
{
	(void)state;
	SAFE("\xc2\x80\xc2\x9f\u00a0", "\\u0080\\u009f\u00a0",
	     "\\u0080\\u009f\u00a0");
	SAFE("\u061b\u061c\u061d", "\u061b\\u061c\u061d",
	     "\u061b\\u061c\u061d");
	SAFE("\u200d\u200e\u200f\u2010", "[1 invisible]\\u200e\\u200f\u2010",
	     "[1 invisible]\\u200e\\u200f\u2010");
	SAFE("\u2027\u2028\u202e\u202f", "\u2027\\u2028\\u202e\u202f",
	     "\u2027\\u2028\\u202e\u202f");
	SAFE("\u2065\u2066\u2069\u206a",
	     "[1 invisible]\\u2066\\u2069[1 invisible]",
	     "[1 invisible]\\u2066\\u2069[1 invisible]");
	check_unseen("\ufffb\ufffc\U0001bca0",
		     "[1 invisible]\ufffc[1 invisible]",
		     "\\ufffb\ufffc\\U0001bca0", "\\ufffb\ufffc\\ud82f\\udca0");
	stays("0\ufe0f\u20e3 9\ufe0f\u20e3 *\ufe0f\u20e3");
	check_unseen("/\ufe0f\u20e3", "/[1 invisible]\u20e3", "/\\ufe0f\u20e3",
		     "/\\ufe0f\u20e3");
	check_unseen(":\ufe0f\u20e3", ":[1 invisible]\u20e3", ":\\ufe0f\u20e3",
		     ":\\ufe0f\u20e3");
	assert_true(text_is_safe("", 0));
	assert_true(text_is_safe(" ~", 2));
	assert_false(text_is_safe("\n", 1));
	assert_false(text_is_safe("\x7f", 1));
}

static void check_marks(int runs, const char *end)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf shown = { 0 };

	for (int i = 0; i < runs; i++)
		buf_text(&text, "x\u200b");
	text_safe(&shown, text.data, text.len, TEXT_LINE);
	assert_int_equal(shown.len, runs + 8 * 13 + (int)strlen(end));
	assert_string_equal(shown.data + shown.len - strlen(end), end);
}

static void as_many_marks(void **state)
{
	(void)state;
	check_marks(8, "");
	check_marks(9, "[1 more invisible]");
	check_marks(10, "[2 more invisible]");
}

/* Whatever comes: it ends, and nothing that acts or hides is left. */
static void unseen_any(void **state)
{
	CLEANUP(buf_done) struct buf shown = { 0 };

	(void)state;
	for (uint32_t point = 0x80; point < 0x110000; point++) {
		char text[] = "a____b";
		size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

		text[1] = (char)(size == 2 ? 0xc0 | point >> 6 :
				 size == 3 ? 0xe0 | point >> 12 :
					     0xf0 | point >> 18);
		for (size_t i = 1; i < size; i++)
			text[1 + i] =
				(char)(0x80 |
				       (point >> 6 * (size - 1 - i) & 0x3f));
		buf_reset(&shown);
		text_safe(&shown, text, size + 1, TEXT_LINE);
		if (text_is_invisible(point))
			assert_null(
				memmem(shown.data, shown.len, text + 1, size));
		else if (point >= 0xa0 && (point & ~0x7ffu) != 0xd800 &&
			 point != 0x2028 && point != 0x2029)
			assert_memory_equal(shown.data, text, size + 1);
	}
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

/* Each as a whole, with more behind it, and a byte short. */
static void utf8_sizes(void **state)
{
	static const char *const good[] = {
		"\x7f",
		"\xc2\x80",
		"\xdf\xbf",
		"\xe0\xa0\x80",
		"\xed\x9f\xbf",
		"\xee\x80\x80",
		"\xf0\x90\x80\x80",
		"\xf3\xbf\xbf\xbf",
		"\xf4\x8f\xbf\xbf",
	};
	static const char *const broken[] = {
		"\x80zzz",	    "\xc1\xbfzz",	"\xc2\x41zz",
		"\xe0\x9f\xbfz",    "\xe4\xbd\x41z",	"\xed\xa0\x80z",
		"\xf0\x8f\xbf\xbf", "\xf0\x9f\x98\x41", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		const size_t size = strlen(good[i]);

		assert_int_equal(text_utf8(good[i], size), size);
		assert_int_equal(text_utf8(good[i], size + 1), size);
		assert_int_equal(text_utf8(good[i], size - 1), 0);
	}
	for (size_t i = 0; i < COUNT(broken); i++)
		assert_int_equal(text_utf8(broken[i], 4), 0);
	assert_int_equal(text_point("\x7f", 1), 0x7f);
	assert_int_equal(text_point("\xdf\xbf", 2), 0x7ff);
	assert_int_equal(text_point("a", 0), 0);
	assert_int_equal(text_point("aaaaa", 5), 0);
}

static void cuts(void **state)
{
	static const struct {
		const char *text;
		size_t max, end;
	} cases[] = {
		{ "", 0, 0 },
		{ "abc", 3, 3 },
		{ "abc", 4, 3 },
		{ "abc", 2, 2 },
		{ "abc", 0, 0 },
		{ "a\xc3\xa9", 2, 1 },
		{ "\xc3\xa9", 0, 0 },
		{ "\xe4\xbd\xa0", 1, 0 },
		{ "\xe4\xbd\xa0", 2, 0 },
		{ "x\xf0\x9f\x98\x80", 4, 1 },
		{ "x\xf0\x9f\x98\x80", 2, 1 },
		{ "x\xf0\x9f\x98\x80", 1, 1 },
		{ "x\xf0\x9f\x98\x80", 5, 5 },
		/* No character at all: three bytes back, no more. */
		{ "\x80\x80", 1, 0 },
		{ "\x80\x80\x80\x80\x80\x80", 5, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(text_cut(cases[i].text, strlen(cases[i].text),
					  cases[i].max),
				 cases[i].end);
	assert_int_equal(text_cut("a\xc3\xa9", 2, 2), 2);
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
	/* Characters are none of columns, and none of bytes. */
	assert_int_equal(text_characters("", 0), 0);
	assert_int_equal(text_characters("ae\xcc\x81\xe4\xbd\xa0", 7), 4);
	assert_int_equal(text_characters("\xc3\xa9\xc3\xa9", 2), 1);
	assert_int_equal(width("\xe2\x9c\x85"), 2); /* white check mark */
	assert_int_equal(width("\xe2\x94\x80"), 1); /* box drawing */
	assert_int_equal(width("\xef\xbc\xa1"), 2); /* fullwidth A */
	assert_int_equal(width("\xef\xbd\xb1"), 1); /* halfwidth katakana */
	assert_int_equal(width("\xea\xb0\x80"), 2); /* hangul */
	assert_int_equal(width("\xe2\x80\x8b"), 0); /* zero width space */
	assert_int_equal(width("a\xff z"), 4);
	assert_int_equal(width("\x1b\n"), 0);
	/* The borders of what has no columns, behind what is not ASCII. */
	assert_int_equal(width("\xc3\xa9\x1f"), 1);
	assert_int_equal(width("\xc3\xa9 ~"), 3);
	assert_int_equal(width("\x7f\xc2\x80\xc2\x9f"), 0);
	assert_int_equal(width("\xc2\xa0\xcb\xbf"), 2);
	assert_int_equal(width("\xcc\x80\xcd\xaf"), 0);
	assert_int_equal(width("\xcd\xb0"), 1);
	assert_int_equal(text_width("ab", 1), 1);
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
	assert_int_equal(text_distance("ab", "ca"), 2);
	assert_int_equal(text_distance("ab", "bc"), 2);
	assert_int_equal(text_distance("abcd", "acbd"), 1);
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

/* Of two: which is it, in either order? */
static void nearer(const char *word, const char *best, const char *other)
{
	const char *const first[] = { best, other };
	const char *const last[] = { other, best };

	assert_string_equal(text_nearest(word, first, 2), best);
	assert_string_equal(text_nearest(word, last, 2), best);
}

static void alone(const char *word, const char *candidate, bool proposed)
{
	const char *near = text_nearest(word, &candidate, 1);

	if ((near == candidate) != proposed)
		fail_msg("'%s' for '%s'", candidate, word);
}

static void near_enough(void **state)
{
	(void)state;
	/* A third of the letters and one; never all of them. */
	alone("a", "b", false);
	alone("ab", "xb", true);
	alone("ab", "xy", false);
	alone("abc", "xyc", true);
	alone("abcde", "xbcdy", true);
	alone("abcde", "xycdz", false);
	alone("abcdef", "abxyzf", true);
	alone("abcdef", "axyzwf", false);
	alone("abc", "xyabc", true);
	alone("xyabc", "abc", true);
	/* Or the first three letters. */
	alone("abc", "abcdefghijkl", true);
	alone("abcdefghijkl", "abc", true);
	alone("abcdefghijkl", "ab", false);
	alone("abx", "abcdefghijkl", false);
	alone("xbcd", "ybcdefghijkl", false);
}

static void better_proposals(void **state)
{
	static const char *const alike[] = { "abcdeX", "abcdeY" };

	(void)state;
	nearer("abcdef", "abcxyz", "abcdefghijklm");
	nearer("abcdef", "xbcdef", "abcdxx");
	nearer("abcdefgh", "abcdeYYYYYYYYYYYYYYYY", "abcdXXXXXXXXXX");
	nearer("abcdefgh", "abcdXXXXXXXXXX", "abcdYYYYYYYYYYY");
	assert_ptr_equal(text_nearest("abcdef", alike, 2), alike[0]);
}

static void check_proposal(const char *word, const char *expected)
{
	static const char *const names[] = { "tools", "call" };
	CLEANUP(mem_free_ptr) char *text = text_proposal(word, names, 2);

	assert_string_equal(text, expected);
}

static void proposals(void **state)
{
	(void)state;
	check_proposal("tool", " (did you mean 'tools'?)");
	check_proposal("zzzzzz", "");
	check_proposal(NULL, "");
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

static void glob_sets(void **state)
{
	(void)state;
	assert_true(text_glob("[!a]", "!"));
	assert_true(text_glob("[^a]", "^"));
	assert_true(text_glob("[^a]", "b"));
	assert_false(text_glob("[^a]", "a"));
	assert_false(text_glob("[!]a]", "]"));
	assert_true(text_glob("[!]a]", "b"));
	assert_false(text_glob("[adc]", "b"));
	assert_true(text_glob("[adc]", "d"));
	assert_true(text_glob("[a-", "[a-"));
	assert_false(text_glob("[a-", "a"));
	assert_true(text_glob("[a-c]", "a"));
	assert_true(text_glob("[a-c]", "c"));
	assert_false(text_glob("[b-c]", "a"));
	assert_true(text_glob("*ab", "aab"));
	assert_true(text_glob("*\xf0\x9f\x98\x80!", "x\xf0\x9f\x98\x80!"));
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

static void hashes(void **state)
{
	(void)state;
	assert_true(text_hash("", 0) == 0xcbf29ce484222325U);
	assert_true(text_hash("a", 1) == 0xaf63dc4c8601ec8cU);
	assert_true(text_hash("foobar", 6) == 0x85944171f73967e8U);
}

static void letters(void **state)
{
	(void)state;
	assert_int_equal(text_lower('A'), 'a');
	assert_int_equal(text_lower('Z'), 'z');
	assert_int_equal(text_lower('@'), '@');
	assert_int_equal(text_lower('['), '[');
	assert_int_equal(text_lower('\xff'), 0xff);
	assert_true(text_same("aZ", "Az"));
	assert_false(text_same(NULL, "a"));
	assert_false(text_same("a", NULL));
}

static void marks(void **state)
{
	(void)state;
	assert_int_equal(text_mark("\xef\xbb\xbf", 3), 3);
	assert_int_equal(text_mark("\xef\xbb\xbf{}", 5), 3);
	assert_int_equal(text_mark("\xef\xbb\xbf", 2), 0);
	assert_int_equal(text_mark("\xef\xbb\xbe", 3), 0);
	assert_int_equal(text_mark("", 0), 0);
}

static void controls(void **state)
{
	(void)state;
	assert_false(text_has_control(""));
	assert_false(text_has_control(" ~\xc2\x80"));
	assert_true(text_has_control("a\x1f"));
	assert_true(text_has_control("\x01z"));
	assert_true(text_has_control("a\x7fz"));
}

static void check_trim(const char *text, const char *expected)
{
	const char *at = text;
	const size_t len = text_trim(&at, strlen(text));

	assert_int_equal(len, strlen(expected));
	assert_memory_equal(at, expected, len);
}

static void trims(void **state)
{
	(void)state;
	check_trim("", "");
	check_trim(" ", "");
	check_trim(" \t\r\n", "");
	check_trim("a", "a");
	check_trim(" a", "a");
	check_trim("a\n", "a");
	check_trim("\t a b\r\n ", "a b");
	check_trim("\va\f", "\va\f");
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
	check_ms(1049, "1 s");
	check_ms(1050, "1.1 s");
	check_ms(12345, "12.3 s");
	check_ms(59949, "59.9 s");
	check_ms(59950, "1 min");
	check_ms(125000, "2 min 5 s");
	check_ms(3599499, "59 min 59 s");
	check_ms(3599500, "1 h");
	check_ms(5400000, "1 h 30 min");
	check_ms(3541000, "59 min 1 s");
	check_ms(3629999, "1 h");
	check_ms(3630000, "1 h 1 min");
	check_ms(860460000, "239 h 1 min");
	check_ms(864000000, "240 h");
	assert_string_equal(text_milliseconds(12345, small, sizeof(small)),
			    "12.");
}

static void check_since(int64_t ms, const char *expected)
{
	char text[40];

	assert_string_equal(text_since(text, sizeof(text), ms), expected);
}

static void check_us(int64_t us, const char *expected)
{
	char text[40];

	assert_string_equal(text_microseconds(us, text, sizeof(text)),
			    expected);
}

static void since(void **state)
{
	(void)state;
	check_since(0, "");
	check_since(999, "");
	check_since(1000, " (as of 1 s ago)");
	check_since(6999, " (as of 6 s ago)");
	check_since(125400, " (as of 2 min 5 s ago)");
	check_since(600000, " (as of 10 min ago)");
	check_us(-5, "0.00 ms");
	check_us(0, "0.00 ms");
	check_us(9, "0.00 ms");
	check_us(10, "0.01 ms");
	check_us(400, "0.40 ms");
	check_us(999, "0.99 ms");
	check_us(1000, "1 ms");
	check_us(4999, "4 ms");
}

static void copies(void **state)
{
	char small[4], one[1];

	(void)state;
	text_copy(small, sizeof(small), "ab");
	assert_string_equal(small, "ab");
	text_copy(small, sizeof(small), "abc");
	assert_string_equal(small, "abc");
	text_copy(small, sizeof(small), "abcd");
	assert_string_equal(small, "abc");
	text_copy(one, sizeof(one), "a");
	assert_string_equal(one, "");
}

static void check_base64(const char *text, const char *expected, size_t len)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "<");
	assert_int_equal(text_base64_decode(text, strlen(text), &b), 0);
	assert_int_equal(b.len, len + 1);
	assert_memory_equal(b.data + 1, expected, len);
	assert_true(text_is_base64(text, strlen(text)));
}

static void no_base64(const char *text)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "<");
	assert_int_equal(text_base64_decode(text, strlen(text), &b), -1);
	assert_string_equal(b.data, "<");
	assert_false(text_is_base64(text, strlen(text)));
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
	check_base64("\tZm\v9\fv ", "foo", 3);
	check_base64("AZaz09+/", "\x01\x96\xb3\xd3\xdf\xbf", 6);
	no_base64("Z");
	no_base64("Zg=");
	no_base64("Zm9vY");
	no_base64("=");
	no_base64("====");
	no_base64("Zg==Zg==");
	no_base64("Zm9*");
	no_base64("Zm9v=");
	no_base64("Zm9\xff");
	no_base64("Zm9\b");
	no_base64("Zm9\x0e");
	no_base64("Zg===");
	no_base64("Zm9@");
	no_base64("Zm9[");
}

static void base64_long(void **state)
{
	CLEANUP(mem_free_ptr) unsigned char *data = mem_alloc(10000);
	CLEANUP(buf_done) struct buf text = { 0 };
	CLEANUP(buf_done) struct buf back = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < 10000; i++)
		data[i] = (unsigned char)(i * 7 + i / 256 + 1);
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
	/* So does a wrong digit behind much. */
	buf_done(&back);
	buf_text(&back, "<");
	buf_text(&text, "*");
	assert_int_equal(text_base64_decode(text.data, text.len, &back), -1);
	assert_string_equal(back.data, "<");
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
	check_percent("%30%39%ff%FF", "09\xff\xff");
	check_percent("%4g", NULL);
	check_percent("%4@", NULL);
	check_percent("%/1", NULL);
	check_percent("%4:", NULL);
	check_percent("%4`", NULL);
	check_percent("%2541", "%41");
	check_percent("%e4%bd%a0", "\xe4\xbd\xa0");
	check_percent("x%", NULL);
	check_percent("x%4", NULL);
	check_percent("%41%zz", NULL);
	check_percent("%41%00", NULL);
}

static const char *fill_value(const void *of, const char *name,
			      char room[TEXT_ROOM])
{
	if (strcmp(name, "host") == 0)
		return of;
	if (strcmp(name, "made") == 0) {
		snprintf(room, TEXT_ROOM, "%d", 42);
		return room;
	}
	return strcmp(name, "empty") == 0 ? "" : NULL;
}

static void fills(const char *pattern, const char *host, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	text_fill(&out, pattern, fill_value, host, 8);
	assert_string_equal(buf_string(&out), expected);
}

static void test_fill(void **state)
{
	(void)state;
	fills("", "h", "");
	fills("plain", "h", "plain");
	fills("{host}", "h", "h");
	fills("at {host}, {made}.", "h", "at h, 42.");
	fills("it{, at host}{ of made}", "h", "it, at h of 42");
	fills("it{, at host}!", NULL, "it!");
	fills("it{, at empty}{: none}!", "h", "it!");
	fills("{'host'}{ in 'host'}{ in 'empty'}", "h", "'h' in 'h'");
	/* What is filled in is no pattern, and is cut between characters. */
	fills("{host}", "{made}%s", "{made}%s");
	fills("{host}.", "1234567\xc3\xa4", "1234567.");
	fills("{host}.", "123456789", "12345678.");
	/* Not closed, empty, or no name. */
	fills("a{host", "h", "ah");
	fills("a{", "h", "a");
	fills("a{}b", "h", "ab");
	fills("a{a name that is longer than there is room for it}b", "h", "ab");
	fills("a{anamethatislongerthanthereisroomforit,reallyitis}b", "h",
	      "ab");
}

static void percent_encode(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	text_percent_encode(&out, "aZ09-._~ /?%\xc3\xa9\n", "-._~");
	assert_string_equal(buf_string(&out), "aZ09-._~%20%2F%3F%25%C3%A9%0A");
	buf_reset(&out);
	text_percent_encode(&out, "/a", "/");
	text_percent_encode(&out, "", "/");
	assert_string_equal(buf_string(&out), "/a");
}

static void equal(void **state)
{
	(void)state;
	assert_true(text_equal("aB", "aB"));
	assert_false(text_equal("aB", "ab"));
	assert_false(text_equal("a", NULL));
	assert_false(text_equal(NULL, ""));
	assert_true(text_equal(NULL, NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fill),
		cmocka_unit_test(safe),
		cmocka_unit_test(unescaped),
		cmocka_unit_test(unseen),
		cmocka_unit_test(unseen_everywhere),
		cmocka_unit_test(joiners),
		cmocka_unit_test(modes),
		cmocka_unit_test(skeletons),
		cmocka_unit_test(looks),
		cmocka_unit_test(borders),
		cmocka_unit_test(as_many_marks),
		cmocka_unit_test(unseen_any),
		cmocka_unit_test(utf8),
		cmocka_unit_test(utf8_sizes),
		cmocka_unit_test(cuts),
		cmocka_unit_test(widths),
		cmocka_unit_test(fits),
		cmocka_unit_test(distances),
		cmocka_unit_test(nearest),
		cmocka_unit_test(near_enough),
		cmocka_unit_test(better_proposals),
		cmocka_unit_test(proposals),
		cmocka_unit_test(globs),
		cmocka_unit_test(hostile_glob),
		cmocka_unit_test(glob_sets),
		cmocka_unit_test(hashes),
		cmocka_unit_test(letters),
		cmocka_unit_test(marks),
		cmocka_unit_test(controls),
		cmocka_unit_test(trims),
		cmocka_unit_test(searches),
		cmocka_unit_test(integers),
		cmocka_unit_test(durations),
		cmocka_unit_test(milliseconds),
		cmocka_unit_test(since),
		cmocka_unit_test(copies),
		cmocka_unit_test(base64),
		cmocka_unit_test(base64_long),
		cmocka_unit_test(base64_encodes),
		cmocka_unit_test(percent),
		cmocka_unit_test(percent_encode),
		cmocka_unit_test(equal),
	};

	return cmocka_run_group_tests_name("text", tests, NULL, NULL);
}
