/* SPDX-License-Identifier: MIT */
#include "wire/challenge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"

#define check_text(text, want)                           \
	do {                                             \
		if (want)                                \
			assert_string_equal(text, want); \
		else                                     \
			assert_null(text);               \
	} while (0)

static void test_forms(void **state)
{
	static const struct {
		const char *field, *metadata, *scope, *error;
		bool bearer;
	} rows[] = {
		{ NULL, NULL, NULL, NULL, false },
		{ "", NULL, NULL, NULL, false },
		{ "Bearer", NULL, NULL, NULL, true },
		{ "Bearer realm=\"x\"", NULL, NULL, NULL, true },
		{ "Bearer error=\"invalid_token\"", NULL, NULL, "invalid_token",
		  true },
		{ "bEARER Scope = \"a b\" , ERROR=x", NULL, "a b", "x", true },
		{ "Bearer resource_metadata=\"https://h/a?b=c,d\", scope=\"r\"",
		  "https://h/a?b=c,d", "r", NULL, true },
		{ "Bearer resource_metadata=https://h/m, scope=r",
		  "https://h/m", "r", NULL, true },
		{ "Bearer scope=\"a \\\"b\\\\\"", NULL, "a \"b\\", NULL, true },
		/* Another's parameters are not ours. */
		{ "Basic realm=\"x\", scope=\"no\", Bearer scope=\"yes\"", NULL,
		  "yes", NULL, true },
		{ "Bearer scope=\"yes\", Basic scope=\"no\", error=\"no\"",
		  NULL, "yes", NULL, true },
		{ "DPoP scope=\"no\"", NULL, NULL, NULL, false },
		{ "Negotiate YWJj==, Bearer scope=s", NULL, "s", NULL, true },
		/* Two of ours: what the first leaves out. */
		{ "Bearer error=\"one\", Bearer error=\"two\", scope=\"s\"",
		  NULL, "s", "one", true },
		/* Broken: nothing, or what stands before. */
		{ "Bearer scope=\"never closed", NULL, NULL, NULL, true },
		{ "Bearer scope=, error=e", NULL, NULL, "e", true },
		{ "Bearer error=\"a\x01z\"", NULL, NULL, NULL, true },
		{ "Bearer error=\"\xff\"", NULL, NULL, NULL, true },
		{ "=,\"\",= Bearer error=e", NULL, NULL, "e", true },
		{ "Bearer scope=\"a\\", NULL, NULL, NULL, true },
		{ "Bearer scope=\"\", Bearer scope=s", NULL, "s", NULL, true },
		{ "Bearer scope=a\"b\"", NULL, "a", NULL, true },
		{ "Bearer error=e scope=s", NULL, "s", "e", true },
		{ "Bearer, error=e", NULL, NULL, "e", true },
		{ "Bearer\tscope\t=\ts\t,\terror=e", NULL, "s", "e", true },
		{ "Bearer abc==, error=e", NULL, NULL, "e", true },
		{ "Bearer abc, Basic scope=no", NULL, NULL, NULL, true },
		{ "Basic abc=, Bearer error=e", NULL, NULL, "e", true },
		{ "Bearer scope=s, scope=t, xscope=u, scopes=v", NULL, "s",
		  NULL, true },
		{ "Bearer scope=s, error= ,", NULL, "s", NULL, true },
		{ "Bearers error=e", NULL, NULL, NULL, false },
		{ "a=b, Bearer", NULL, NULL, NULL, true },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct challenge c;

		challenge_read(&c, rows[i].field);
		assert_int_equal(c.bearer, rows[i].bearer);
		check_text(c.resource_metadata, rows[i].metadata);
		check_text(c.scope, rows[i].scope);
		check_text(c.error, rows[i].error);
		challenge_done(&c);
	}
}

/* One that is longer than it may be is none. */
static void test_bounds(void **state)
{
	char *field = mem_zalloc(CHALLENGE_MAX * 2);
	struct challenge c;

	(void)state;
	strcpy(field, "Bearer error=e, scope=\"");
	memset(field + strlen(field), 'x', CHALLENGE_VALUE_MAX + 1);
	strcat(field, "\", resource_metadata=m");
	challenge_read(&c, field);
	assert_null(c.scope);
	assert_string_equal(c.error, "e");
	challenge_done(&c);
	memset(field, ',', CHALLENGE_MAX + 100);
	strcpy(field + CHALLENGE_MAX, "Bearer error=e");
	challenge_read(&c, field);
	assert_false(c.bearer);
	challenge_done(&c);
	mem_free(field);
}

static char *field_of(const char *front, char c, size_t count, const char *end)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, front);
	for (size_t i = 0; i < count; i++)
		buf_char(&out, c);
	buf_text(&out, end);
	return buf_take(&out);
}

/* The longest value, with quotes and without, and one byte more. */
static void test_longest(void **state)
{
	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const size_t len = CHALLENGE_VALUE_MAX + i / 2;
		CLEANUP(mem_free_ptr)
		char *field =
			field_of(i % 2 ? "Bearer error_description=\"" :
					 "Bearer error_description=",
				 'x', len, i % 2 ? "\", error=e" : ", error=e");
		struct challenge c;

		challenge_read(&c, field);
		if (i < 2)
			assert_int_equal(strlen(c.error_description), len);
		else
			assert_null(c.error_description);
		assert_string_equal(c.error, "e");
		challenge_done(&c);
		assert_false(c.bearer);
	}
}

/* What stands behind the bytes that are looked at is not there. */
static void test_last_byte(void **state)
{
	static const char front[] = "Bearer scope=s,", end[] = ",error=ab";

	(void)state;
	for (size_t over = 0; over < 3; over++) {
		CLEANUP(mem_free_ptr)
		char *field = field_of(front, ',',
				       CHALLENGE_MAX + over - strlen(front) -
					       strlen(end),
				       end);
		struct challenge c;

		challenge_read(&c, field);
		assert_string_equal(c.scope, "s");
		check_text(c.error, over == 0 ? "ab" : over == 1 ? "a" : NULL);
		challenge_done(&c);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_forms),
					    cmocka_unit_test(test_bounds),
					    cmocka_unit_test(test_longest),
					    cmocka_unit_test(test_last_byte) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
