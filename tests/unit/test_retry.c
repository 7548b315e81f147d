/* SPDX-License-Identifier: MIT */
/*
 * Which failures are tried again, which requests, and after how long.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/guard.h"

static const struct guard_ask list_ask = { .method = "tools/list",
					   .names_passing = true };
/* Of a server whose codes mean what it likes. */
static const struct guard_ask plain_ask = { .method = "tools/list" };
static const struct guard_ask call_ask = { .method = "tools/call",
					   .subject = "add" };
static const struct guard_ask marked_ask = { .method = "tools/call",
					     .subject = "get",
					     .idempotent = true };

static struct error failure(enum error_kind kind, int code)
{
	return (struct error){ .kind = kind, .code = code };
}

static int64_t wait_of(const struct guard_ask *ask, unsigned tries,
		       struct error why, double random)
{
	const struct retry_policy policy = { .tries = 10 };

	return retry_wait(&policy, ask, tries, &why, random);
}

static void test_reasons(void **state)
{
	static const struct {
		enum error_kind kind;
		int code;
		bool passes;
	} cases[] = {
		{ ERR_CONNECT, ECONNREFUSED, true },
		{ ERR_CONNECT, 429, true },
		{ ERR_CONNECT, 502, true },
		{ ERR_CONNECT, 503, true },
		{ ERR_CONNECT, 504, true },
		{ ERR_TIMEOUT, 504, true },
		{ ERR_PEER, -32000, true },
		{ ERR_PEER, -32001, true },
		{ ERR_CONNECT, 0, false },
		{ ERR_CONNECT, ECONNRESET, false },
		{ ERR_CONNECT, EHOSTUNREACH, false },
		{ ERR_CONNECT, 404, false },
		{ ERR_CONNECT, 500, false },
		{ ERR_CONNECT, -32000, false },
		{ ERR_PEER, 0, false },
		{ ERR_PEER, 503, false },
		{ ERR_PEER, -32002, false },
		{ ERR_PEER, -32603, false },
		{ ERR_TIMEOUT, 0, false },
		{ ERR_AUTH, 401, false },
		{ ERR_PROTOCOL, 0, false },
		{ ERR_USAGE, 0, false },
		{ ERR_UNMET, 0, false },
		{ ERR_INTERRUPTED, 2, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct error why = failure(cases[i].kind, cases[i].code);

		assert_int_equal(retry_may_pass(&why, &list_ask),
				 cases[i].passes);
		assert_int_equal(wait_of(&list_ask, 1, why, 0) >= 0,
				 cases[i].passes);
	}
}

static void test_requests(void **state)
{
	const struct error why = failure(ERR_CONNECT, 503);
	struct retry_policy policy = { .tries = 3 };

	(void)state;
	assert_int_equal(retry_wait(&policy, &list_ask, 1, &why, 0), 1000);
	assert_int_equal(retry_wait(&policy, &marked_ask, 1, &why, 0), 1000);
	assert_int_equal(retry_wait(&policy, &call_ask, 1, &why, 0), -1);
	assert_false(retry_may_repeat(&policy, &call_ask));
	policy.calls = true;
	assert_true(retry_may_repeat(&policy, &call_ask));
	assert_int_equal(retry_wait(&policy, &call_ask, 1, &why, 0), 1000);
}

static void test_count(void **state)
{
	const struct error why = failure(ERR_CONNECT, ECONNREFUSED);
	struct retry_policy policy = { .tries = 3 };

	(void)state;
	assert_true(retry_wait(&policy, &list_ask, 2, &why, 0) > 0);
	assert_int_equal(retry_wait(&policy, &list_ask, 3, &why, 0), -1);
	assert_int_equal(retry_wait(&policy, &list_ask, 4, &why, 0), -1);
	policy.tries = 1;
	assert_int_equal(retry_wait(&policy, &list_ask, 1, &why, 0), -1);
	policy.tries = 0;
	assert_int_equal(retry_wait(&policy, &list_ask, 1, &why, 0), -1);
}

static void test_waits(void **state)
{
	static const int64_t longest[] = { 1500,  2000,	 4000,	8000, 10000,
					   10000, 10000, 10000, 10000 };
	static const int64_t shortest[] = { 1000, 1000, 2000, 4000, 5000,
					    5000, 5000, 5000, 5000 };
	const struct error why = failure(ERR_CONNECT, 502);

	(void)state;
	for (unsigned i = 0; i < COUNT(longest); i++) {
		int64_t middle = wait_of(&list_ask, i + 1, why, 0.5);

		/* The first is made longer, the others shorter. */
		assert_int_equal(wait_of(&list_ask, i + 1, why, i != 0 ? 0 : 1),
				 longest[i]);
		assert_int_equal(wait_of(&list_ask, i + 1, why, i != 0 ? 1 : 0),
				 shortest[i]);
		assert_in_range(middle, shortest[i], longest[i]);
	}
}

static void test_many_tries(void **state)
{
	const struct retry_policy policy = { .tries = UINT32_MAX };
	const struct error why = failure(ERR_CONNECT, 502);

	(void)state;
	assert_int_equal(
		retry_wait(&policy, &list_ask, UINT32_MAX - 1, &why, 0),
		RETRY_MOST_MS);
}

static void test_asked(void **state)
{
	struct error why = failure(ERR_PEER, -32000);

	(void)state;
	why.retry_after = 5000;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), 5000);
	assert_int_equal(wait_of(&list_ask, 1, why, 1), 5000);
	why.retry_after = 10;
	assert_int_equal(wait_of(&list_ask, 4, why, 1), 10);
	why.retry_after = RETRY_ASKED_MOST_MS;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), RETRY_ASKED_MOST_MS);
	why.retry_after = RETRY_ASKED_MOST_MS + 1;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), -1);
	why.retry_after = INT64_MAX;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), -1);
	why.retry_after = -5;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), 1000);
	/* Who is not known to mean it says when, or it is not tried again. */
	assert_int_equal(wait_of(&plain_ask, 1, failure(ERR_PEER, -32000), 0),
			 -1);
	assert_int_equal(wait_of(&plain_ask, 1, failure(ERR_PEER, -32001), 0),
			 -1);
	assert_int_equal(wait_of(&plain_ask, 1, failure(ERR_CONNECT, 503), 0),
			 1000);
	why = failure(ERR_PEER, -32000);
	why.retry_after = 2000;
	assert_int_equal(wait_of(&plain_ask, 1, why, 0), 2000);
	/* Asking does not make it repeatable. */
	why = failure(ERR_PEER, -32603);
	why.retry_after = 1000;
	assert_int_equal(wait_of(&list_ask, 1, why, 0), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),
		cmocka_unit_test(test_requests),
		cmocka_unit_test(test_count),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_many_tries),
		cmocka_unit_test(test_asked),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
