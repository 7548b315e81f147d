/* SPDX-License-Identifier: MIT */
/*
 * The filter of one line of a script or the shell: what the lines are while it
 * holds, and that all is as before behind it. Which forms exclude each other.
 */
#include "rendered.h"

#include "cli/app.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "out/table.h"

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

/* Opened for that command, and refused so. */
static void not_opened(const struct command *c, const char *text,
		       const char *hint)
{
	assert_int_equal(output_open(&app, c, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
	assert_null(app.query);
	assert_null(app.table);
	error_reset(&err);
	app.config = (struct config){ 0 };
}

static void test_exclusive(void **state)
{
	static const char asks[] = "option '--jq' asks the lines of -o json",
			  other[] = "leave out the other form of output";

	(void)state;
	app.config = (struct config){ .jq = ".", .output = OUTPUT_RAW };
	not_opened(&cmd_tools, asks, other);
	app.config = (struct config){ .jq = ".", .output = OUTPUT_TABLE };
	not_opened(&cmd_tools, asks, other);
	app.config = (struct config){ .fields = "id", .output = OUTPUT_JSON };
	not_opened(&cmd_devices, "option '--fields' is for -o table", "");
	app.config = (struct config){ .fields = "id", .output = OUTPUT_RAW };
	not_opened(&cmd_devices, "option '--fields' is for -o table", "");
}

static void has_no_table(const struct command *c, bool all, const char *text)
{
	app.config = (struct config){ .output = OUTPUT_TABLE, .all = all };
	not_opened(c, text, "devices and tools have one, and call with --all");
}

static void test_without_table(void **state)
{
	(void)state;
	has_no_table(&cmd_info, false, "'info' has no table");
	has_no_table(&cmd_call, false, "'call' has no table");
	has_no_table(&cmd_tail, true, "'tail' has no table");
	has_no_table(&cmd_help, true, "'help' has no table");
	has_no_table(&cmd_run, true, "'run' has no table");
	has_no_table(&cmd_describe, true, "'describe' has no table");
}

#define OF_DEVICES                                                            \
	"id client_id alias board version transport address claims pick "     \
	"since seen asked state reason tools user_tools list enrolled lease " \
	"findings last_finding calls p50_us breaker audio"
#define OF_ALL OF_DEVICES " took_us value error reply info event"

/* Which columns there are is said where one is wrong. */
static void test_columns(void **state)
{
	static const struct {
		const struct command *command;
		bool all;
		const char *hint;
	} rows[] = {
		{ &cmd_devices, false, "there are: " OF_DEVICES },
		{ &cmd_devices, true, "there are: " OF_DEVICES },
		{ &cmd_tools, false,
		  "there are: name title description inputSchema outputSchema "
		  "annotations execution icons _meta" },
		{ &cmd_tools, true, "there are: " OF_ALL },
		{ &cmd_call, true, "there are: " OF_ALL },
		{ &cmd_ping, true, "there are: " OF_ALL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		app.config = (struct config){ .fields = "nosuch",
					      .all = rows[i].all };
		not_opened(rows[i].command,
			   "option '--fields': there is no field 'nosuch'",
			   rows[i].hint);
	}
}

static void opened(const struct command *c, const struct config *config)
{
	app.config = *config;
	if (output_open(&app, c, &err))
		fail_msg("%s: %s", c->name, err.text);
	assert_int_equal(app.query != NULL, config->jq != NULL);
	assert_int_equal(app.table != NULL, config->output == OUTPUT_TABLE ||
						    config->fields != NULL);
	app_done(&app);
	app = (struct app){ 0 };
	app.out = shown.r;
}

static void test_opened(void **state)
{
	static const struct config none = { 0 }, raw = { .output = OUTPUT_RAW },
				   asked = { .jq = ".a" },
				   json = { .jq = ".a", .output = OUTPUT_JSON },
				   table = { .output = OUTPUT_TABLE },
				   all = { .output = OUTPUT_TABLE,
					   .all = true },
				   fields = { .fields = "alias" },
				   both = { .fields = "alias,value",
					    .output = OUTPUT_TABLE,
					    .all = true };

	(void)state;
	opened(&cmd_info, &none);
	opened(&cmd_info, &raw);
	opened(&cmd_info, &asked);
	opened(&cmd_info, &json);
	opened(&cmd_devices, &table);
	opened(&cmd_tools, &table);
	opened(&cmd_call, &all);
	opened(&cmd_info, &all);
	opened(&cmd_devices, &fields);
	opened(&cmd_call, &both);
}

#define SPAN(text) ((struct span){ (text), strlen(text) })

/* Two devices that gave the same; the columns as they are without --fields. */
static void rows_are(const struct command *c, const char *fields,
		     const char *expected)
{
	static const char one[] =
		"{\"device\":{\"id\":\"1\",\"pick\":\"p\"},\"took_us\":5}";
	static const char two[] =
		"{\"device\":{\"id\":\"2\",\"pick\":\"q\"},\"took_us\":6}";

	app.config = (struct config){ .output = OUTPUT_TABLE,
				      .all = true,
				      .fields = fields };
	assert_int_equal(output_open(&app, c, &err), 0);
	app.out = shown.r;
	table_add(app.table, SPAN(one), SPAN("7"));
	table_add(app.table, SPAN(two), SPAN("7"));
	assert_int_equal(output_end(&app, 0, &err), 0);
	assert_string_equal(rendered_out(&shown), expected);
	app_done(&app);
	end(NULL);
	begin(NULL);
}

static void test_rows(void **state)
{
	(void)state;
	rows_are(&cmd_call, NULL, "2 boards: 7\n  p, q\n");
	rows_are(&cmd_call, "id,value", "id  value\n1   7\n2   7\n");
	rows_are(&cmd_call, "value", "value\n7\n7\n");
	rows_are(&cmd_info, NULL,
		 "alias  id  took_us  error\n       1   5\n       2   6\n");
}

static void test_broken_query(void **state)
{
	(void)state;
	app.config = (struct config){ .jq = ".a |" };
	assert_int_equal(output_open(&app, &cmd_info, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_ptr_equal(strstr(err.text, "--jq: "), err.text);
	assert_null(app.query);
}

/* Nothing to be made of lines: a command ends as it ended. */
static void test_end(void **state)
{
	(void)state;
	assert_int_equal(output_end(&app, 0, &err), 0);
	assert_int_equal(output_end(&app, -1, &err), -1);
	assert_int_equal(err.kind, ERR_NONE);
	assert_string_equal(rendered_err(&shown), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_as_before),	  TEST(test_refused),
		TEST(test_checked),	  TEST(test_exclusive),
		TEST(test_without_table), TEST(test_columns),
		TEST(test_opened),	  TEST(test_rows),
		TEST(test_broken_query),  TEST(test_end),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
