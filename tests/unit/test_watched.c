/* SPDX-License-Identifier: MIT */
/* What `watch` shows: values, the picture below them, how long calls took. */
#include "rendered.h"

#include <time.h>

#include "out/watched.h"

/* 2026-08-08T12:01:02.123Z */
#define THEN INT64_C(1786190462123)

static struct rendered s;

static int in_utc(void **state)
{
	(void)state;
	setenv("TZ", "UTC", 1);
	tzset();
	return 0;
}

static struct sample sample_of(const char *json)
{
	return (struct sample){ .unix_ms = THEN,
				.took_us = 4321,
				.value = { json, strlen(json) } };
}

static void shows(const char *expected)
{
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

static void test_csv(void **state)
{
	struct sample one = sample_of("{\"a\":1}"), two = sample_of("\"x\"");
	struct sample odd = sample_of("\"a \\\"b\\\"\\nc\"");

	(void)state;
	one.first = true;
	rendered_start(&s, OUTPUT_TEXT, false);
	watched_sample(&s.r, &one);
	watched_sample(&s.r, &two);
	watched_sample(&s.r, &odd);
	shows("time,value\n"
	      "2026-08-08T12:01:02.123Z,\"{\"\"a\"\":1}\"\n"
	      "2026-08-08T12:01:02.123Z,x\n"
	      "2026-08-08T12:01:02.123Z,\"a \"\"b\"\"\nc\"\n");
	one = sample_of("[1,2]");
	two = sample_of("\"a\\rb\"");
	rendered_start(&s, OUTPUT_TEXT, false);
	watched_sample(&s.r, &one);
	watched_sample(&s.r, &two);
	shows("2026-08-08T12:01:02.123Z,\"[1,2]\"\n"
	      "2026-08-08T12:01:02.123Z,\"a\rb\"\n");
}

static void test_json(void **state)
{
	struct sample one = sample_of("1.50"), two = sample_of("\"x\"");

	(void)state;
	two.changed = true;
	rendered_start(&s, OUTPUT_JSON, true);
	watched_sample(&s.r, &one);
	watched_sample(&s.r, &two);
	shows("{\"time\":\"2026-08-08T12:01:02.123Z\",\"took_us\":4321,"
	      "\"changed\":false,\"value\":1.50}\n"
	      "{\"time\":\"2026-08-08T12:01:02.123Z\",\"took_us\":4321,"
	      "\"changed\":true,\"value\":\"x\"}\n");
}

/* The first, and then what is another one. */
static void test_on_a_terminal(void **state)
{
	struct sample next = sample_of("21.5");

	(void)state;
	rendered_start(&s, OUTPUT_TEXT, true);
	next.first = true;
	next.unit = "C";
	watched_sample(&s.r, &next);
	next.first = false;
	watched_sample(&s.r, &next);
	next.changed = next.difference = true;
	next.before = 21.5;
	next.amount = 23;
	next.value = (struct span){ "23", 2 };
	watched_sample(&s.r, &next);
	next.before = 23;
	next.amount = 20.25;
	next.value = (struct span){ "20.25", 5 };
	watched_sample(&s.r, &next);
	shows("12:01:02  21.5 C\n"
	      "12:01:02  23 C  +1.5\n"
	      "12:01:02  20.25 C  -2.75\n");
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.out_color = true;
	next.unit = NULL;
	watched_sample(&s.r, &next);
	next.before = next.amount;
	watched_sample(&s.r, &next);
	shows("\033[2m12:01:02\033[0m  20.25\033[33m  -2.75\033[0m\n"
	      "\033[2m12:01:02\033[0m  20.25\033[32m  +0\033[0m\n");
}

/* The line ends at the edge, the difference within it. */
static void test_wide_values(void **state)
{
	struct sample wide = sample_of(
		"\"0123456789012345678901234567890123456789012345678901\"");

	(void)state;
	wide.first = true;
	rendered_start(&s, OUTPUT_TEXT, true);
	watched_sample(&s.r, &wide);
	wide.difference = true;
	wide.amount = 1;
	watched_sample(&s.r, &wide);
	s.r.width = 20;
	watched_sample(&s.r, &wide);
	shows("12:01:02  012345678901234567890123456789012345678901234567…\n"
	      "12:01:02  01234567890123456789012345678901234…  +1\n"
	      "12:01:02  0123456…  +1\n");
}

static void foot(bool series, const char *expected)
{
	struct sample now = sample_of("\"a\\u001bb\"");
	struct series values = { 0 };

	for (int i = 0; series && i < 2; i++)
		series_add(&values, i, i);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.err_moves = true;
	now.unit = "%";
	watched_now(&s.r, &now, &values);
	assert_string_equal(rendered_err(&s), expected);
	s.r.count_down = false;
	shows("");
	series_done(&values);
}

static void test_foot(void **state)
{
	struct sample now = sample_of("1");
	struct series none = { 0 };

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C", 1);
	foot(true, "\r\033[Ka\\x1bb %  ");
	setenv("LC_ALL", "C.UTF-8", 1);
	foot(false, "\r\033[Ka\\x1bb %  ");
	foot(true, "\r\033[Ka\\x1bb %  "
		   "⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣸");
	unsetenv("LC_ALL");
	rendered_start(&s, OUTPUT_JSON, true);
	s.r.err_moves = true;
	watched_now(&s.r, &now, &none);
	assert_string_equal(rendered_err(&s), "");
	shows("");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.err_moves = true;
	watched_now(&s.r, &now, &none);
	assert_string_equal(rendered_err(&s), "");
	shows("");
}

/* A value leaves room for the dots: what is too long is cut. */
static void test_foot_of_a_wide_value(void **state)
{
	struct sample now = sample_of(
		"\"0123456789012345678901234567890123456789012345678901\"");
	struct series values = { 0 };

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.err_moves = true;
	watched_now(&s.r, &now, &values);
	series_add(&values, 0, 1);
	series_add(&values, 1, 0);
	watched_now(&s.r, &now, &values);
	s.r.width = 39;
	watched_now(&s.r, &now, &values);
	assert_string_equal(
		rendered_err(&s),
		"\r\033[K01234567890123456789012345678901234567890123456…  "
		"\r\033[K01234567890123456789012…  ⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⢹"
		"\r\033[K01234567890123456789012345…  ");
	s.r.count_down = false;
	unsetenv("LC_ALL");
	series_done(&values);
	rendered_end(&s);
}

static size_t lines_of(const char *text)
{
	size_t n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* Nine rows and the times below them; five where it is narrow. */
static void test_picture(void **state)
{
	struct series values = { 0 };

	(void)state;
	setenv("TERM", "xterm", 1);
	setenv("LC_ALL", "C", 1);
	series_add(&values, 0, 0);
	series_add(&values, 60000, 8);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.width = 39;
	watched_plot(&s.r, &values, NULL);
	assert_int_equal(lines_of(rendered_out(&s)), 6);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.width = 40;
	watched_plot(&s.r, &values, "m\nV");
	assert_int_equal(lines_of(rendered_out(&s)), 10);
	assert_ptr_equal(strstr(rendered_out(&s), "8 m\\nV |"), s.out);
	assert_non_null(strstr(s.out, "\n4 m\\nV |"));
	assert_non_null(strstr(s.out, "\n0 m\\nV |"));
	assert_non_null(strstr(s.out, " 1 min\n"));
	rendered_end(&s);
	/* However wide the terminal, one can see it at once; a column stays free. */
	rendered_start(&s, OUTPUT_TEXT, true);
	s.r.width = 300;
	watched_plot(&s.r, &values, NULL);
	assert_int_equal(strcspn(rendered_out(&s), "\n"), 119);
	rendered_end(&s);
	rendered_start(&s, OUTPUT_TEXT, false);
	watched_plot(&s.r, &values, NULL);
	shows("");
	rendered_start(&s, OUTPUT_JSON, true);
	watched_plot(&s.r, &values, NULL);
	shows("");
	unsetenv("LC_ALL");
	series_done(&values);
}

static const int64_t took[] = { 100, 2000, 3000, 4000 };
static const struct ping_layer all_answered = { "mcp", 4, 0, took };
static const struct ping_layer none_answered = { "mcp", 2, 2, NULL };

static void calls(enum output_form form, const struct calls_record *c,
		  const char *out, const char *err)
{
	rendered_start(&s, form, false);
	watched_calls(&s.r, c);
	assert_string_equal(rendered_err(&s), err);
	shows(out);
}

static void test_calls(void **state)
{
	struct calls_record c = { .made = 4,
				  .lasted_us = 2000000,
				  .times = &all_answered,
				  .main = true };

	(void)state;
	calls(OUTPUT_TEXT, &c,
	      "4 calls in 2 s (2 a second), none failed: p50 2 ms, p90 4 ms, p99 4 ms, max 4 ms\n",
	      "");
	c.main = false;
	c.failed = 1234;
	c.late = 7;
	calls(OUTPUT_TEXT, &c, "",
	      "4 calls in 2 s, 1,234 failed: p50 2 ms, p90 4 ms, p99 4 ms, max 4 ms; 7 not made in time, as too many were under way\n");
	c.main = true;
	c.made = 5000;
	c.late = 0;
	calls(OUTPUT_TEXT, &c,
	      "5,000 calls in 2 s (2,500 a second), 1,234 failed: p50 2 ms, p90 4 ms, p99 4 ms, max 4 ms\n",
	      "");
	/* Three digits of it, from a hundred on all. */
	c.made = 200;
	c.failed = 0;
	c.times = &none_answered;
	calls(OUTPUT_TEXT, &c, "200 calls in 2 s (100 a second), none failed\n",
	      "");
	c.made = 199;
	calls(OUTPUT_TEXT, &c,
	      "199 calls in 2 s (99.5 a second), none failed\n", "");
	c.lasted_us = 0;
	c.made = 1;
	calls(OUTPUT_TEXT, &c, "1 call in 0.00 ms, none failed\n", "");
}

static void test_calls_as_json(void **state)
{
	struct calls_record c = { .made = 4,
				  .failed = 1,
				  .late = 2,
				  .lasted_us = 2000000,
				  .times = &all_answered };
	int64_t many[200];
	const struct ping_layer of_many = { "mcp", 200, 0, many };

	(void)state;
	calls(OUTPUT_JSON, &c,
	      "{\"calls\":{\"made\":4,\"failed\":1,\"late\":2,\"lasted_us\":2000000,\"p50_us\":2000,\"p90_us\":4000,\"p99_us\":4000,\"max_us\":4000}}\n",
	      "");
	for (int i = 0; i < 200; i++)
		many[i] = i;
	c.times = &of_many;
	calls(OUTPUT_JSON, &c,
	      "{\"calls\":{\"made\":4,\"failed\":1,\"late\":2,\"lasted_us\":2000000,\"p50_us\":99,\"p90_us\":179,\"p99_us\":197,\"max_us\":199}}\n",
	      "");
	c.times = &none_answered;
	calls(OUTPUT_JSON, &c,
	      "{\"calls\":{\"made\":4,\"failed\":1,\"late\":2,\"lasted_us\":2000000,\"p50_us\":null,\"p90_us\":null,\"p99_us\":null,\"max_us\":null}}\n",
	      "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_csv),
		cmocka_unit_test(test_json),
		cmocka_unit_test(test_on_a_terminal),
		cmocka_unit_test(test_wide_values),
		cmocka_unit_test(test_foot),
		cmocka_unit_test(test_foot_of_a_wide_value),
		cmocka_unit_test(test_picture),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_calls_as_json),
	};

	return cmocka_run_group_tests_name("watched", tests, in_utc, NULL);
}
