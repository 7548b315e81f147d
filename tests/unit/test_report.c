/* SPDX-License-Identifier: MIT */
/*
 * JUnit XML and TAP, with texts that would break them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "out/report.h"

static void add(struct report *r, const char *name, const struct error *failure,
		const char *skipped)
{
	const struct report_case c = { .source = "smoke.txt",
				       .line = 3,
				       .name = name,
				       .took_us = 1234567,
				       .failure = failure,
				       .skipped = skipped };
	report_add(r, &c);
}

/* A good one, one that failed, one that could not be tried, one left out. */
static char *report_of(const char *spec, const char *name)
{
	CLEANUP(error_reset) struct error failure = { 0 };
	CLEANUP(error_reset) struct error lost = { 0 };
	struct report *r = NULL;
	char *text = NULL;
	size_t len = 0;
	assert_int_equal(report_open(&r, spec, "a & b", NULL), 0);
	error_set(&failure, ERR_UNMET, "5 is not <6> \"x\"");
	error_hint(&failure, "look");
	error_finding(&failure, "N102");
	error_detail(&failure, "l1\nl2\x1b", 6);
	error_set(&lost, ERR_CONNECT, "gone");
	add(r, "ping", NULL, NULL);
	add(r, name, &failure, NULL);
	add(r, "info", &lost, NULL);
	add(r, "tools", NULL, "an earlier # failed");
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	report_write(r, f);
	fclose(f);
	assert_int_equal(report_close(r, NULL), 0);
	return text;
}

static void test_junit(void **state)
{
	char *text = report_of("junit:/dev/null", "call <a> '\x01&'");
	(void)state;
	assert_string_equal(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"a &amp; b\" tests=\"4\" failures=\"1\" "
		"errors=\"1\" skipped=\"1\" time=\"4.938\">\n"
		"\t<testcase classname=\"smoke.txt\" name=\"ping\" "
		"time=\"1.234\"/>\n"
		"\t<testcase classname=\"smoke.txt\" name=\"call "
		"&lt;a&gt; '\\x01&amp;'\" time=\"1.234\">\n"
		"\t\t<failure type=\"unmet\" message=\"5 is not &lt;6&gt; "
		"&quot;x&quot;\">5 is not &lt;6&gt; &quot;x&quot;\n"
		"l1&#10;l2\\x1b\nhint: look\nat smoke.txt:3</failure>\n"
		"\t</testcase>\n"
		"\t<testcase classname=\"smoke.txt\" name=\"info\" "
		"time=\"1.234\">\n"
		"\t\t<error type=\"connect\" message=\"gone\">gone\n"
		"at smoke.txt:3</error>\n"
		"\t</testcase>\n"
		"\t<testcase classname=\"smoke.txt\" name=\"tools\" "
		"time=\"1.234\">\n"
		"\t\t<skipped message=\"an earlier # failed\"/>\n"
		"\t</testcase>\n"
		"</testsuite>\n");
	free(text);
}

static void test_tap(void **state)
{
	char *text = report_of("tap:/dev/null", "call a#b\nok 2");
	(void)state;
	assert_string_equal(text,
			    "TAP version 13\n"
			    "1..4\n"
			    "ok 1 - ping # time=1234ms\n"
			    "not ok 2 - call a\\#b\\nok 2 # time=1234ms\n"
			    "  ---\n"
			    "  at: \"smoke.txt:3\"\n"
			    "  message: \"5 is not <6> \\\"x\\\"\"\n"
			    "  kind: \"unmet\"\n"
			    "  status: 7\n"
			    "  finding: \"N102\"\n"
			    "  hint: \"look\"\n"
			    "  detail: \"l1\\nl2\\\\x1b\"\n"
			    "  ...\n"
			    "not ok 3 - info # time=1234ms\n"
			    "  ---\n"
			    "  at: \"smoke.txt:3\"\n"
			    "  message: \"gone\"\n"
			    "  kind: \"connect\"\n"
			    "  status: 3\n"
			    "  ...\n"
			    "ok 4 - tools # SKIP an earlier \\# failed\n");
	free(text);
}

/* A line that is added above renames no case; the same command twice is two. */
static void test_names(void **state)
{
	struct report *r = NULL;
	char *text = NULL;
	size_t len = 0;
	struct report_case c = { .source = "smoke.txt", .name = "ping" };
	(void)state;
	assert_int_equal(report_open(&r, "tap:/dev/null", "s", NULL), 0);
	for (c.line = 1; c.line <= 3; c.line++)
		report_add(r, &c);
	c.source = "-e";
	report_add(r, &c);
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	report_write(r, f);
	fclose(f);
	assert_string_equal(text, "TAP version 13\n1..4\n"
				  "ok 1 - ping # time=0ms\n"
				  "ok 2 - ping (2) # time=0ms\n"
				  "ok 3 - ping (3) # time=0ms\n"
				  "ok 4 - ping # time=0ms\n");
	assert_int_equal(report_close(r, NULL), 0);
	free(text);
}

/* A check's cases come from no line, and their source is whom it asked. */
static const struct report_case asked = {
	.source = "ws://h/?token=geheim",
	.name = "tools",
	.skipped = "not asked: token=geheim",
};

static void assert_no_secret(const char *spec)
{
	struct report_case lost = asked;
	CLEANUP(error_reset) struct error failure = { 0 };
	struct report *r = NULL;
	char *text = NULL;
	size_t len = 0;
	error_set(&failure, ERR_PEER, "refused: Bearer geheim");
	error_hint(&failure, "is token=geheim right?");
	error_detail(&failure, "{\"token\":\"geheim\"}", 18);
	assert_int_equal(report_open(&r, spec, "s", NULL), 0);
	add(r, "call x password='geheim b'", &failure, NULL);
	add(r, "call x {\"secret\":\"geheim\"}", NULL, "an earlier failed");
	report_add(r, &asked);
	lost.skipped = NULL;
	lost.failure = &failure;
	report_add(r, &lost);
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	report_write(r, f);
	fclose(f);
	assert_null(strstr(text, "geheim"));
	assert_non_null(strstr(text, "call x password='***'"));
	assert_non_null(strstr(text, "Bearer ***"));
	assert_non_null(strstr(text, "not asked: token=***"));
	/* Without a line behind it. */
	assert_non_null(strstr(text, text[0] == '<' ?
					     "at ws://h/?token=***</failure>" :
					     "at: \"ws://h/?token=***\"\n"));
	assert_int_equal(report_close(r, NULL), 0);
	free(text);
}

static void test_no_secrets(void **state)
{
	(void)state;
	assert_no_secret("junit:/dev/null");
	assert_no_secret("tap:/dev/null");
}

static void test_no_characters_of_xml(void **state)
{
	struct buf b = { 0 };
	(void)state;
	xml_text(&b, "a\xef\xbf\xbe"
		     "b\xef\xbf\xbf"
		     "c\t\xff\xed\xa0\x80\x7f");
	for (const char *p = buf_string(&b); *p; p++)
		assert_true((unsigned char)*p >= 0x20 &&
			    (unsigned char)*p < 0x7f);
	assert_ptr_equal(strstr(buf_string(&b), "a?b?c&#9;"), buf_string(&b));
	buf_done(&b);
}

static void test_specs(void **state)
{
	static const char *const wrong[] = { "",       "report.xml", "xml:a",
					     "junit:", "tap:",	     "junit" };
	struct report *r = NULL;
	CLEANUP(error_reset) struct error e = { 0 };
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		assert_int_equal(report_open(&r, wrong[i], "s", &e), -1);
		assert_int_equal(e.kind, ERR_USAGE);
	}
	assert_int_equal(report_open(&r, "tap:/no/such/folder/x", "s", &e), -1);
	assert_int_equal(e.kind, ERR_OUTPUT);
	assert_null(r);
	assert_int_equal(report_open(&r, "tap:/dev/null", "s", &e), 0);
	assert_false(report_is_on_stdout(r));
	assert_int_equal(report_close(r, &e), 0);
	assert_false(report_is_on_stdout(NULL));
	assert_int_equal(report_close(NULL, &e), 0);
}

static void test_full_disk(void **state)
{
	struct report *r = NULL;
	CLEANUP(error_reset) struct error e = { 0 };
	(void)state;
	assert_int_equal(report_open(&r, "junit:/dev/full", "s", &e), 0);
	assert_int_equal(report_close(r, &e), -1);
	assert_int_equal(e.kind, ERR_OUTPUT);
}

/* Where nothing was tried, a reader of XML still finds a suite. */
static void test_no_cases(void **state)
{
	struct report *r = NULL;
	char *text = NULL;
	size_t len = 0;
	(void)state;
	assert_int_equal(report_open(&r, "junit:/dev/null", "s", NULL), 0);
	FILE *f = open_memstream(&text, &len);
	assert_non_null(f);
	report_write(r, f);
	fclose(f);
	assert_string_equal(
		text,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuite name=\"s\" tests=\"0\" failures=\"0\" errors=\"0\" "
		"skipped=\"0\" time=\"0.000\">\n"
		"</testsuite>\n");
	assert_int_equal(report_close(r, NULL), 0);
	free(text);
}

/* --all: a suite for each device, the report's own only if it has cases. */
static void test_suites(void **state)
{
	struct report_case c = { .source = "s", .line = 1, .name = "ping" };
	struct report *r = NULL;
	char *text = NULL;
	size_t len = 0;
	(void)state;
	for (size_t form = 0; form < 2; form++) {
		const char *wanted[] = {
			"<testsuites name=\"all\">\n"
			"<testsuite name=\"a&amp;b\" tests=\"2\" failures=\"0\" errors=\"0\" skipped=\"1\" time=\"0.000\">\n"
			"\t<testcase classname=\"s\" name=\"ping\" time=\"0.000\"/>\n"
			"\t<testcase classname=\"s\" name=\"ping (2)\" time=\"0.000\">\n"
			"\t\t<skipped message=\"x\"/>\n"
			"\t</testcase>\n"
			"</testsuite>\n"
			"<testsuite name=\"c\" tests=\"1\" failures=\"0\" errors=\"0\" skipped=\"0\" time=\"0.000\">\n"
			"\t<testcase classname=\"s\" name=\"ping\" time=\"0.000\"/>\n"
			"</testsuite>\n"
			"</testsuites>\n",
			"1..3\nok 1 - a&b: ping # time=0ms\n"
			"ok 2 - c: ping # time=0ms\n"
			"ok 3 - a&b: ping (2) # SKIP x\n"
		};
		assert_int_equal(
			report_open(&r,
				    form ? "tap:/dev/null" : "junit:/dev/null",
				    "all", NULL),
			0);
		c.suite = "a&b";
		c.skipped = NULL;
		report_add(r, &c);
		c.suite = "c";
		report_add(r, &c);
		c.suite = "a&b";
		c.skipped = "x";
		report_add(r, &c);
		FILE *f = open_memstream(&text, &len);
		assert_non_null(f);
		report_write(r, f);
		fclose(f);
		assert_non_null(strstr(text, wanted[form]));
		free(text);
		assert_int_equal(report_close(r, NULL), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_junit),
		cmocka_unit_test(test_tap),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_secrets),
		cmocka_unit_test(test_no_characters_of_xml),
		cmocka_unit_test(test_specs),
		cmocka_unit_test(test_full_disk),
		cmocka_unit_test(test_no_cases),
		cmocka_unit_test(test_suites),
	};
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
