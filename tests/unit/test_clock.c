/* SPDX-License-Identifier: MIT */
/* base/clock: a moment as text, of here and of UTC. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/clock.h"

/* 2026-08-08T12:01:02Z and some ms. */
#define MOMENT INT64_C(1786190462000)

static void zone(const char *name)
{
	setenv("TZ", name, 1);
	tzset();
}

static void universal(void **state)
{
	char out[STAMP_SIZE];

	(void)state;
	zone("XXX-5:30");
	assert_string_equal(clock_utc_at(out, MOMENT + 123),
			    "2026-08-08T12:01:02.123Z");
	assert_string_equal(clock_utc_at(out, MOMENT + 9),
			    "2026-08-08T12:01:02.009Z");
	assert_string_equal(clock_utc_at(out, MOMENT + 999),
			    "2026-08-08T12:01:02.999Z");
	assert_string_equal(clock_utc_at(out, 0), "1970-01-01T00:00:00.000Z");
}

static void of_here(void **state)
{
	char out[STAMP_SIZE];

	(void)state;
	zone("XXX-5:30");
	assert_string_equal(clock_day_at(out, MOMENT + 123),
			    "2026-08-08 17:31:02.123");
	assert_string_equal(clock_time_at(out, MOMENT + 123), "17:31:02.123");
	assert_string_equal(clock_day_at(out, MOMENT + INT64_C(86400000)),
			    "2026-08-09 17:31:02.000");
	zone("XXX0");
	assert_string_equal(clock_day_at(out, 1), "1970-01-01 00:00:00.001");
	assert_string_equal(clock_time_at(out, 59999), "00:00:59.999");
}

/* Of whatever moment it is: in this form, and of one that is near. */
static void now(void **state)
{
	char utc[STAMP_SIZE], here[STAMP_SIZE];

	(void)state;
	zone("XXX0");
	assert_ptr_equal(clock_utc(utc), utc);
	assert_ptr_equal(clock_time(here), here);
	assert_int_equal(strlen(utc), 24);
	assert_true(strncmp(utc, "2020", 4) >= 0);
	assert_int_equal(utc[10], 'T');
	assert_int_equal(strlen(here), 12);
	assert_int_equal(here[8], '.');
}

static void as_json(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	buf_text(&out, "{\"a\":1");
	clock_add_json(&out, "at", MOMENT + 5);
	assert_string_equal(out.data,
			    "{\"a\":1,\"at\":\"2026-08-08T12:01:02.005Z\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(universal),
		cmocka_unit_test(of_here),
		cmocka_unit_test(now),
		cmocka_unit_test(as_json),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
