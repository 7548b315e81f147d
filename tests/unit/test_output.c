/* SPDX-License-Identifier: MIT */
/*
 * The filter of one line of a script or the shell: what the lines are while it
 * holds, and that all is as before behind it.
 */
#include "rendered.h"

#include "cli/app.h"
#include "cli/output.h"

static struct app app;
static struct rendered shown;
static struct error err;

static int begin(void **state)
{
	(void)state;
	app = (struct app){ 0 };
	rendered_start(&shown, OUTPUT_TEXT, true);
	app.out = shown.r;
	app.out.out_color = true;
	return 0;
}

static int end(void **state)
{
	(void)state;
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

static void test_as_before(void **state)
{
	const struct renderer before = app.out;
	struct line_query q;

	(void)state;
	assert_int_equal(line_query_open(&q, &app, ".tool", &err), 0);
	assert_non_null(app.out.query);
	assert_ptr_not_equal(app.out.ops, before.ops);
	assert_int_not_equal(app.out.form, before.form);
	assert_true(app.out.query_timeout > 0);
	line_query_done(&q, &app);
	assert_null(q.query);
	assert_memory_equal(&app.out, &before, sizeof(before));
	/* A line without one. */
	assert_int_equal(line_query_open(&q, &app, NULL, &err), 0);
	assert_memory_equal(&app.out, &before, sizeof(before));
	line_query_done(&q, &app);
	assert_memory_equal(&app.out, &before, sizeof(before));
}

static void refused(enum error_kind kind, const char *text)
{
	const struct renderer before = app.out;
	struct line_query q;

	assert_int_equal(line_query_open(&q, &app, ".tool", &err), -1);
	assert_int_equal(err.kind, kind);
	assert_string_equal(err.text, text);
	assert_memory_equal(&app.out, &before, sizeof(before));
	line_query_done(&q, &app);
	error_reset(&err);
}

static void test_refused(void **state)
{
	static const char other[] =
		"option '--jq' of a line, and another form of output for all of them";

	(void)state;
	app.config.output = OUTPUT_RAW;
	refused(ERR_USAGE, other);
	app.config.output = OUTPUT_TABLE;
	refused(ERR_USAGE, other);
}

static void test_checked(void **state)
{
	(void)state;
	assert_int_equal(line_query_check(NULL, &err), 0);
	assert_int_equal(line_query_check(".a | .b", &err), 0);
	assert_int_equal(line_query_check(".a |", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "--jq"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_as_before),
		TEST(test_refused),
		TEST(test_checked),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
