/* SPDX-License-Identifier: MIT */
/*
 * base/assertion: what a guarded assertion ends, and what any other does.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <assert.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/assertion.h"

static int asserts(void *arg)
{
	const int *value = arg;

	assert(*value != 3);
	return *value;
}

static void test_left_where_it_fails(void **state)
{
	int value = 2;

	(void)state;
	assert_int_equal(
		assertion_guard("/test_assertion.c", asserts, &value, 9), 2);
	value = 3;
	assert_int_equal(
		assertion_guard("/test_assertion.c", asserts, &value, 9), 9);
	assert_int_equal(
		assertion_guard("/test_assertion.c", asserts, &value, 8), 8);
	value = 4;
	assert_int_equal(
		assertion_guard("/test_assertion.c", asserts, &value, 9), 4);
}

/* In a child, whose words are not wanted: the signal that ended it. */
static int end_of(const char *file)
{
	int value = 3, status = 0;
	pid_t child = fork();

	if (!child) {
		close(STDERR_FILENO);
		if (file)
			assertion_guard(file, asserts, &value, 9);
		else
			asserts(&value);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

static void test_others_end_the_program(void **state)
{
	(void)state;
	assert_int_equal(end_of("/test_assertion.c"), 0);
	assert_int_equal(end_of("/test_other.c"), SIGABRT);
	assert_int_equal(
		end_of("a_long_name_before_it/tests/unit/test_assertion.c"),
		SIGABRT);
	assert_int_equal(end_of(NULL), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_left_where_it_fails),
		cmocka_unit_test(test_others_end_the_program),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
