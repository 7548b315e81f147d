/* SPDX-License-Identifier: MIT */
/* expect_contains: what is contained, and how a difference is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "cli/expect.h"
#include "mcp/content.h"

/* difference NULL: it is contained. */
static void expect(const char *actual_text, const char *expected_text,
		   const char *difference)
{
	cJSON *actual = json_parse(actual_text, strlen(actual_text), NULL);
	cJSON *expected =
		json_parse(expected_text, strlen(expected_text), NULL);
	struct buf words = { 0 };

	assert_non_null(actual);
	assert_non_null(expected);
	buf_text(&words, "of before");
	assert_int_equal(expect_contains(actual, expected, &words),
			 difference == NULL);
	assert_string_equal(buf_string(&words), difference ? difference : "");
	buf_done(&words);
	cJSON_Delete(actual);
	cJSON_Delete(expected);
}

static void objects_are_subsets(void **state)
{
	(void)state;
	expect("{\"a\":1,\"b\":{\"c\":2,\"d\":3}}", "{\"b\":{\"d\":3}}", NULL);
	expect("{\"a\":1}", "{}", NULL);
	expect("{\"a\":1}", "{\"a\":1.0}", NULL);
	expect("{\"a\":1}", "{\"a\":2}", "a is 1, expected 2");
	expect("{\"a\":{}}", "{\"a\":{\"b\":null}}",
	       "a.b is missing, expected null");
	expect("{\"A\":1}", "{\"a\":1}", "a is missing, expected 1");
	expect("{\"a\":null}", "{\"a\":false}", "a is null, expected false");
	expect("{\"a\":[]}", "{\"a\":{}}", "a is [], expected {}");
	expect("1", "2", "the result is 1, expected 2");
}

static void arrays_element_by_element(void **state)
{
	(void)state;
	expect("[1,{\"a\":2,\"b\":3}]", "[1,{\"a\":2}]", NULL);
	expect("{\"c\":[1,2]}", "{\"c\":[1,3]}", "c[1] is 2, expected 3");
	expect("{\"c\":[1,2]}", "{\"c\":[1]}", "c has 2 items, expected 1");
	expect("{\"c\":[1]}", "{\"c\":[1,2]}", "c has 1 item, expected 2");
	expect("[]", "[]", NULL);
	expect("[[1],[2]]", "[[1],[3]]", "[1][0] is 2, expected 3");
	/* The path of what fitted is gone again. */
	expect("{\"a\":[{\"x\":[1]}],\"b\":2}", "{\"a\":[{\"x\":[1]}],\"b\":3}",
	       "b is 2, expected 3");
}

static void text_that_is_json(void **state)
{
	static const char actual[] =
		"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"volume\\\": "
		"70, \\\"on\\\":true}\"}]}";

	(void)state;
	expect(actual, "{\"content\":[{\"text\":{\"volume\":70}}]}", NULL);
	expect(actual, "{\"content\":[{\"text\":\"{\\\"on\\\":true}\"}]}",
	       NULL);
	expect(actual, "{\"content\":[{\"text\":{\"volume\":80}}]}",
	       "content[0].text.volume is 70, expected 80");
	expect("\"true\"", "true", NULL);
	expect("\"true\"", "\"true\"", NULL);
	expect("\"5\"", "5", NULL);
	expect("\"5.0\"", "\"5\"", NULL);
	expect("\"5\"", "\"6\"", "the result is 5, expected 6");
	expect("\"loud\"", "\"quiet\"",
	       "the result is \"loud\", expected \"quiet\"");
	expect("\"loud\"", "5", "the result is \"loud\", expected 5");
	expect("5", "\"5\"", "the result is 5, expected \"5\"");
	expect("\"\"", "\"\"", NULL);
	/* Text inside text: unpacked once, then compared as it stands. */
	expect("\"\\\"a\\\"\"", "\"a\"",
	       "the result is \"\\\"a\\\"\", expected \"a\"");
	expect("\"\\\"a\\\"\"", "\"\\\"a\\\"\"", NULL);
	expect("\" \\\"a\\\" \"", "\"\\\"a\\\"\"", NULL);
}

static void long_values_are_cut(void **state)
{
	cJSON *actual = cJSON_CreateObject();
	cJSON *expected = cJSON_CreateObject();
	struct buf text = { 0 }, words = { 0 };

	(void)state;
	for (int i = 0; i < 300; i++)
		buf_text(&text, "é");
	cJSON_AddStringToObject(actual, "a", buf_string(&text));
	cJSON_AddStringToObject(expected, "a", "b");
	assert_false(expect_contains(actual, expected, &words));
	assert_true(words.len < 250);
	assert_non_null(strstr(buf_string(&words), "é…, expected \"b\""));
	cJSON_Delete(actual);
	cJSON_Delete(expected);
	buf_done(&text);
	buf_done(&words);
}

/* ---- of whole results ---- */

static struct app app;
static struct error err;

static struct result result_of(const char *text)
{
	struct result out;
	struct message m;
	CLEANUP(mem_free_ptr)
	char *all = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":%s}",
			       text);

	assert_int_equal(message_decode(&m, all, strlen(all), NULL), 0);
	result_decode_take(&out, &m);
	return out;
}

/* difference NULL: it is met. */
static void whole(const char *text, const char *expected,
		  const char *difference)
{
	CLEANUP(result_done) struct result result = result_of(text);
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(expected, strlen(expected), NULL);
	CLEANUP(buf_done) struct buf words = { 0 };

	assert_non_null(tree);
	assert_int_equal(expect_met(&result, tree, &words), !difference);
	assert_string_equal(buf_string(&words), difference ? difference : "");
}

#define TEXT(text) "{\"type\":\"text\",\"text\":" text "}"

/* Where it is looked for; the first difference is told. */
static void anywhere(void **state)
{
	static const char texts[] =
		"{\"content\":[" TEXT("\"1\"") "," TEXT("\"2\"") "]}";
	static const char both[] = "{\"content\":[" TEXT(
		"\"{\\\"a\\\":1}\"") "],\"structuredContent\":{\"a\":2,\"s\":0}}";

	(void)state;
	whole(texts, "1", NULL);
	whole(texts, "2", NULL);
	whole(texts, "3", "the result is 1, expected 3");
	whole(both, "{\"a\":1}", NULL);
	whole(both, "{\"a\":2}", NULL);
	whole(both, "{\"a\":3}", "a is 1, expected 3");
	whole("{\"content\":[],\"structuredContent\":{\"a\":2}}", "{\"a\":3}",
	      "a is 2, expected 3");
	whole("{\"content\":[],\"x\":5}", "{\"x\":5}", NULL);
	whole("{\"content\":[],\"x\":5}", "{\"x\":6}", "x is 5, expected 6");
	/* What is no text is none, whatever it has. */
	whole("{\"content\":[{\"type\":\"image\",\"text\":\"7\"}]}", "7",
	      "the result is {\"content\":[{\"type\":\"image\",\"text\":\"7\"}]}, expected 7");
	/* These three mean the whole. */
	whole("{\"structuredContent\":{\"content\":1}}", "{\"content\":1}",
	      "content is missing, expected 1");
	whole("{\"structuredContent\":{\"isError\":1}}", "{\"isError\":1}",
	      "isError is missing, expected 1");
	whole("{\"content\":[" TEXT("\"{\\\"structuredContent\\\":1}\"") "]}",
	      "{\"structuredContent\":1}",
	      "structuredContent is missing, expected 1");
}

/* ---- both options ---- */

static int open_both(struct expectation *e, const char *json, const char *asked)
{
	error_reset(&err);
	return expectation_open(e, &app, json, asked, &err);
}

static void not_opened(const char *json, const char *asked, const char *text)
{
	struct expectation e;

	assert_int_equal(open_both(&e, json, asked), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (strncmp(err.text, text, strlen(text)) != 0)
		fail_msg("'%s' does not begin with '%s'", err.text, text);
	expectation_done(&e);
	assert_null(e.json);
	assert_null(e.query);
}

static void opened(void **state)
{
	struct expectation e;

	(void)state;
	assert_int_equal(open_both(&e, NULL, NULL), 0);
	assert_null(e.json);
	assert_null(e.query);
	assert_int_equal(e.timeout, 10000);
	expectation_done(&e);
	not_opened("{", NULL, "--expect is no JSON: ");
	not_opened("@/nonexistent", NULL, "cannot open '/nonexistent': ");
	not_opened(NULL, ".a |", "--expect-jq: ");
	not_opened("1", ".a |", "--expect-jq: ");
}

/* detail NULL: it is met. */
static void checked(const char *json, const char *asked, const char *detail)
{
	CLEANUP(result_done)
	struct result result = result_of("{\"content\":[" TEXT(
		"\"{\\\"a\\\": 1}\"") "],\"isError\":false}");
	CLEANUP(expectation_done) struct expectation e = { 0 };

	assert_int_equal(open_both(&e, json, asked), 0);
	assert_int_equal(expectation_check(&e, &result, &err), detail ? -1 : 0);
	if (!detail)
		return;
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(err.text, "the result is not as expected");
	assert_string_equal(err.detail, detail);
}

static void both_must_hold(void **state)
{
	(void)state;
	checked(NULL, NULL, NULL);
	checked("{\"a\":1}", NULL, NULL);
	checked("{\"a\":1}", ".a == 1", NULL);
	checked("{\"a\":2}", ".a == 1", "a is 1, expected 2");
	checked("{\"a\":1}", ".a == 2",
		".a == 2 gives false; the value is {\"a\":1}");
	checked(NULL, ".b", ".b gives null; the value is {\"a\":1}");
	checked(NULL, "empty", "empty gives nothing; the value is {\"a\":1}");
	checked(NULL, "true, false",
		"true, false gives false; the value is {\"a\":1}");
	checked(NULL, "false, 0", NULL);
	checked(NULL, "$line.isError == false", NULL);
}

static void of_a_reply(void **state)
{
	static char text[] = "{\"id\":1,\"result\":{ \"b\" : [ 1 ] }}";
	const struct message reply = { .text = text, .len = sizeof(text) - 1 };
	CLEANUP(expectation_done) struct expectation e = { 0 };

	(void)state;
	assert_int_equal(expectation_check_reply(&e, &reply, &err), 0);
	assert_int_equal(open_both(&e, NULL, ".b[0] == 1"), 0);
	assert_int_equal(expectation_check_reply(&e, &reply, &err), 0);
	expectation_done(&e);
	assert_int_equal(open_both(&e, NULL, ".b == 1"), 0);
	assert_int_equal(expectation_check_reply(&e, &reply, &err), -1);
	assert_int_equal(err.kind, ERR_UNMET);
	assert_string_equal(err.detail,
			    ".b == 1 gives false; the value is {\"b\":[1]}");
}

/* A value of so many bytes is shown whole, one more is cut. */
static void long_values_in_messages(void **state)
{
	(void)state;
	for (size_t len = 1000; len <= 1001; len++) {
		CLEANUP(mem_free_ptr) char *asked = mem_zalloc(len + 1);
		CLEANUP(mem_free_ptr) char *says = NULL;

		memset(asked, ' ', len);
		memcpy(asked, ".b", 2);
		says = mem_printf(
			"%.1000s%s gives null; the value is {\"a\":1}", asked,
			len > 1000 ? "…" : "");
		checked(NULL, asked, says);
	}
}

static void failed_row(void **state)
{
	CLEANUP(error_reset) struct error row = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	(void)state;
	error_set(&why, ERR_TIMEOUT, "it took too long");
	expectation_fail(&row, &why);
	assert_int_equal(row.kind, ERR_TIMEOUT);
	assert_string_equal(row.text, "it took too long");
	error_set(&why, ERR_UNMET, "no");
	error_detail(&why, "a is 1", 6);
	expectation_fail(&row, &why);
	assert_int_equal(row.kind, ERR_UNMET);
	assert_string_equal(row.text, "not as expected: a is 1");
}

static int clean(void **state)
{
	(void)state;
	error_reset(&err);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_subsets),
		cmocka_unit_test(arrays_element_by_element),
		cmocka_unit_test(text_that_is_json),
		cmocka_unit_test(long_values_are_cut),
		cmocka_unit_test(anywhere),
		cmocka_unit_test(opened),
		cmocka_unit_test(both_must_hold),
		cmocka_unit_test(of_a_reply),
		cmocka_unit_test(long_values_in_messages),
		cmocka_unit_test(failed_row),
	};

	mem_init();
	return cmocka_run_group_tests_name("expect", tests, NULL, clean);
}
