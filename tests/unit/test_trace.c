/* SPDX-License-Identifier: MIT */
/*
 * Lines of --trace: their form, masked secrets, bytes that are no text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/json_scan.h"
#include "cli/trace.h"

static char *line_of(const struct trace *t)
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	trace_write(out, t);
	assert_int_equal(fclose(out), 0);
	/* Each is one JSON value and one line. */
	assert_int_equal(json_check(text, len, NULL), 0);
	assert_ptr_equal(strchr(text, '\n'), text + len - 1);
	return text;
}

static void is(const struct trace *t, const char *expected)
{
	char *text = line_of(t);

	assert_string_equal(text, expected);
	free(text);
}

static void test_form(void **state)
{
	const struct trace in = { .at_us = 1500,
				  .kind = "text",
				  .data = "{\"a\":\"\xc3\xa9\n\"}",
				  .len = 11 };
	const struct trace out = { .at_us = 0,
				   .outgoing = true,
				   .kind = "closed" };
	const struct trace audio = {
		.at_us = 7, .kind = "binary", .data = "A\0\xff", .len = 3
	};
	const struct trace bad = { .kind = "text", .data = "\xff!", .len = 2 };
	const struct trace nul = { .kind = "text", .data = "a\0b", .len = 3 };

	(void)state;
	is(&in, "{\"t\":1500,\"dir\":\"in\",\"kind\":\"text\",\"size\":11,"
		"\"text\":\"{\\\"a\\\":\\\"\xc3\xa9\\n\\\"}\"}\n");
	is(&out, "{\"t\":0,\"dir\":\"out\",\"kind\":\"closed\",\"size\":0,"
		 "\"text\":\"\"}\n");
	is(&audio, "{\"t\":7,\"dir\":\"in\",\"kind\":\"binary\",\"size\":3,"
		   "\"hex\":\"4100ff\"}\n");
	is(&bad, "{\"t\":0,\"dir\":\"in\",\"kind\":\"text\",\"size\":2,"
		 "\"hex\":\"ff21\"}\n");
	is(&nul, "{\"t\":0,\"dir\":\"in\",\"kind\":\"text\",\"size\":3,"
		 "\"hex\":\"610062\"}\n");
}

static void test_secrets(void **state)
{
	static const char frame[] =
		"{\"capabilities\":{\"vision\":{\"url\":\"http://h/\","
		"\"token\":\"hush-hush\"}}}";
	const struct trace t = { .kind = "text",
				 .data = frame,
				 .len = sizeof(frame) - 1 };
	char *text = line_of(&t);

	(void)state;
	assert_null(strstr(text, "hush"));
	assert_non_null(strstr(text, "http://h/"));
	/* The size is that of the frame, not of what is left of it. */
	char size[32];
	snprintf(size, sizeof(size), "\"size\":%zu,", sizeof(frame) - 1);
	assert_non_null(strstr(text, size));
	free(text);
}

static void test_files(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_null(trace_open("/dev/null/trace", &err));
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "/dev/null/trace"));
	assert_int_equal(trace_close(NULL, NULL, &err), 0);

	const struct trace t = { .kind = "text", .data = "x", .len = 1 };
	FILE *full = trace_open("/dev/full", &err);

	assert_non_null(full);
	trace_write(full, &t);
	assert_int_equal(trace_close(full, "/dev/full", &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_form),
		cmocka_unit_test(test_secrets),
		cmocka_unit_test(test_files),
	};

	return cmocka_run_group_tests_name("trace", tests, NULL, NULL);
}
