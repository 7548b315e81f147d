/* SPDX-License-Identifier: MIT */
/*
 * wire/control_frames: what both ends of serve's socket say of themselves, and
 * what is told of a difference.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/control_frames.h"

static struct error err;

static bool reads(struct greeting *g, const char *json)
{
	const struct control_frame f = { .kind = CONTROL_JSON,
					 .data = json,
					 .len = strlen(json) };

	return greeting_read(g, &f);
}

static void both_ways(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct greeting g;

	(void)state;
	greeting_ask(&text, NULL);
	assert_string_equal(buf_string(&text),
			    "{\"op\":\"greet\",\"protocol\":1,"
			    "\"version\":\"" MCPCTL_VERSION "\"}");
	buf_reset(&text);
	greeting_answer(&text, 77);
	assert_true(reads(&g, buf_string(&text)));
	assert_int_equal(g.protocol, CONTROL_PROTOCOL);
	assert_int_equal(g.pid, 77);
	assert_string_equal(g.version, MCPCTL_VERSION);
	assert_false(greeting_differs(&g));
	assert_int_equal(greeting_check(&g, &err), 0);
	error_set(&err, ERR_PROTOCOL, "x");
	greeting_blame(&g, &err);
	assert_string_equal(err.hint, "");
	error_reset(&err);
}

static void other_version(void **state)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct greeting g;

	(void)state;
	assert_true(reads(&g, "{\"op\":\"greeting\",\"protocol\":1,"
			      "\"pid\":77,\"version\":\"9.8.7\"}"));
	assert_true(greeting_differs(&g));
	assert_int_equal(greeting_check(&g, &err), 0);
	greeting_tell(&line, &g);
	assert_string_equal(
		buf_string(&line),
		"the running serve (pid 77) is version 9.8.7, this "
		"is " MCPCTL_VERSION
		"; what only one of them knows will not work: "
		"restart serve as this version ('mcpctl stop', then "
		"start it as before), or use its version here");
	error_set(&err, ERR_PROTOCOL, "serve knows no question 'x'");
	greeting_blame(&g, &err);
	assert_string_equal(err.text, "serve knows no question 'x'");
	assert_non_null(strstr(err.hint, "(pid 77) is version 9.8.7, this is"));
	error_reset(&err);
}

static void other_protocol(void **state)
{
	struct greeting g;

	(void)state;
	assert_true(reads(&g, "{\"op\":\"greeting\",\"protocol\":2,"
			      "\"pid\":77,\"version\":\"9.8.7\"}"));
	assert_int_equal(greeting_check(&g, &err), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_non_null(strstr(err.text, "(pid 77) is version 9.8.7"));
	assert_non_null(strstr(err.text, "protocol 2 and 1"));
	assert_non_null(strstr(err.hint, "mcpctl stop"));
	error_reset(&err);
	/* The version alone does not tell it. */
	assert_true(reads(&g, "{\"op\":\"greeting\",\"protocol\":0,\"version\":"
			      "\"" MCPCTL_VERSION "\"}"));
	assert_true(greeting_differs(&g));
	assert_int_equal(greeting_check(&g, NULL), -1);
}

static void none_known(void **state)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct greeting g;

	(void)state;
	assert_true(reads(&g, "{\"op\":\"error\",\"error\":{\"kind\":"
			      "\"protocol\",\"text\":\"serve knows no "
			      "question 'greet'\",\"hint\":\"\"}}"));
	assert_string_equal(g.version, "");
	assert_true(greeting_differs(&g));
	assert_int_equal(greeting_check(&g, &err), 0);
	greeting_tell(&line, &g);
	assert_non_null(strstr(buf_string(&line),
			       "the running serve does not tell its version"));
}

/* They are for whoever asked; nothing is known of serve then. */
static void no_greeting(void **state)
{
	static const char *const other[] = {
		"{\"op\":\"error\",\"error\":{\"kind\":\"connect\"}}",
		"{\"op\":\"attached\"}",
		"{\"op\":7}",
		"[]",
		"{",
		""
	};
	const struct control_frame text = { .kind = CONTROL_TEXT,
					    .data = "{\"op\":\"greeting\"}",
					    .len = 17 };
	struct greeting g;

	(void)state;
	for (size_t i = 0; i < COUNT(other); i++) {
		assert_false(reads(&g, other[i]));
		assert_false(greeting_differs(&g));
	}
	assert_false(greeting_read(&g, &text));
}

static void hostile(void **state)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct greeting g;

	(void)state;
	assert_true(reads(&g, "{\"op\":\"greeting\",\"protocol\":\"1\","
			      "\"pid\":-5,\"version\":[]}"));
	assert_int_equal(g.protocol, 0);
	assert_string_equal(g.version, "");
	buf_text(&json, "{\"op\":\"greeting\",\"protocol\":1,\"version\":\"");
	for (int i = 0; i < 1000; i++)
		buf_text(&json, "9");
	buf_text(&json, "\"}");
	assert_true(reads(&g, buf_string(&json)));
	assert_int_equal(strlen(g.version), sizeof(g.version) - 1);
}

/* Whole texts of the second way in which they differ. */
static void told_whole(void **state)
{
	static const struct greeting nameless = { .protocol = 2 }, known = {
		.protocol = 3, .pid = 1, .version = "9"
	};
#define USE                                              \
	"restart serve as this version ('mcpctl stop', " \
	"then start it as before), or use its version here"

	(void)state;
	assert_int_equal(greeting_check(&nameless, &err), -1);
	assert_string_equal(
		err.text,
		"the running serve does not tell its version, this is " MCPCTL_VERSION
		", and they do not understand each other (protocol 2 and 1)");
	assert_string_equal(err.hint, USE);
	error_set(&err, ERR_PEER, "x");
	greeting_blame(&known, &err);
	assert_string_equal(
		err.hint,
		"the running serve (pid 1) is version 9, this is " MCPCTL_VERSION
		": " USE);
	error_reset(&err);
}

static void asks_with_leases(void **state)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	greeting_ask(&text, "a b\"");
	assert_string_equal(buf_string(&text),
			    "{\"op\":\"greet\",\"protocol\":1,"
			    "\"version\":\"" MCPCTL_VERSION
			    "\",\"leases\":\"a b\\\"\"}");
	buf_reset(&text);
	greeting_answer(&text, 77);
	assert_string_equal(buf_string(&text),
			    "{\"op\":\"greeting\",\"protocol\":1,\"pid\":77,"
			    "\"version\":\"" MCPCTL_VERSION "\"}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_ways),
		cmocka_unit_test(other_version),
		cmocka_unit_test(other_protocol),
		cmocka_unit_test(none_known),
		cmocka_unit_test(no_greeting),
		cmocka_unit_test(hostile),
		cmocka_unit_test(told_whole),
		cmocka_unit_test(asks_with_leases),
	};

	return cmocka_run_group_tests_name("greeting", tests, NULL, NULL);
}
