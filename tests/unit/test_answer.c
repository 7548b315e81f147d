/* SPDX-License-Identifier: MIT */
/* What the judges of HTTP answers share: lengths, pages, codes, words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "diag/answer.h"

/* 8,000 bytes passed, and 8,300 hung a board (device.md 5.4 item 6). */
static void test_lengths(void **state)
{
	static const struct {
		size_t len;
		int64_t declared;
		bool more;
		const char *words; /* NULL: it is none too long */
	} rows[] = {
		{ 8000, -1, false, NULL },
		{ 8000, -1, true, NULL },
		{ 8001, -1, false,
		  "8001 bytes; 8000 were seen to pass, 8300 to hang" },
		{ 8001, -1, true,
		  "8001 bytes or more; 8000 were seen to pass, 8300 to hang" },
		{ 100, 8000, false, NULL },
		/* What it says of itself is no guess. */
		{ 100, 8001, true,
		  "8001 bytes; 8000 were seen to pass, 8300 to hang" },
		{ 9000, 9000, true,
		  "9000 bytes or more; 8000 were seen to pass, 8300 to hang" },
		{ 9000, 10, false,
		  "9000 bytes; 8000 were seen to pass, 8300 to hang" },
		{ 0, 0, false, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char words[ANSWER_SIZE_WORDS] = "";

		if (answer_hangs(rows[i].len, rows[i].declared, rows[i].more,
				 words) != (rows[i].words != NULL))
			fail_msg("row %zu", i);
		if (rows[i].words)
			assert_string_equal(words, rows[i].words);
	}
}

static void test_pages(void **state)
{
	static const struct {
		const char *type, *body;
		bool is;
	} rows[] = {
		{ "text/html", "{}", true },
		{ "Text/HTML; charset=utf-8", "", true },
		{ "application/json", "{}", false },
		{ NULL, "", false },
		{ NULL, "<!DOCTYPE html>", true },
		{ NULL, " \r\n\t<html lang=en>", true },
		{ "text/plain", "<head>", true },
		{ NULL, "<Title>x", true },
		{ NULL, "<body", true },
		{ NULL, "<?xml?>", false },
		{ NULL, "<!doctype xml>", false },
		{ NULL, "x<html>", false },
		{ NULL, "<htm", false },
		{ NULL, "<b>a cat</b>", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (answer_is_page(rows[i].type, rows[i].body,
				   strlen(rows[i].body)) != rows[i].is)
			fail_msg("row %zu", i);
	}
	/* Not a byte behind its length. */
	assert_false(answer_is_page(NULL, "<html>", 4));
	assert_true(answer_is_page(NULL, "<html>", 5));
}

static void test_codes(void **state)
{
	static const struct {
		const char *body, *at; /* at NULL: it is none */
	} rows[] = {
		{ "{\"code\":400}", "400" },
		{ "{\"code\":399}", NULL },
		{ "{\"code\":0}", NULL },
		{ "{\"code\":-500}", NULL },
		{ "{\"msg\":\"x\",\"code\" : 2147483647}", "2147483647" },
		{ "{\"code\":2147483648}", NULL },
		{ "{\"code\":\"500\"}", NULL },
		{ "{\"code\":500.5}", NULL },
		{ "{\"code\":null}", NULL },
		{ "{\"Code\":500}", NULL },
		{ "{\"a\":{\"code\":500}}", NULL },
		{ "[500]", NULL },
	};
	struct span at;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct span body = { rows[i].body, strlen(rows[i].body) };

		at = (struct span){ 0 };
		if (answer_code_fails(body, &at) != (rows[i].at != NULL))
			fail_msg("%s", rows[i].body);
		if (!rows[i].at) {
			assert_null(at.text);
			continue;
		}
		assert_int_equal(at.len, strlen(rows[i].at));
		assert_memory_equal(at.text, rows[i].at, at.len);
	}
	assert_false(answer_code_fails((struct span){ 0 }, &at));
}

static void test_words(void **state)
{
	char out[ANSWER_WORDS], body[200], wanted[100] = ": ";

	(void)state;
	assert_string_equal(answer_words("", 0, out), "");
	assert_string_equal(answer_words("{}", 2, out), "");
	assert_string_equal(answer_words("{\"msg\":\"no room\"}", 17, out),
			    ": no room");
	assert_string_equal(answer_words("no room\nat all", 14, out),
			    ": no room");
	/* 81 bytes of them, and no half character. */
	memset(body, 'x', sizeof(body));
	memset(wanted + 2, 'x', 81);
	assert_string_equal(answer_words(body, 81, out), wanted);
	assert_string_equal(answer_words(body, 82, out), wanted);
	memcpy(body + 80, "é", 2);
	wanted[82] = '\0';
	assert_string_equal(answer_words(body, 100, out), wanted);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lengths),
		cmocka_unit_test(test_pages),
		cmocka_unit_test(test_codes),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("answer", tests, NULL, NULL);
}
