/* SPDX-License-Identifier: MIT */
/*
 * The three states of a circuit breaker, by a clock that the test sets.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/guard.h"

#define NOW INT64_C(1786190400000)

static const struct error refused = { .kind = ERR_CONNECT, .code = 111 };
static const struct error interrupted = { .kind = ERR_INTERRUPTED, .code = 2 };

static void fails(struct breaker *b, unsigned times, int64_t now)
{
	for (unsigned i = 0; i < times; i++) {
		assert_int_equal(breaker_admit(b, now, NULL), 0);
		breaker_settle(b, &refused, now);
	}
}

static void test_closed(void **state)
{
	struct breaker b = { 0 };

	(void)state;
	assert_int_equal(breaker_state(&b, NOW), BREAKER_CLOSED);
	fails(&b, 4, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_CLOSED);
	assert_int_equal(breaker_left(&b, NOW), 0);
	/* In a row: a good one begins anew. */
	assert_int_equal(breaker_admit(&b, NOW, NULL), 0);
	breaker_settle(&b, NULL, NOW);
	fails(&b, 4, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_CLOSED);
}

static void test_open(void **state)
{
	struct error err = { 0 };
	struct breaker b = { 0 };

	(void)state;
	fails(&b, 5, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_OPEN);
	assert_int_equal(breaker_left(&b, NOW + 18000), 42000);
	assert_int_equal(breaker_admit(&b, NOW + 18000, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_int_equal(err.code, 0);
	assert_int_equal(err.retry_after, 42000);
	assert_non_null(strstr(err.text, "not sent"));
	assert_non_null(strstr(err.text, "42 s"));
	assert_non_null(strstr(err.text, "5 calls in a row"));
	assert_int_equal(breaker_state(&b, NOW + 59999), BREAKER_OPEN);
	assert_int_equal(breaker_state(&b, NOW + 60000), BREAKER_HALF_OPEN);
	error_reset(&err);
}

static void test_trial_good(void **state)
{
	struct error err = { 0 };
	struct breaker b = { 0 };
	int64_t later = NOW + 60000;

	(void)state;
	fails(&b, 5, NOW);
	assert_int_equal(breaker_admit(&b, later, &err), 0);
	/* One, and no other beside it. */
	assert_int_equal(breaker_state(&b, later + 1), BREAKER_OPEN);
	assert_int_equal(breaker_admit(&b, later + 1, &err), -1);
	assert_non_null(strstr(err.text, "another trial"));
	breaker_settle(&b, NULL, later + 2);
	assert_int_equal(breaker_state(&b, later + 2), BREAKER_CLOSED);
	fails(&b, 4, later + 3);
	assert_int_equal(breaker_state(&b, later + 3), BREAKER_CLOSED);
	error_reset(&err);
}

static void test_trial_bad(void **state)
{
	struct breaker b = { 0 };
	int64_t later = NOW + 60000;

	(void)state;
	fails(&b, 5, NOW);
	fails(&b, 1, later);
	assert_int_equal(breaker_state(&b, later), BREAKER_OPEN);
	assert_int_equal(breaker_left(&b, later + 1), 59999);
	assert_int_equal(b.failures, 6);
	assert_int_equal(breaker_state(&b, later + 60000), BREAKER_HALF_OPEN);
}

static void test_trial_lost(void **state)
{
	struct breaker b = { 0 };
	int64_t later = NOW + 60000;

	(void)state;
	fails(&b, 5, NOW);
	assert_int_equal(breaker_admit(&b, later, NULL), 0);
	/* Whoever made it was killed: not for ever. */
	assert_int_equal(breaker_admit(&b, later + 59999, NULL), -1);
	assert_int_equal(breaker_admit(&b, later + 60000, NULL), 0);
	/* Interrupted: nothing is known, the next one may. */
	breaker_settle(&b, &interrupted, later + 60001);
	assert_int_equal(breaker_state(&b, later + 60001), BREAKER_HALF_OPEN);
	assert_int_equal(breaker_admit(&b, later + 60002, NULL), 0);
	breaker_release(&b);
	assert_int_equal(breaker_admit(&b, later + 60003, NULL), 0);
}

static void test_figures(void **state)
{
	struct breaker b = { .limit = 2, .pause_ms = 500 };

	(void)state;
	fails(&b, 1, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_CLOSED);
	fails(&b, 1, NOW);
	assert_int_equal(breaker_state(&b, NOW + 499), BREAKER_OPEN);
	assert_int_equal(breaker_state(&b, NOW + 500), BREAKER_HALF_OPEN);
	breaker_close(&b);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_CLOSED);
	assert_int_equal(b.limit, 2);
	assert_int_equal(b.pause_ms, 500);
}

static void test_judged(void **state)
{
	static const struct {
		enum error_kind kind;
		int code;
		enum breaker_verdict verdict;
	} cases[] = {
		{ ERR_CONNECT, 0, BREAKER_BAD },
		{ ERR_CONNECT, 111, BREAKER_BAD },
		{ ERR_CONNECT, 500, BREAKER_BAD },
		{ ERR_CONNECT, 503, BREAKER_BAD },
		{ ERR_CONNECT, 404, BREAKER_GOOD },
		{ ERR_CONNECT, 429, BREAKER_GOOD },
		{ ERR_TIMEOUT, 0, BREAKER_BAD },
		{ ERR_PEER, -32000, BREAKER_BAD },
		{ ERR_PEER, -32001, BREAKER_BAD },
		{ ERR_PEER, -32002, BREAKER_GOOD },
		{ ERR_PEER, -32603, BREAKER_GOOD },
		{ ERR_PEER, 0, BREAKER_GOOD },
		{ ERR_PROTOCOL, 0, BREAKER_GOOD },
		{ ERR_AUTH, 401, BREAKER_GOOD },
		{ ERR_USAGE, 0, BREAKER_SILENT },
		{ ERR_UNMET, 0, BREAKER_SILENT },
		{ ERR_OUTPUT, 0, BREAKER_SILENT },
		{ ERR_INTERRUPTED, 2, BREAKER_SILENT },
	};

	(void)state;
	assert_int_equal(breaker_judge(NULL), BREAKER_GOOD);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct error why = { .kind = cases[i].kind,
					   .code = cases[i].code };

		assert_int_equal(breaker_judge(&why), cases[i].verdict);
	}
}

static void test_other_answers(void **state)
{
	const struct error answer = { .kind = ERR_PEER, .code = -32602 };
	struct breaker b = { 0 };

	(void)state;
	fails(&b, 4, NOW);
	breaker_settle(&b, &answer, NOW);
	assert_int_equal(b.failures, 0);
	fails(&b, 4, NOW);
	breaker_settle(&b, &interrupted, NOW);
	assert_int_equal(b.failures, 4);
	fails(&b, 1, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_OPEN);
}

/* What is in a file was written by another clock, perhaps. */
static void test_clock(void **state)
{
	struct breaker b = { .failures = 5, .opened_at = NOW };

	(void)state;
	assert_int_equal(breaker_state(&b, NOW - 1), BREAKER_HALF_OPEN);
	assert_int_equal(breaker_admit(&b, NOW - 3600000, NULL), 0);
	b = (struct breaker){ .failures = 5, .opened_at = INT64_MAX };
	assert_int_equal(breaker_admit(&b, NOW, NULL), 0);
	b = (struct breaker){ .failures = INT64_MAX, .opened_at = 1 };
	breaker_settle(&b, &refused, NOW);
	assert_int_equal(breaker_state(&b, NOW), BREAKER_OPEN);
	b = (struct breaker){ .failures = 5,
			      .opened_at = NOW - 60000,
			      .trial_at = NOW + 5000 };
	assert_int_equal(breaker_admit(&b, NOW, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed),
		cmocka_unit_test(test_open),
		cmocka_unit_test(test_trial_good),
		cmocka_unit_test(test_trial_bad),
		cmocka_unit_test(test_trial_lost),
		cmocka_unit_test(test_figures),
		cmocka_unit_test(test_judged),
		cmocka_unit_test(test_other_answers),
		cmocka_unit_test(test_clock),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
