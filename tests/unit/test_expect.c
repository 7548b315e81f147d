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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_subsets),
		cmocka_unit_test(arrays_element_by_element),
		cmocka_unit_test(text_that_is_json),
		cmocka_unit_test(long_values_are_cut),
	};

	mem_init();
	return cmocka_run_group_tests_name("expect", tests, NULL, NULL);
}
