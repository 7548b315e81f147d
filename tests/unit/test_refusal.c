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

/* In which order members are looked at, and what none of them is. */
static void members(void **state)
{
	(void)state;
	check("{\"message\":\"\",\"detail\":\" \\n\",\"error\":\"x\"}", "x");
	check("{\"message\":\"\",\"error\":{\"message\":\"y\"}}", "y");
	check("{\"msg\":\"5\",\"title\":\"4\",\"detail\":\"3\",\"message\":\"2\",\"error_description\":\"1\"}",
	      "1");
	check("{\"msg\":\"5\",\"title\":\"4\",\"detail\":\"3\",\"message\":\"2\"}",
	      "2");
	check("{\"msg\":\"5\",\"title\":\"4\",\"detail\":\"3\"}", "3");
	check("{\"msg\":\"5\",\"title\":\"4\"}", "4");
	check("{\"error\":\"6\",\"msg\":\"5\"}", "5");
	check("{\"error\":\"6\",\"msg\":5}", "6");
	check("{\"error\":{\"message\":\" two \\nlines\"}}", "two");
	check("{\"error\":{\"message\":7}}", NULL);
	check("{\"error\":[]}", NULL);
	check("{\"message\":\" \"}", NULL);
	check(" {\"detail\":\"d\"} ", "d");
	check("\"text\"", NULL);
	check("5", NULL);
}

static void pages(void **state)
{
	(void)state;
	check("<HTML><TITLE>404 Not Found</TITLE>", "Not Found");
	check("<title>0 9 Bad</title>", "Bad");
	check("<title>\n Two\nlines </title>", "Two");
	check("<title>503</title>", NULL);
	check("<title></title>", NULL);
	check("<title>never closed", "never closed");
	check("<title", NULL);
	check("text <title>x</title>", "text <title>x</title>");
	check("[broken", NULL);
	check("{broken", NULL);
	check("(whole", "(whole");
}

/* At the limit, one byte more, and not inside a letter. */
static void cut_lines(void **state)
{
	char text[REFUSAL_MAX + 4];

	(void)state;
	memset(text, 'x', sizeof(text));
	for (size_t len = REFUSAL_MAX - 1; len <= REFUSAL_MAX + 1; len++) {
		CLEANUP(mem_free_ptr) char *line = refusal_line(text, len);

		assert_int_equal(strlen(line),
				 len < REFUSAL_MAX ? len : REFUSAL_MAX);
	}
	memcpy(text + REFUSAL_MAX - 1, "\xc3\xa4", 3);
	{
		CLEANUP(mem_free_ptr)
		char *line = refusal_line(text, strlen(text));

		assert_int_equal(strlen(line), REFUSAL_MAX - 1);
	}
	assert_null(refusal_line("", 0));
	assert_null(refusal_line(" \n\n ", 4));
}

static void words_of_credentials(void **state)
{
	static const char *const known[] = {
		"认证",	      "鉴权",	    "未授权", "授权失败",
		"Token",      "AUTH",	    "令牌",   "Forbidden",
		"credential", "permission", "密码",   "password"
	};
	static const char *const others[] = { "", "unknown device", "授权",
					      "10 tokens, no password",
					      "Unexpected Token: auth" };

	(void)state;
	for (size_t i = 0; i < COUNT(known); i++) {
		CLEANUP(mem_free_ptr)
		char *words = mem_printf("the %s is it", known[i]);

		assert_true(refusal_is_credentials(words));
	}
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(refusal_is_credentials(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(are_cut),
		cmocka_unit_test(credentials),
		cmocka_unit_test(members),
		cmocka_unit_test(pages),
		cmocka_unit_test(cut_lines),
		cmocka_unit_test(words_of_credentials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
