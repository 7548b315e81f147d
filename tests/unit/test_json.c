/* SPDX-License-Identifier: MIT */
/*
 * base/json: what is JSON and what is not, printing, spans, comparison.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "base/mem.h"

/* A copy of exactly len bytes: reading behind it is seen by ASan. */
static cJSON *parse_exact(const char *text, size_t len, struct error *err)
{
	CLEANUP(mem_free_ptr) char *copy = mem_alloc(len);

	memcpy(copy, text, len);
	return json_parse(copy, len, err);
}

static cJSON *parse(const char *text)
{
	struct error err = { 0 };
	cJSON *tree = parse_exact(text, strlen(text), &err);

	if (!tree)
		fail_msg("%s: %s", text, err.text);
	return tree;
}

static void good(void **state)
{
	static const char *const texts[] = {
		"0",
		"-0",
		"1",
		"-12.5e+3",
		"1E5",
		"0.0",
		"1e400",
		"true",
		"false",
		"null",
		"\"\"",
		" \t\r\n{ } \n",
		"[]",
		"[[],{}]",
		"{\"a\":1,\"a\":2}",
		"{\"\":{\"b\":[1 , 2]}}",
		"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\uD83D\\uDE00\\uffff\"",
		"\"\x7f\xc2\x80\xe4\xbd\xa0\xf0\x9f\x98\x80\"",
		"\"12345678901234567\"",
		"\"1234567\x7f\"",
		"\"\\u00aA\\u00Fa\"",
		"123456789012345678901234567890123456789012345678901234567890123",
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(texts); i++)
		cJSON_Delete(parse(texts[i]));
}

struct fault {
	const char *text;
	size_t len, at; /* len 0: as a string */
	const char *what;
};

static const struct fault faults[] = {
	{ "", 0, 0, "ends too early" },
	{ "  ", 0, 2, "ends too early" },
	{ "[1,", 0, 3, "ends too early" },
	{ "{\"a\":", 0, 5, "ends too early" },
	{ "{\"a\"", 0, 4, "':' is expected" },
	{ "{\"a\" 1}", 0, 5, "':' is expected" },
	{ "{\"a\":1", 0, 6, "ends too early" },
	{ "{\"a\":1]", 0, 6, "',' or '}'" },
	{ "[1}", 0, 2, "',' or ']'" },
	{ "[1 2]", 0, 3, "',' or ']'" },
	{ "[1,]", 0, 3, "value is expected" },
	{ "[,1]", 0, 1, "value is expected" },
	{ "{,}", 0, 1, "name in double quotes" },
	{ "{\"a\":1,}", 0, 7, "name in double quotes" },
	{ "{a:1}", 0, 1, "name in double quotes" },
	{ "{1:1}", 0, 1, "name in double quotes" },
	{ "{'a':1}", 0, 1, "name in double quotes" },
	{ "]", 0, 0, "value is expected" },
	{ "tru", 0, 0, "value is expected" },
	{ "trux", 0, 0, "value is expected" },
	{ "nul!", 0, 0, "value is expected" },
	{ "truex", 0, 4, "behind the value" },
	{ "True", 0, 0, "value is expected" },
	{ "NaN", 0, 0, "value is expected" },
	{ "{} x", 0, 3, "behind the value" },
	{ "{}{}", 0, 2, "behind the value" },
	{ "01", 0, 0, "number that is none" },
	{ "-", 0, 0, "number that is none" },
	{ "-x", 0, 0, "number that is none" },
	{ "1.", 0, 0, "number that is none" },
	{ ".5", 0, 0, "value is expected" },
	{ "+1", 0, 0, "value is expected" },
	{ "1e", 0, 0, "number that is none" },
	{ "1e+", 0, 0, "number that is none" },
	{ "0x10", 0, 1, "behind the value" },
	{ "[1.2.3]", 0, 4, "',' or ']'" },
	{ "1234567890123456789012345678901234567890123456789012345678901234", 0,
	  0, "63 characters" },
	{ "\"abc", 0, 0, "does not end" },
	{ "\"abc\\\"", 0, 0, "does not end" },
	{ "\"abc\\", 0, 4, "escape that is none" },
	{ "\"\\x41\"", 0, 1, "escape that is none" },
	{ "\"\\u12\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u12g4\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u123@\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u123`\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u123/\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u123:\"", 0, 1, "four hexadecimal digits" },
	{ "\"\\u", 0, 1, "four hexadecimal digits" },
	{ "\"\\ud800\\u", 0, 7, "four hexadecimal digits" },
	{ "\"\\ud800\\udc0", 0, 7, "four hexadecimal digits" },
	{ "\"a\nb\"", 0, 2, "control character" },
	{ "\"12345678\x1f\"", 0, 9, "control character" },
	{ "\"a\0b\"", 5, 2, "NUL" },
	{ "1\0", 2, 1, "NUL" },
	{ "\0", 1, 0, "NUL" },
	{ "[1]\0", 4, 3, "NUL" },
	{ "\"\xff\"", 0, 1, "not UTF-8" },
	{ "\"12345678\xc0\xaf\"", 0, 9, "not UTF-8" },
	{ "\"\xe4\xbd\"", 0, 1, "not UTF-8" },
	{ "\"\xe4\xbd\xa0\xe4\xbd", 0, 4, "not UTF-8" },
	{ "\"\xed\xa0\x80\"", 0, 1, "not UTF-8" },
	{ "\"\xe0\x9f\xbf\"", 0, 1, "not UTF-8" },
	{ "\"\xe4\xbd\x41\"", 0, 1, "not UTF-8" },
	{ "\xe4\xbd\xa0", 0, 0, "value is expected" },
	{ "[\xff]", 0, 1, "not UTF-8" },
	{ "\xef\xbb\xbf{}", 0, 0, "byte order mark" },
	{ "{}\x01", 0, 2, "behind the value" },
	{ "\x0b{}", 0, 0, "value is expected" },
};

/* JavaScript cuts a text amid a pair, and writes \\ud83d. */
static void mended(void **state)
{
	static const struct {
		const char *text, *value;
	} cases[] = {
		{ "\"x\\u0000y\"", "x\xef\xbf\xbdy" },
		{ "\"\\ud800\"", "\xef\xbf\xbd" },
		{ "\"\\uDC00\"", "\xef\xbf\xbd" },
		{ "\"\\ud800x\"", "\xef\xbf\xbdx" },
		{ "\"\\ud800\\u0041\"", "\xef\xbf\xbd\x41" },
		{ "\"\\ud800\\ud800\\udc00\"", "\xef\xbf\xbd\xf0\x90\x80\x80" },
		{ "\"\\\\u0000\\ud83d\"", "\\u0000\xef\xbf\xbd" },
		{ "\"\\n\\ud800\"", "\n\xef\xbf\xbd" },
		{ "\"\\udfff\"", "\xef\xbf\xbd" },
		{ "\"\\ud7ff\\ue000\"", "\xed\x9f\xbf\xee\x80\x80" },
		{ "\"\\udbff\\udfff\"", "\xf4\x8f\xbf\xbf" },
		{ "\"\\ud800\\udfff\"", "\xf0\x90\x8f\xbf" },
		{ "\"\\ud800\\ue000\"", "\xef\xbf\xbd\xee\x80\x80" },
		{ "\"\\udc00\\udc00\"", "\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\"\\ud800xudc00\"", "\xef\xbf\xbdxudc00" },
		{ "\"\\ud800\\ndc00\"", "\xef\xbf\xbd\ndc00" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct span text = { cases[i].text,
					   strlen(cases[i].text) };
		CLEANUP(json_free_ptr)
		cJSON *tree = json_parse(text.text, text.len, NULL);
		CLEANUP(mem_free_ptr) char *string = json_span_string(text);

		assert_string_equal(cJSON_GetStringValue(tree), cases[i].value);
		assert_string_equal(string, cases[i].value);
	}
}

static void wanted(void **state)
{
	static const char text[] = "{\"type\":\"tts\"}";
	static const char *const words[] = { "\"hello\"", "\"tts\"", NULL };
	static const char *const others[] = { "\"hello\"", "tts\":", NULL };
	const size_t len = sizeof(text) - 1;
	CLEANUP(json_free_ptr) cJSON *tree = NULL;

	(void)state;
	assert_null(json_parse_with(text, len, len, others));
	assert_null(json_parse_with(text, len, len - 1, words));
	assert_null(json_parse_with(text, len - 1, len, words));
	tree = json_parse_with(text, len, len, words);
	assert_string_equal(json_string(tree, "type"), "tts");
}

static void bad(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(faults); i++) {
		const struct fault *f = &faults[i];
		struct error err = { 0 };
		char where[80];

		if (parse_exact(f->text, f->len ? f->len : strlen(f->text),
				&err))
			fail_msg("accepted: %s", f->text);
		assert_int_equal(err.kind, ERR_PROTOCOL);
		snprintf(where, sizeof(where),
			 "invalid JSON at byte %zu: ", f->at);
		if (strncmp(err.text, where, strlen(where)) != 0 ||
		    !strstr(err.text, f->what))
			fail_msg("'%s' gave: %s", f->text, err.text);
	}
}

/* Wherever valid text is cut, it is refused, and nothing behind it is read. */
static void cut(void **state)
{
	static const char text[] =
		"{\"a\":[1.5e+7,true,null,\"\\ud83d\\ude00\xe4\xbd\xa0\\n\"],"
		"\"b\" : {\"c\":\"12345678901234567890\"}}";
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(text) - 1; len++)
		assert_null(parse_exact(text, len, NULL));
	cJSON_Delete(parse(text));
}

static void depth(void **state)
{
	char text[2 * (JSON_DEPTH_MAX + 1) + 1] = "";
	struct error err = { 0 };

	(void)state;
	memset(text, '[', JSON_DEPTH_MAX);
	memset(text + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	cJSON_Delete(parse(text));
	memset(text, '[', JSON_DEPTH_MAX + 1);
	memset(text + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
	assert_int_equal(json_check(text, sizeof(text) - 1, &err), -1);
	assert_string_equal(err.text,
			    "invalid JSON at byte 200: nested too deeply");
}

static void check_print(const char *text, const char *expected)
{
	CLEANUP(json_free_ptr) cJSON *tree = parse(text);
	CLEANUP(buf_done) struct buf b = { 0 };

	json_print(&b, tree);
	assert_string_equal(buf_string(&b), expected);
}

static void prints(void **state)
{
	(void)state;
	check_print(" { \"a\" : [ 1 , true , null ] , \"b\" : { } }",
		    "{\"a\":[1,true,null],\"b\":{}}");
	check_print("\"\\u00e9\\/\\n\\u0001\"", "\"\xc3\xa9/\\n\\u0001\"");
	check_print("[[],{},\"\"]", "[[],{},\"\"]");
	check_print("8999999999999999", "8999999999999999");
	check_print("-9007199254740991", "-9007199254740991");
	check_print("9007199254740992", "9007199254740992");
	check_print("1754000000123", "1754000000123");
	check_print("1.0", "1");
	check_print("-0", "0");
	check_print("0.1", "0.1");
	check_print("0.30000000000000004", "0.30000000000000004");
	check_print("1e300", "1e+300");
	check_print("5e-324", "5e-324");
	check_print("1.7976931348623157e308", "1.7976931348623157e+308");
	check_print("1e400", "null");
	check_print("-1e400", "null");
	check_print("123456.789", "123456.789");
	check_print("0.009", "0.009");
}

static void prints_made(void **state)
{
	CLEANUP(json_free_ptr) cJSON *array = cJSON_CreateArray();
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	cJSON_AddItemToArray(array, cJSON_CreateNumber((double)NAN));
	cJSON_AddItemToArray(array, cJSON_CreateNumber((double)INFINITY));
	cJSON_AddItemToArray(array, cJSON_CreateRaw("007"));
	cJSON_AddItemToArray(array, cJSON_CreateString("\xff"));
	json_print(&b, array);
	assert_string_equal(b.data, "[null,null,007,\"\\ufffd\"]");
	buf_reset(&b);
	json_print(&b, NULL);
	assert_string_equal(b.data, "null");
}

static void prints_pretty(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = parse("{\"a\":[1,{\"b\":2}],\"c\":{},\"d\":[]}");
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	json_print_pretty(&b, tree);
	assert_string_equal(b.data, "{\n"
				    "  \"a\": [\n"
				    "    1,\n"
				    "    {\n"
				    "      \"b\": 2\n"
				    "    }\n"
				    "  ],\n"
				    "  \"c\": {},\n"
				    "  \"d\": []\n"
				    "}");
}

static void check_cut(size_t max, const char *expected)
{
	CLEANUP(json_free_ptr) cJSON *tree = parse("[1, 2, 3]");
	CLEANUP(buf_done) struct buf b = { 0 };

	json_print_cut(&b, tree, max);
	assert_string_equal(buf_string(&b), expected);
}

static void prints_cut(void **state)
{
	(void)state;
	check_cut(8, "[1,2,3]");
	check_cut(7, "[1,2,3]");
	check_cut(6, "[1,2,3\xe2\x80\xa6");
	check_cut(0, "\xe2\x80\xa6");
}

static void adds(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	json_add_object(&b, "a", "x\"");
	assert_string_equal(b.data, "{\"a\":\"x\\\"\"}");
	buf_reset(&b);
	json_add_text(&b, "a", "x\n");
	json_add_text(&b, "b", NULL);
	assert_string_equal(b.data, ",\"a\":\"x\\n\"");
	buf_reset(&b);
	json_add_text_or_null(&b, "a", "");
	json_add_text_or_null(&b, "b", NULL);
	assert_string_equal(b.data, ",\"a\":\"\",\"b\":null");
}

/* Nothing behind len is looked at, whatever it is. */
static void lengths(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(json_check("1.5", 1, NULL), 0);
	assert_int_equal(json_check("1e5", 1, NULL), 0);
	assert_int_equal(json_check("12", 1, NULL), 0);
	assert_int_equal(json_check("1 ", 1, NULL), 0);
	assert_int_equal(json_check("1}", 1, NULL), 0);
	assert_null(json_tree((struct span){ "nope", 4 }, false, &err));
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text, "JSON that cannot be read");
}

static void oddities(void **state)
{
	bool odd = true;

	(void)state;
	assert_int_equal(json_scan("\"\\u0041\"", 8, NULL, &odd, NULL), 0);
	assert_false(odd);
	assert_int_equal(json_scan("\"\\ud800\"", 8, NULL, &odd, NULL), 0);
	assert_true(odd);
}

static void minifies(void **state)
{
	static const char text[] = " { \"a b\\\" \\\\\" : [ 1.50 ,\n\t2 ] } ";
	static const char open[] = "[ 1 , \"a b";
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	json_minify(&b, text, sizeof(text) - 1);
	assert_string_equal(b.data, "{\"a b\\\" \\\\\":[1.50,2]}");
	buf_reset(&b);
	json_minify(&b, open, sizeof(open) - 1);
	assert_string_equal(b.data, "[1,\"a b");
	buf_reset(&b);
	json_minify(&b, "", 0);
	assert_int_equal(b.len, 0);
}

static bool member_of(const char *text, const char *name, struct span *out)
{
	struct span object = { text, strlen(text) };

	return json_span_member(object, name, out);
}

static void check_member(const char *text, const char *name,
			 const char *expected)
{
	struct span s = { 0 };

	assert_true(member_of(text, name, &s));
	assert_int_equal(s.len, strlen(expected));
	assert_memory_equal(s.text, expected, s.len);
}

static void members(void **state)
{
	static const char text[] =
		" {\"a\" : 1.50 , \"A\":\"x\\\"}\",\"b\":{\"c\":[1,\"]\"]},"
		"\"\\u0064\\n\":null,\"a\":2,\"e\\\\\": [ ] }";
	struct span s;

	(void)state;
	check_member(text, "a", "1.50");
	check_member(text, "A", "\"x\\\"}\"");
	check_member(text, "b", "{\"c\":[1,\"]\"]}");
	check_member(text, "d\n", "null");
	check_member(text, "e\\", "[ ]");
	assert_false(member_of(text, "c", &s));
	assert_false(member_of(text, "", &s));
	assert_false(member_of("{}", "a", &s));
	assert_false(member_of("[\"a\",1]", "a", &s));
	assert_false(member_of("\"a\"", "a", &s));
	check_member("{\"\":7}", "", "7");
}

static void assert_place(struct span found, const char *value)
{
	if (!value) {
		assert_null(found.text);
		return;
	}
	assert_int_equal(found.len, strlen(value));
	assert_memory_equal(found.text, value, found.len);
}

/* b, b.a and b.b in one pass */
static void assert_places(const char *text, const char *b, const char *b_a,
			  const char *b_b)
{
	static const char *const names[] = { "a", "b" };
	struct json_places p = { .name = names, .names = 2, .inside = 1 };
	bool odd;

	assert_int_equal(json_scan(text, strlen(text), &p, &odd, NULL), 0);
	assert_place(p.outer[1], b);
	assert_place(p.inner[0], b_a);
	assert_place(p.inner[1], b_b);
}

static void fault_found(void **state)
{
	size_t at = 99;

	(void)state;
	assert_false(json_fault(" [1] ", 5, &at));
	assert_int_equal(at, 99);
	assert_null(json_fault_words(" [1] ", 5));
	assert_string_equal(json_fault_words("\xef\xbb\xbf{}", 5),
			    "a byte order mark");
	assert_true(json_fault("[1,]", 4, &at));
	assert_int_equal(at, 3);
	assert_true(json_fault("[1", 2, &at));
	assert_int_equal(at, 2);
	assert_true(json_fault("{} x", 4, &at));
	assert_int_equal(at, 3);
}

static void places(void **state)
{
	(void)state;
	assert_places("{}", NULL, NULL, NULL);
	assert_places("7", NULL, NULL, NULL);
	assert_places("{\"b\" : 12 , \"x\":{\"a\":1}}", "12", NULL, NULL);
	assert_places(
		" {\"x\":[{\"b\":1}],\"b\":{\"x\":{\"a\":1},\"a\": \"t\" ,"
		"\"b\":[2, 3]} }",
		"{\"x\":{\"a\":1},\"a\": \"t\" ,\"b\":[2, 3]}", "\"t\"",
		"[2, 3]");
	/* the first counts, there and inside; names have case and escapes */
	assert_places("{\"b\":{\"a\":1,\"a\":2},\"b\":{\"b\":3}}",
		      "{\"a\":1,\"a\":2}", "1", NULL);
	assert_places("{\"B\":1,\"bb\":2,\"\":3,\"\\u0062\":{\"\\u0061\":4}}",
		      "{\"\\u0061\":4}", "4", NULL);
	/* of an array, whether alone or there, nothing is wanted */
	assert_places("[{\"b\":{\"a\":1}}]", NULL, NULL, NULL);
	assert_places("{\"b\":[{\"a\":1}],\"a\":{\"b\":2}}", "[{\"a\":1}]",
		      NULL, NULL);
}

/* Names with letters that escapes have, too. */
static void escaped_names(void **state)
{
	static const char text[] = "{\"\\n\":1,\"au\":2,\"n\":3,\"\\\\u\":4}";
	static const char *const names[] = { "au", "n" };
	struct json_places p = { .name = names, .names = 2, .inside = 2 };
	bool odd;

	(void)state;
	assert_int_equal(json_scan(text, strlen(text), &p, &odd, NULL), 0);
	assert_place(p.outer[0], "2");
	assert_place(p.outer[1], "3");
}

static void span_values(void **state)
{
	int64_t value = 0;

	(void)state;
	assert_int_equal(json_span_integer((struct span){ "1e3x", 3 }, &value),
			 0);
	assert_int_equal(value, 1000);
	assert_int_equal(json_span_integer((struct span){ "7.5", 3 }, &value),
			 -1);
	assert_int_equal(json_span_integer((struct span){ "\"7\"", 3 }, &value),
			 -1);
	assert_int_equal(json_span_integer((struct span){ NULL, 0 }, &value),
			 -1);
	assert_int_equal(
		json_span_integer((struct span){ "9007199254740992", 16 },
				  &value),
		-1);
	assert_int_equal(value, 1000);
	assert_true(json_span_is((struct span){ "\"m\\u0063p\"", 10 }, "mcp"));
	assert_false(json_span_is((struct span){ "\"mcp\"", 5 }, "mc"));
	assert_false(json_span_is((struct span){ "5", 1 }, "5"));
	assert_false(json_span_is((struct span){ NULL, 0 }, ""));
}

static void span_numbers(void **state)
{
	static const struct {
		const char *text;
		int64_t value; /* -1: it is none */
	} cases[] = {
		{ "", -1 },
		{ "0", 0 },
		{ "9", 9 },
		{ "42", 42 },
		{ "908", 908 },
		{ "4/", 4 },
		{ "123456789012345", 123456789012345 },
		{ "1234567890123456", 1234567890123456 },
		{ "9007199254740991", 9007199254740991 },
		{ "x", -1 },
		{ "1.0000000000000000000000000000000000000000000000000000000000000",
		  1 },
		{ "1.00000000000000000000000000000000000000000000000000000000000000",
		  -1 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct span number = { cases[i].text,
					     strlen(cases[i].text) };
		int64_t value = -1;

		assert_int_equal(json_span_integer(number, &value),
				 cases[i].value < 0 ? -1 : 0);
		assert_true(value == cases[i].value);
	}
}

static void span_words(void **state)
{
	const struct span none = { 0 };

	(void)state;
	assert_true(json_span_literal((struct span){ "true,", 4 }, "true"));
	assert_false(json_span_literal((struct span){ "true", 3 }, "true"));
	assert_false(json_span_literal((struct span){ "trux", 4 }, "true"));
	assert_false(json_span_literal((struct span){ "\"null\"", 6 }, "null"));
	assert_false(json_span_literal(none, ""));
	assert_true(json_span_is((struct span){ "\"mcp\"", 5 }, "mcp"));
	assert_true(json_span_is((struct span){ "\"\"", 2 }, ""));
	assert_false(json_span_is((struct span){ "\"mcx\"", 5 }, "mcp"));
	assert_false(json_span_is((struct span){ "\"m\\u0063x\"", 10 }, "mcp"));
}

static void check_string(const char *text, size_t len, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *said = json_span_string((struct span){ text, len });

	if (expected)
		assert_string_equal(said, expected);
	else
		assert_null(said);
}

static void span_strings(void **state)
{
	(void)state;
	check_string(NULL, 0, NULL);
	check_string("\"", 1, NULL);
	check_string("\"\"", 2, "");
	check_string("\"a\",", 3, "a");
	check_string("\"ab\"", 4, "ab");
	check_string("\"a\\nb\"", 6, "a\nb");
	check_string("null", 4, NULL);
	check_string("[\"a\"]", 5, NULL);
}

static void check_open(const char *text, const char *expected)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	assert_int_equal(
		json_span_open(&b, (struct span){ text, strlen(text) }),
		expected != NULL);
	assert_string_equal(buf_string(&b), expected ? expected : "");
}

static void span_opened(void **state)
{
	(void)state;
	check_open("{}", "{");
	check_open(" { } ", "{");
	check_open("\n{ \"a\" : 1 } \n", "{\"a\" : 1,");
	check_open("[1]", NULL);
	check_open("7", NULL);
	check_open("{", NULL);
	check_open("", NULL);
}

static void elements(void **state)
{
	static const char *const expected[] = { "1", "\"a,]\"", "[2, 3]",
						"{}" };
	static const char text[] = " [ 1, \"a,]\" ,[2, 3],{}\n] ";
	struct span array = { text, sizeof(text) - 1 }, s;
	size_t at = 0, i;

	(void)state;
	for (i = 0; i < COUNT(expected); i++) {
		assert_true(json_span_next(array, &at, &s));
		assert_int_equal(s.len, strlen(expected[i]));
		assert_memory_equal(s.text, expected[i], s.len);
	}
	assert_false(json_span_next(array, &at, &s));
	assert_false(json_span_next(array, &at, &s));
	at = 0;
	array = (struct span){ "[ ]", 3 };
	assert_false(json_span_next(array, &at, &s));
	array = (struct span){ "{}", 2 };
	assert_false(json_span_next(array, &at, &s));
	array = (struct span){ "", 0 };
	assert_false(json_span_next(array, &at, &s));
	at = 9;
	assert_false(json_span_next(array, &at, &s));
}

/* Spans of text that is cut: the answer does not matter, the bounds do. */
static void spans_of_broken(void **state)
{
	static const char text[] =
		"{\"a\\\\\\\"\":[1,{\"b\":\"\\u0041\"},tru],\"z\":[[[]]]}}]";
	size_t len;

	(void)state;
	for (len = 0; len < sizeof(text); len++) {
		CLEANUP(mem_free_ptr) char *copy = mem_alloc(len);
		CLEANUP(buf_done) struct buf b = { 0 };
		struct span s = { copy, len }, found;
		size_t at = 0, start;

		memcpy(copy, text, len);
		json_span_member(s, "none", &found);
		json_minify(&b, copy, len);
		for (start = 0; start < len; start++) {
			s = (struct span){ copy + start, len - start };
			json_span_member(s, "b", &found);
			for (at = 0; json_span_next(s, &at, &found);)
				assert_true(found.len > 0 && at <= s.len);
		}
	}
}

static void reads(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *o = parse("{\"s\":\"x\",\"n\":5,\"f\":1.5,\"o\":{},\"a\":[],"
			 "\"t\":true,\"big\":9007199254740993,\"inf\":1e400,"
			 "\"last\":-9007199254740991}");
	int64_t n = 77;

	(void)state;
	assert_string_equal(json_string(o, "s"), "x");
	assert_null(json_string(o, "S"));
	assert_null(json_string(o, "n"));
	assert_null(json_string(NULL, "s"));
	assert_non_null(json_object(o, "o"));
	assert_null(json_object(o, "a"));
	assert_non_null(json_array(o, "a"));
	assert_null(json_array(o, "o"));
	assert_null(json_member(json_array(o, "a"), "x"));
	assert_true(json_true(o, "t"));
	assert_false(json_true(o, "n"));
	assert_false(json_true(o, "none"));
	assert_int_equal(json_integer(o, "f", &n), -1);
	assert_int_equal(json_integer(o, "big", &n), -1);
	assert_int_equal(json_integer(o, "inf", &n), -1);
	assert_int_equal(json_integer(o, "s", &n), -1);
	assert_int_equal(json_integer(o, "none", &n), -1);
	assert_int_equal(n, 77);
	assert_int_equal(json_integer(o, "n", &n), 0);
	assert_int_equal(n, 5);
	assert_int_equal(json_integer(o, "last", &n), 0);
	assert_true(n == -9007199254740991);
}

static void given(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *o = parse("{\"t\":true,\"f\":false,\"n\":null,\"z\":0,"
			 "\"s\":\"\"}");

	(void)state;
	assert_true(json_given(o, "t"));
	assert_true(json_given(o, "z"));
	assert_true(json_given(o, "s"));
	assert_false(json_given(o, "f"));
	assert_false(json_given(o, "n"));
	assert_false(json_given(o, "none"));
	assert_false(json_given(NULL, "t"));
	json_free_ptr(&o);
	assert_null(o);
}

static void check_count(const char *text, size_t count)
{
	CLEANUP(json_free_ptr) cJSON *tree = parse(text);

	assert_int_equal(json_count_values(tree), count);
}

static void counts(void **state)
{
	(void)state;
	assert_int_equal(json_count_values(NULL), 0);
	check_count("1", 1);
	check_count("[]", 1);
	check_count("[1,\"a\"]", 3);
	check_count("{\"a\":[1,{},[2]],\"b\":null}", 7);
}

static void check_has(const char *value, bool there)
{
	CLEANUP(json_free_ptr) cJSON *array = parse("[1,\"a\",[2]]");
	CLEANUP(json_free_ptr) cJSON *wanted = parse(value);

	assert_int_equal(json_array_has(array, wanted), there);
}

static void has(void **state)
{
	(void)state;
	check_has("1.0", true);
	check_has("\"a\"", true);
	check_has("[2]", true);
	check_has("2", false);
	check_has("\"1\"", false);
}

static bool equal(const char *a, const char *b)
{
	CLEANUP(json_free_ptr) cJSON *x = parse(a);
	CLEANUP(json_free_ptr) cJSON *y = parse(b);

	return json_equal(x, y);
}

static void compares(void **state)
{
	(void)state;
	assert_true(equal("1", "1.0"));
	assert_false(equal("1", "\"1\""));
	assert_false(equal("0", "false"));
	assert_false(equal("true", "false"));
	assert_true(equal("null", "null"));
	assert_true(equal("\"\\u0041\"", "\"A\""));
	assert_false(equal("\"a\"", "\"A\""));
	assert_true(equal("{\"a\":1,\"b\":[1,2]}", "{\"b\":[1,2],\"a\":1}"));
	assert_false(equal("{\"a\":1}", "{\"A\":1}"));
	assert_false(equal("{\"a\":1}", "{\"a\":1,\"b\":2}"));
	assert_false(equal("{\"a\":1,\"b\":2}", "{\"a\":1,\"b\":3}"));
	assert_false(equal("{\"a\":1,\"a\":2}", "{\"a\":2,\"a\":1}"));
	assert_false(equal("[1,2]", "[2,1]"));
	assert_false(equal("[1,2]", "[1,2,3]"));
	assert_false(equal("[1,2,3]", "[1,2]"));
	assert_true(equal("{}", "{}"));
	assert_true(equal("[]", "[]"));
	assert_false(equal("[]", "{}"));
	assert_true(json_equal(NULL, NULL));
}

static void type_names(void **state)
{
	static const char *const pairs[][2] = {
		{ "{}", "object" },	{ "[]", "array" },
		{ "1", "integer" },	{ "1.0", "integer" },
		{ "1.5", "number" },	{ "1e400", "number" },
		{ "\"\"", "string" },	{ "true", "boolean" },
		{ "false", "boolean" }, { "null", "null" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(pairs); i++) {
		CLEANUP(json_free_ptr) cJSON *v = parse(pairs[i][0]);

		assert_string_equal(json_type_name(v), pairs[i][1]);
	}
	assert_string_equal(json_type_name(NULL), "nothing");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good),
		cmocka_unit_test(mended),
		cmocka_unit_test(wanted),
		cmocka_unit_test(bad),
		cmocka_unit_test(cut),
		cmocka_unit_test(depth),
		cmocka_unit_test(prints),
		cmocka_unit_test(prints_made),
		cmocka_unit_test(prints_pretty),
		cmocka_unit_test(prints_cut),
		cmocka_unit_test(adds),
		cmocka_unit_test(lengths),
		cmocka_unit_test(oddities),
		cmocka_unit_test(minifies),
		cmocka_unit_test(members),
		cmocka_unit_test(fault_found),
		cmocka_unit_test(places),
		cmocka_unit_test(span_values),
		cmocka_unit_test(span_numbers),
		cmocka_unit_test(span_words),
		cmocka_unit_test(span_strings),
		cmocka_unit_test(span_opened),
		cmocka_unit_test(escaped_names),
		cmocka_unit_test(elements),
		cmocka_unit_test(spans_of_broken),
		cmocka_unit_test(reads),
		cmocka_unit_test(given),
		cmocka_unit_test(counts),
		cmocka_unit_test(has),
		cmocka_unit_test(compares),
		cmocka_unit_test(type_names),
	};

	mem_init();
	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
