/* SPDX-License-Identifier: MIT */
/*
 * Commands of the user's on our terminal: a signal that comes while one runs,
 * also in the moment of its end, is for that command.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "cli/app.h"
#include "cli/outside.h"

static struct app app;

static int prepare(void **state)
{
	(void)state;
	app_init(&app);
	return 0;
}

static int release(void **state)
{
	(void)state;
	app_done(&app);
	return 0;
}

static void check_end(int number, int told)
{
	const struct outside_order order = { .command = "exit 3" };
	CLEANUP(error_reset) struct error err = { 0 };
	struct outside o;

	assert_int_equal(outside_start(&o, &app, &order, &err), 0);
	outside_wait(&o);
	assert_int_equal(o.status, 3);
	assert_false(o.interrupted);
	if (!number)
		return;
	/* Its end is known, and the signal is not yet. */
	kill(getpid(), number);
	outside_wait(&o);
	assert_true(o.interrupted);
	assert_int_equal(o.signal, told);
	app_check_signal(&app, &err);
	assert_int_equal(err.kind, ERR_NONE);
}

static void test_signal_at_its_end(void **state)
{
	(void)state;
	check_end(0, 0);
	check_end(SIGINT, 0);
	check_end(SIGTERM, SIGTERM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_signal_at_its_end, prepare,
						release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
