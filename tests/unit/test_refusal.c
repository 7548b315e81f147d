/* SPDX-License-Identifier: MIT */
/* What a peer says for a no, from literal bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "wire/refusal.h"

static void check(const char *text, const char *wanted)
{
	CLEANUP(mem_free_ptr) char *words = refusal_words(text, strlen(text));

	if (wanted)
		assert_string_equal(words, wanted);
	else
		assert_null(words);
}

static void words(void **state)
{
	(void)state;
	check("认证失败", "认证失败");
	check("\r\n  no such device \nmore", "no such device");
	check("{\"type\":\"error\",\"message\":\"\\u8ba4\\u8bc1\"}", "认证");
	check("{\"error\":\"Device ID is required\"}", "Device ID is required");
	check("{\"error\":{\"code\":1,\"message\":\"no\"}}", "no");
	check("{\"error\":\"invalid\",\"error_description\":\"expired\"}",
	      "expired");
	check("{\"code\":500,\"msg\":\"busy\",\"data\":null}", "busy");
	check("<html><head><title>502 Bad Gateway</title></head>",
	      "Bad Gateway");
	check("<h1>x</h1>", NULL);
	check("", NULL);
	check(" \n", NULL);
	check("{\"websocket\":{}}", NULL);
	check("[\"message\"]", NULL);
	check("{\"message\":5}", NULL);
	check("{\"token\":", NULL);
	check("\xff\xfe", NULL);
}

static void are_cut(void **state)
{
	char many[1000];
	CLEANUP(mem_free_ptr) char *cut = NULL;

	(void)state;
	memset(many, 'x', sizeof(many));
	cut = refusal_words(many, sizeof(many));
	assert_int_equal(strlen(cut), REFUSAL_MAX);
}

static void credentials(void **state)
{
	(void)state;
	assert_true(refusal_is_credentials("认证失败"));
	assert_true(refusal_is_credentials("Unauthorized"));
	assert_true(refusal_is_credentials("invalid token"));
	assert_false(refusal_is_credentials("busy"));
	assert_false(refusal_is_credentials(
		"Unexpected token < in JSON at position 0"));
	assert_false(refusal_is_credentials("max tokens exceeded"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(are_cut),
		cmocka_unit_test(credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
