/* SPDX-License-Identifier: MIT */
/* The value of a tool's result, from the bytes of replies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "mcp/content.h"
#include "mcp/result_value.h"

#define REPLY(result) "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":" result "}"
#define TEXT(json) "{\"type\":\"text\",\"text\":" json "}"

static void is(const char *reply, const char *expected)
{
	struct message m = { 0 };
	struct result result = { 0 };
	struct buf value = { 0 };

	assert_int_equal(message_decode(&m, reply, strlen(reply), NULL), 0);
	result_decode_take(&result, &m);
	result_value(&value, &result);
	assert_string_equal(buf_string(&value), expected);
	buf_done(&value);
	result_done(&result);
	message_done(&m);
}

static void test_value(void **state)
{
	(void)state;
	is(REPLY("{\"content\":[" TEXT("\"{\\\"a\\\": 1}\"") "]}"),
	   "{\"a\":1}");
	is(REPLY("{\"content\":[" TEXT("\"true\"") "]}"), "true");
	is(REPLY("{\"content\":[" TEXT("\"a {\"") "]}"), "\"a {\"");
	/* Digits stay; of two the structured one counts, but null is none. */
	is(REPLY("{\"content\":[" TEXT(
		   "\"1\"") "],\"structuredContent\":{\"n\": 12345678901234567890}}"),
	   "{\"n\":12345678901234567890}");
	is(REPLY("{\"content\":[" TEXT(
		   "\"1\"") "],\"structuredContent\":null}"),
	   "1");
	/* An image beside the only text does not matter. */
	is(REPLY("{\"content\":[" TEXT(
		   "\"7\"") ",{\"type\":\"image\",\"data\":\"\",\"mimeType\":\"a/b\"}]}"),
	   "7");
}

static void test_no_single_one(void **state)
{
	(void)state;
	is(REPLY("{\"content\": []}"), "{\"content\":[]}");
	is(REPLY("{\"content\":[" TEXT("\"1\"") "," TEXT("\"2\"") "]}"),
	   "{\"content\":[" TEXT("\"1\"") "," TEXT("\"2\"") "]}");
	is(REPLY("7"), "7");
	is("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"message\":\"x\"}}",
	   "null");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_value),
		cmocka_unit_test(test_no_single_one),
	};

	return cmocka_run_group_tests_name("result_value", tests, NULL, NULL);
}
