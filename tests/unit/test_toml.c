/* SPDX-License-Identifier: MIT */
/* TOML and YAML as JSON, from literal texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "base/json.h"
#include "base/module.h"
#include "base/toml.h"
#include "base/yaml.h"

static struct error err;

static cJSON *read_as_yaml(const char *text)
{
	const struct yaml_table *yaml = module_table("yaml", YAML_TABLE, NULL);

	assert_non_null(yaml);
	return yaml->read(text, strlen(text), &err);
}

static void is_json(cJSON *tree, const char *json)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!tree)
		fail_msg("%s", err.text);
	json_print(&text, tree);
	assert_string_equal(buf_string(&text), json);
	cJSON_Delete(tree);
}

static void toml(const char *text, const char *json)
{
	is_json(toml_read(text, strlen(text), &err), json);
}

static void yaml(const char *text, const char *json)
{
	is_json(read_as_yaml(text), json);
}

static void refused(cJSON *tree, const char *why)
{
	assert_null(tree);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, why))
		fail_msg("'%s' does not say '%s'", err.text, why);
	error_reset(&err);
}

static void bad(const char *text, const char *why)
{
	refused(toml_read(text, strlen(text), &err), why);
}

static void test_tables(void **state)
{
	(void)state;
	toml("", "{}");
	toml("# only this", "{}");
	toml("a = 1\r\n[b.c]\r\nd = true # yes\r\n[b.\"x y\"]\ne = false",
	     "{\"a\":1,\"b\":{\"c\":{\"d\":true},\"x y\":{\"e\":false}}}");
	toml("a.b.'c' = 1\na.d = -2.5", "{\"a\":{\"b\":{\"c\":1},\"d\":-2.5}}");
	toml("[[a]]\nb=1\n[[a]]\nb=2\n[a.c]\nd=3",
	     "{\"a\":[{\"b\":1},{\"b\":2,\"c\":{\"d\":3}}]}");
	toml("a = { b = 'c', d.e = [1, [2, 3], ] }",
	     "{\"a\":{\"b\":\"c\",\"d\":{\"e\":[1,[2,3]]}}}");
	toml("a = [ # one\n 'x',\n\n 'y' # two\n]", "{\"a\":[\"x\",\"y\"]}");
}

static void test_values(void **state)
{
	(void)state;
	toml("a = \"\\t\\\"\\\\\\u00e9\\U0001F600\"",
	     "{\"a\":\"\\t\\\"\\\\\xc3\xa9\xf0\x9f\x98\x80\"}");
	toml("a = 'C:\\x'", "{\"a\":\"C:\\\\x\"}");
	toml("a = \"\"\"\nx\\\n   y \"\" z\"\"\"\"",
	     "{\"a\":\"xy \\\"\\\" z\\\"\"}");
	toml("a = '''\nx'y\n'''", "{\"a\":\"x'y\\n\"}");
	toml("a = 2026-11-23T10:00:00Z", "{\"a\":\"2026-11-23T10:00:00Z\"}");
	toml("a = 2026-11-23 10:00:00 # x", "{\"a\":\"2026-11-23 10:00:00\"}");
	toml("a = 0x1F\nb = 1_000\nc = inf\nd = 1e999",
	     "{\"a\":\"0x1F\",\"b\":\"1_000\",\"c\":\"inf\",\"d\":\"1e999\"}");
	toml("a = +inf\nb = nan\nc = 07:32:00\nd = -1",
	     "{\"a\":\"+inf\",\"b\":\"nan\",\"c\":\"07:32:00\",\"d\":-1}");
	toml("a = 2026-11-23 ", "{\"a\":\"2026-11-23\"}");
	toml("a = 2026-11-23 00:00", "{\"a\":\"2026-11-23 00:00\"}");
	toml("a = 2026-11-23 9", "{\"a\":\"2026-11-23 9\"}");
}

/* Each escape of a character, where its length in UTF-8 changes. */
static void test_characters(void **state)
{
	(void)state;
	toml("a = \"\\b\\n\\f\\r\"", "{\"a\":\"\\b\\n\\f\\r\"}");
	toml("a = \"\\u007e\\u0080\\u07ff\"", "{\"a\":\"~\xc2\x80\xdf\xbf\"}");
	toml("a = \"\\u0800\\uD7FF\\ue000\\uffff\"",
	     "{\"a\":\"\xe0\xa0\x80\xed\x9f\xbf\xee\x80\x80\xef\xbf\xbf\"}");
	toml("a = \"\\U00010000\\U0010fFFF\"",
	     "{\"a\":\"\xf0\x90\x80\x80\xf4\x8f\xbf\xbf\"}");
	toml("a = \"\\u00419\"", "{\"a\":\"A9\"}");
}

/* Texts of several lines: their ends, and what a backslash joins. */
static void test_lines(void **state)
{
	(void)state;
	toml("a = \"\"\"\r\nx\r\ny\"\"\"", "{\"a\":\"x\\r\\ny\"}");
	toml("a = \"\"\"x \\\r\n\t\n  y\\ \n z\"\"\"", "{\"a\":\"x yz\"}");
	toml("a = \"\"\"\"\"\"", "{\"a\":\"\"}");
	toml("a = \"\"", "{\"a\":\"\"}");
	toml("a = '''it''s'''''", "{\"a\":\"it''s''\"}");
	toml("a = \"\"\"x\\\"\"\"\"", "{\"a\":\"x\\\"\"}");
	toml("a-Z_9=1", "{\"a-Z_9\":1}");
	toml("azAZ09=1", "{\"azAZ09\":1}");
	toml("a = \"\"\"x\\\t\n y\"\"\"", "{\"a\":\"xy\"}");
	toml("a = { b = 1,\n c = 2,\n }", "{\"a\":{\"b\":1,\"c\":2}}");
	toml("\"\" = 1\nb = { }\n c = [ ]\n[ d . e ] # x",
	     "{\"\":1,\"b\":{},\"c\":[],\"d\":{\"e\":{}}}");
}

static void test_wrong_characters(void **state)
{
	(void)state;
	bad("a = \"\\u0000\"", "an escape in a text is no character");
	bad("a = \"\\udfff\"", "an escape in a text is no character");
	bad("a = \"\\U00110000\"", "an escape in a text is no character");
	bad("a = \"\\u00g1\"", "an escape in a text is no character");
	bad("a = \"\\u 1ab\"", "an escape in a text is no character");
	bad("a = \"\\u004", "an escape in a text is not complete");
	bad("a = \"\\", "a text does not end");
	/* Only a date has a blank in it. */
	bad("a = 2026-11-23 x", "something behind a value");
	bad("a = 20261-1-23 1", "something behind a value");
	bad("a = 2026-112-3 1", "something behind a value");
	bad("a = 2026-11-2 1", "something behind a value");
	bad("a = 2026-11-23 /", "something behind a value");
	bad("a = 2026-11-23 :", "something behind a value");
	bad("a = \"\\u0041", "a text does not end");
	bad("a = \"\\ x\"", "an escape in a text is not known");
	bad("a = \"\"\"\\q\"\"\"", "an escape in a text is not known");
	bad("@ = 1", "a key is missing");
	bad("` = 1", "a key is missing");
	bad("{ = 1", "a key is missing");
	bad("/ = 1", "a key is missing");
	bad(": = 1", "a key is missing");
	bad("a = 1\r b = 2", "something behind a value");
	bad("[a] b", "something behind a value");
	bad("a\r", "a '=' is missing");
	bad(" = 1", "a key is missing");
	bad("a. = 1", "a key is missing");
	bad("\"\"\"a\"\"\" = 1", "a key is missing");
	bad("'''a''' = 1", "a key is missing");
	bad("a =", "a value is missing");
	bad("a = # x", "a value is missing");
	bad("a = [,]", "a value is missing");
	bad("[[a]\nb=1", "a ']' is missing");
	bad("a = 1\n[[a]]", "a list of tables is none");
	bad("a = {b = 1, b = 2}", "a key stands there twice");
	bad("a = [1]\n[a]", "a value and for a table");
	bad("a = 1\na.b = 2", "a value and for a table");
}

/* Lines are counted, however they end and whatever stands in them. */
static void test_line_numbers(void **state)
{
	(void)state;
	bad("a = \"\"\"\nx\n\\\n\n  y\"\"\"\nb", "(line 6)");
	bad("a = '''\r\n\r\n'''\r\n\r\n# x\r\nb", "(line 6)");
	bad("a = [\n1,\n# x\n2,\n]\nb", "(line 6)");
	bad("a = \"\"\"\\\n    y\"\"\"\nb", "(line 3)");
}

/* "a.a.a" of so many parts, with what stands around it. */
static void nest(struct buf *out, int parts, const char *before,
		 const char *behind)
{
	buf_reset(out);
	buf_text(out, before);
	for (int i = 0; i < parts; i++)
		buf_text(out, i ? ".a" : "a");
	buf_text(out, behind);
}

static void fits(const struct buf *text)
{
	cJSON *tree = toml_read(text->data, text->len, &err);

	if (!tree)
		fail_msg("%s", err.text);
	cJSON_Delete(tree);
}

static void test_depth(void **state)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	(void)state;
	nest(&b, TOML_DEPTH_MAX, "", "=1");
	fits(&b);
	nest(&b, TOML_DEPTH_MAX + 1, "", "=1");
	bad(buf_string(&b), "it is nested too deep");
	nest(&b, TOML_DEPTH_MAX, "[", "]");
	fits(&b);
	nest(&b, TOML_DEPTH_MAX + 1, "[", "]");
	bad(buf_string(&b), "it is nested too deep");
	for (int more = 0; more < 2; more++) {
		buf_reset(&b);
		buf_text(&b, "a=");
		for (int i = 0; i < TOML_DEPTH_MAX + more; i++)
			buf_char(&b, '[');
		for (int i = 0; i < TOML_DEPTH_MAX + more; i++)
			buf_char(&b, ']');
		if (more)
			bad(buf_string(&b), "it is nested too deep");
		else
			fits(&b);
	}
	/* What stands beside each other is not deep. */
	buf_reset(&b);
	buf_text(&b, "a=[");
	for (int i = 0; i < TOML_DEPTH_MAX; i++)
		buf_text(&b, "[],");
	buf_text(&b, "]");
	fits(&b);
}

/* So many values and tables: each way to make one more is closed. */
static void test_too_many(void **state)
{
	static const char *const more[] = { ",1]", "]\nb=1", "]\n[b]",
					    "]\n[[b]]", "]\nb.c=1" };
	CLEANUP(buf_done) struct buf b = { 0 };
	size_t full;

	(void)state;
	/* The list is one of them. */
	buf_text(&b, "a=[1");
	for (int i = 2; i < TOML_NODES_MAX; i++)
		buf_text(&b, ",1");
	full = b.len;
	buf_text(&b, "]");
	fits(&b);
	for (size_t i = 0; i < COUNT(more); i++) {
		b.len = full;
		buf_text(&b, more[i]);
		bad(buf_string(&b), strstr(more[i], "[[") ?
					    "a list of tables is none" :
					    "it has too many values");
	}
}

static void test_refused(void **state)
{
	char deep[200];

	(void)state;
	bad("a = 1\na = 2", "a key stands there twice (line 2)");
	bad("a = x", "texts have quotes");
	bad("a", "a '=' is missing");
	bad("a = \"x", "a text does not end (line 1)");
	bad("a = 'x\ny'", "a text does not end");
	bad("a = \"\\q\"", "an escape in a text is not known");
	bad("a = \"\\ud800\"", "an escape in a text is no character");
	bad("[a\nb=1", "a ']' is missing");
	bad("a = [1, 2", "a list is not closed");
	bad("a = {b = 1", "an inline table is not closed");
	bad("a = 1 b = 2", "something behind a value");
	bad("a = 'x' b", "something behind a value");
	bad("a = 1\n[a]", "a value and for a table");
	bad("a = \xff", "it is not UTF-8");
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	memcpy(deep, "a=", 2);
	bad(deep, "it is nested too deep");
	refused(toml_read("a = 'x\0y'", 9, &err), "");
}

static void test_yaml(void **state)
{
	(void)state;
	yaml("", "null");
	yaml("a: 1\nb: [x, 'y', \"z\\n\"]\nc:\n  - d: true\n    e: null\n",
	     "{\"a\":\"1\",\"b\":[\"x\",\"y\",\"z\\n\"],\"c\":[{\"d\":true,\"e\":null}]}");
	yaml("a: 'true'\nb: |\n  x\n  y\n",
	     "{\"a\":\"true\",\"b\":\"x\\ny\\n\"}");
	refused(read_as_yaml("a: [b\nc: d"), "line");
	refused(read_as_yaml("a: &x 1\nb: *x"),
		"an alias (*) is not followed (line 2)");
	refused(read_as_yaml("[a]: b"), "a key is no text");
	refused(read_as_yaml("a: 1\n---\nb: 2"), "more than one document");
	refused(read_as_yaml("a: \"x\\0y\""), "a text has a NUL");
}

static void not_yaml(const char *text, const char *whole)
{
	assert_null(read_as_yaml(text));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, whole);
	error_reset(&err);
}

/* Plain words: which are no texts, and that all others are. */
static void plain_words(void **state)
{
	(void)state;
	yaml("[true, True, TRUE, tRUE, yes, on]",
	     "[true,true,true,\"tRUE\",\"yes\",\"on\"]");
	yaml("[false, False, FALSE, no, off]",
	     "[false,false,false,\"no\",\"off\"]");
	yaml("[null, Null, NULL, ~, nULL, 'null', \"~\", '']",
	     "[null,null,null,null,\"nULL\",\"null\",\"~\",\"\"]");
	yaml("a:\nb: \nc: {}\nd: []\n",
	     "{\"a\":null,\"b\":null,\"c\":{},\"d\":[]}");
	yaml("[0, 1.5, -1, 0x1f, .inf, 2024-01-01]",
	     "[\"0\",\"1.5\",\"-1\",\"0x1f\",\".inf\",\"2024-01-01\"]");
	yaml("word", "\"word\"");
	yaml("# nothing\n", "null");
	yaml("---\n...\n", "null");
	yaml("--- &here a\n...\n", "\"a\"");
	yaml("'true': x\n", "{\"true\":\"x\"}");
}

/* What it says, and in which line: the first is 1. */
static void lines_of_yaml(void **state)
{
	(void)state;
	not_yaml("*x", "an alias (*) is not followed (line 1)");
	not_yaml("a: 1\n\n[b]: c\n", "a key is no text (line 3)");
	not_yaml("true: 1\n", "a key is no text (line 1)");
	not_yaml("a: 1\n~: 2\n", "a key is no text (line 2)");
	not_yaml("a: 1\n\n---\nb: 2\n",
		 "there is more than one document (line 3)");
	not_yaml("a: 1\nb: [\"x\\0y\"]", "a text has a NUL (line 2)");
	not_yaml("a: 1\nb: [x\nc: d\n",
		 "did not find expected ',' or ']' (line 3)");
	not_yaml("a: b: c",
		 "mapping values are not allowed in this context (line 1)");
	not_yaml("a: 1\n...\n}", "did not find expected <document start> "
				 "(line 3)");
}

/* Bytes that are no characters of YAML are found before it has lines. */
static void bytes_that_are_no_yaml(void **state)
{
	(void)state;
	not_yaml("\xff", "invalid leading UTF-8 octet (line 1)");
	not_yaml("a: 1\n\xff", "invalid leading UTF-8 octet (line 2)");
	not_yaml("a: 1\nb: 2\nc: \xff\nd: 3\n",
		 "invalid leading UTF-8 octet (line 3)");
	not_yaml("a: 1\nb: \x01\nc: 2\n",
		 "control characters are not allowed (line 2)");
	not_yaml("a: 1\nb: \xc3", "incomplete UTF-8 octet sequence (line 2)");
}

static cJSON *nested_yaml(size_t depth, const char *inside)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < depth; i++)
		buf_char(&text, '[');
	buf_text(&text, inside);
	for (size_t i = 0; i < depth; i++)
		buf_char(&text, ']');
	return read_as_yaml(buf_string(&text));
}

static void depth_of_yaml(void **state)
{
	cJSON *tree = nested_yaml(50, "");

	(void)state;
	assert_non_null(tree);
	cJSON_Delete(tree);
	tree = nested_yaml(49, "a");
	assert_non_null(tree);
	cJSON_Delete(tree);
	assert_null(nested_yaml(51, ""));
	assert_string_equal(err.text, "it is nested too deep (line 1)");
	assert_null(nested_yaml(50, "a"));
	assert_string_equal(err.text, "it is nested too deep (line 1)");
	/* Side by side is not deep. */
	yaml("[[a],[b],{c: [d]}]", "[[\"a\"],[\"b\"],{\"c\":[\"d\"]}]");
	error_reset(&err);
}

/* The list is a value, too, and so is each key. */
static cJSON *many_of_yaml(size_t count)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < count; i++)
		buf_text(&text, "- a\n");
	return read_as_yaml(buf_string(&text));
}

static void values_of_yaml(void **state)
{
	cJSON *tree = many_of_yaml(19999);

	(void)state;
	assert_int_equal(cJSON_GetArraySize(tree), 19999);
	cJSON_Delete(tree);
	assert_null(many_of_yaml(20000));
	assert_string_equal(err.text, "it has too many values (line 20000)");
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_characters),
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_wrong_characters),
		cmocka_unit_test(test_line_numbers),
		cmocka_unit_test(test_depth),
		cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_yaml),
		cmocka_unit_test(plain_words),
		cmocka_unit_test(lines_of_yaml),
		cmocka_unit_test(bytes_that_are_no_yaml),
		cmocka_unit_test(depth_of_yaml),
		cmocka_unit_test(values_of_yaml),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
