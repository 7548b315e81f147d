/* SPDX-License-Identifier: MIT */
/*
 * proxy/known: whom the upstream took for one of its own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "proxy/known.h"

static void by_name_and_host(void **state)
{
	struct known_names k = { 0 };

	(void)state;
	assert_null(known_find(&k, "a", "192.0.2.1"));
	known_add(&k, "a", "192.0.2.1");
	known_add(&k, "a", "192.0.2.1");
	assert_int_equal(k.count, 1);
	assert_non_null(known_find(&k, "a", "192.0.2.1"));
	assert_null(known_find(&k, "a", "192.0.2.2"));
	assert_null(known_find(&k, "b", "192.0.2.1"));
	assert_null(known_find(&k, NULL, "192.0.2.1"));
	known_done(&k);
}

static void a_few_at_once(void **state)
{
	struct known_names k = { 0 };
	struct known *one;

	(void)state;
	known_add(&k, "a", "");
	one = known_find(&k, "a", "");
	for (int i = 0; i < KNOWN_AT_ONCE; i++) {
		assert_ptr_equal(known_find(&k, "a", ""), one);
		known_use(one);
	}
	assert_null(known_find(&k, "a", ""));
	known_unuse(one);
	assert_ptr_equal(known_find(&k, "a", ""), one);
	for (int i = 1; i < KNOWN_AT_ONCE; i++)
		known_unuse(one);
	known_done(&k);
}

/* Who was proven longest ago is forgotten, but not one that is there. */
static void no_more_than_so_many(void **state)
{
	struct known_names k = { 0 };
	struct known *used;
	char name[16];

	(void)state;
	known_add(&k, "used", "");
	known_add(&k, "first", "");
	known_add(&k, "again", "");
	used = known_find(&k, "used", "");
	known_use(used);
	for (int i = 0; k.count < KNOWN_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		known_add(&k, name, "");
	}
	known_add(&k, "again", "");
	known_add(&k, "one more", "");
	assert_int_equal(k.count, KNOWN_MAX);
	assert_null(known_find(&k, "first", ""));
	assert_ptr_equal(known_find(&k, "used", ""), used);
	known_add(&k, "and one", "");
	assert_null(known_find(&k, "0", ""));
	assert_non_null(known_find(&k, "again", ""));
	known_unuse(used);
	known_done(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(by_name_and_host),
		cmocka_unit_test(a_few_at_once),
		cmocka_unit_test(no_more_than_so_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
