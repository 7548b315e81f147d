/* SPDX-License-Identifier: MIT */
/*
 * Secrets do not come through; everything else does, byte for byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "out/mask.h"

static void assert_masked(const char *text, const char *expected)
{
	struct buf b = { 0 };
	mask_secrets(&b, text, strlen(text));
	assert_string_equal(buf_string(&b), expected);
	buf_done(&b);
}

static void test_members(void **state)
{
	(void)state;
	assert_masked("{\"vision\":{\"url\":\"http://h/\",\"token\":\"abc\"}}",
		      "{\"vision\":{\"url\":\"http://h/\",\"token\":\"***\"}}");
	assert_masked("{\"Token\" : \"a\\\"b\", \"x\":1}",
		      "{\"Token\" : \"***\", \"x\":1}");
	assert_masked("{\"password\":\"p\",\"api_key\":\"k\"}",
		      "{\"password\":\"***\",\"api_key\":\"***\"}");
	assert_masked("{\"token\":\"\"}", "{\"token\":\"\"}");
	assert_masked("{\"token\":5,\"tokens\":\"3\"}",
		      "{\"token\":5,\"tokens\":\"3\"}");
}

static void test_escaped_members(void **state)
{
	(void)state;
	assert_masked("{\"text\":\"{\\\"token\\\":\\\"abc\\\",\\\"n\\\":1}\"}",
		      "{\"text\":\"{\\\"token\\\":\\\"***\\\",\\\"n\\\":1}\"}");
}

static void test_headers_and_urls(void **state)
{
	(void)state;
	assert_masked("Authorization: Bearer abc.def\r\nHost: h",
		      "Authorization: Bearer ***\r\nHost: h");
	assert_masked("GET /x?token=abc&v=1 HTTP", "GET /x?token=***&v=1 HTTP");
	assert_masked("ws://h/?authorization=Bearer",
		      "ws://h/?authorization=***");
}

static void test_broken_json(void **state)
{
	(void)state;
	assert_masked("{\"token\":\"cut of", "{\"token\":\"***");
	assert_masked("{\"token\":", "{\"token\":");
	assert_masked("{\"token", "{\"token");
	assert_masked("\"", "\"");
	assert_masked("\\\\\\", "\\\\\\");
	assert_masked("", "");
}

static void test_nothing_to_hide(void **state)
{
	static const char bytes[] = "a\0b\"c\\\"Basic things, tokens";
	struct buf b = { 0 };
	(void)state;
	mask_secrets(&b, bytes, sizeof(bytes) - 1);
	assert_int_equal(b.len, sizeof(bytes) - 1);
	assert_memory_equal(b.data, bytes, b.len);
	buf_done(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_members),
		cmocka_unit_test(test_escaped_members),
		cmocka_unit_test(test_headers_and_urls),
		cmocka_unit_test(test_broken_json),
		cmocka_unit_test(test_nothing_to_hide),
	};
	return cmocka_run_group_tests_name("mask", tests, NULL, NULL);
}
