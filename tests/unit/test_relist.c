/* SPDX-License-Identifier: MIT */
/* When tools that changed are listed again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/loop.h"
#include "mcp/relist.h"

#define AT 50000

static void not_without_a_change(void **state)
{
	struct relist r = { 0 };

	(void)state;
	assert_int_equal(relist_at(&r), LOOP_FOREVER);
	relist_begin(&r, AT);
	relist_begin(&r, AT);
	assert_int_equal(relist_at(&r), LOOP_FOREVER);
}

/* The first change is seen at once, also right behind the first list. */
static void twice_at_once(void **state)
{
	struct relist r = { .stale = true };

	(void)state;
	assert_true(relist_at(&r) <= AT);
	relist_begin(&r, AT);
	r.stale = true;
	assert_true(relist_at(&r) <= AT);
	relist_begin(&r, AT + 1);
	assert_false(r.stale);
	r.stale = true;
	assert_int_equal(relist_at(&r), AT + RELIST_MS);
}

/* One that says at each list that it changed. */
static void without_an_end(void **state)
{
	struct relist r = { 0 };
	int64_t now = AT;
	unsigned lists = 0;

	(void)state;
	while (now < AT + 10 * (int64_t)RELIST_MS) {
		relist_begin(&r, now);
		lists++;
		r.stale = true;
		if (relist_at(&r) > now)
			now = relist_at(&r);
	}
	assert_int_equal(lists, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(not_without_a_change),
		cmocka_unit_test(twice_at_once),
		cmocka_unit_test(without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
