/* SPDX-License-Identifier: MIT */
/* Boards that were sent to the broker: who is due, who came, how many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "serve/missing.h"

static void who_does_not_come_is_told_once(void **state)
{
	struct missing m = { 0 };

	(void)state;
	assert_true(missing_deadline(&m) == INT64_MAX);
	missing_sent(&m, "AA:01", "192.0.2.1", 1000);
	missing_sent(&m, "", "192.0.2.1", 1000);
	missing_sent(&m, "aa:02", NULL, 2000);
	assert_int_equal(missing_deadline(&m), 1000 + MISSING_MS);
	assert_null(missing_due(&m, 999 + MISSING_MS));
	assert_null(missing_last(&m));
	assert_string_equal(missing_due(&m, 1000 + MISSING_MS)->device_id,
			    "AA:01");
	assert_null(missing_due(&m, 1000 + MISSING_MS));
	assert_int_equal(missing_deadline(&m), 2000 + MISSING_MS);
	assert_string_equal(missing_last(&m)->address, "192.0.2.1");
	/* It came after all; the other one asks anew. */
	missing_came(&m, NULL);
	missing_came(&m, "aa:01");
	assert_null(missing_last(&m));
	missing_sent(&m, "aa:02", NULL, 9000);
	assert_int_equal(missing_deadline(&m), 9000 + MISSING_MS);
	missing_done(&m);
	assert_int_equal(m.count, 0);
}

static void few_are_kept(void **state)
{
	struct missing m = { 0 };
	char id[16];

	(void)state;
	for (int i = 0; i < 10 * MISSING_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		missing_sent(&m, id, "192.0.2.1", i);
	}
	assert_int_equal(m.count, MISSING_MAX);
	assert_int_equal(missing_deadline(&m), 9 * MISSING_MAX + MISSING_MS);
	missing_done(&m);
}

/* Each by itself, in the order in which they asked. */
static void some_of_many(void **state)
{
	struct missing m = { 0 };

	(void)state;
	missing_sent(&m, NULL, "192.0.2.1", 0);
	assert_int_equal(m.count, 0);
	missing_sent(&m, "a", "192.0.2.1", 0);
	missing_sent(&m, "b", "192.0.2.2", 1);
	missing_sent(&m, "c", "192.0.2.3", 2);
	missing_came(&m, "B");
	missing_came(&m, "x");
	assert_int_equal(m.count, 2);
	assert_int_equal(missing_deadline(&m), MISSING_MS);
	assert_string_equal(missing_due(&m, MISSING_MS + 2)->device_id, "a");
	assert_string_equal(missing_last(&m)->device_id, "a");
	assert_int_equal(missing_deadline(&m), MISSING_MS + 2);
	assert_string_equal(missing_due(&m, MISSING_MS + 2)->device_id, "c");
	assert_string_equal(missing_last(&m)->address, "192.0.2.3");
	assert_true(missing_deadline(&m) == INT64_MAX);
	/* It asks again: not told yet. */
	missing_sent(&m, "A", NULL, 9);
	assert_int_equal(m.count, 2);
	assert_int_equal(missing_deadline(&m), MISSING_MS + 9);
	assert_null(missing_due(&m, MISSING_MS + 8));
	assert_string_equal(missing_last(&m)->device_id, "c");
	missing_done(&m);
}

/* For one more the first one goes. */
static void the_first_goes(void **state)
{
	struct missing m = { 0 };
	char id[16];

	(void)state;
	for (int i = 0; i < MISSING_MAX; i++) {
		snprintf(id, sizeof(id), "%d", i);
		missing_sent(&m, id, NULL, i);
	}
	assert_int_equal(missing_deadline(&m), MISSING_MS);
	missing_sent(&m, "0", NULL, 50);
	assert_int_equal(m.count, MISSING_MAX);
	assert_int_equal(missing_deadline(&m), MISSING_MS + 1);
	missing_sent(&m, "new", NULL, 60);
	assert_int_equal(m.count, MISSING_MAX);
	assert_int_equal(missing_deadline(&m), MISSING_MS + 2);
	missing_done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_does_not_come_is_told_once),
		cmocka_unit_test(few_are_kept),
		cmocka_unit_test(some_of_many),
		cmocka_unit_test(the_first_goes),
	};

	return cmocka_run_group_tests_name("missing", tests, NULL, NULL);
}
