/* SPDX-License-Identifier: MIT */
/*
 * base/map: many, several of one hash, what is removed between the others.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/mem.h"

enum { MANY = 3000 };
static size_t number[MANY];

static void *find(const struct map *t, uint64_t hash)
{
	size_t at = 0;

	return map_find(t, hash, &at);
}

static void fill(struct map *t)
{
	for (size_t i = 0; i < MANY; i++) {
		number[i] = i;
		map_add(t, map_hash(&i, sizeof(i)), &number[i]);
	}
}

static void test_many(void **state)
{
	struct map t = { 0 };

	(void)state;
	assert_null(find(&t, 1));
	assert_false(map_remove(&t, 1, number));
	fill(&t);
	assert_int_equal(t.count, MANY);
	for (size_t i = 0; i < MANY; i += 3)
		assert_true(
			map_remove(&t, map_hash(&i, sizeof(i)), &number[i]));
	for (size_t i = 0; i < MANY; i++)
		assert_ptr_equal(find(&t, map_hash(&i, sizeof(i))),
				 i % 3 ? &number[i] : NULL);
	assert_int_equal(t.count, MANY - MANY / 3);
	map_done(&t);
	assert_null(t.slot);
	assert_int_equal(t.count, 0);
	assert_null(find(&t, 1));
}

static int downwards(const void *a, const void *b)
{
	const size_t *const *one = a, *const *other = b;

	return (**one < **other) - (**one > **other);
}

static void test_sorted(void **state)
{
	struct map t = { 0 };
	void **all;

	(void)state;
	assert_null(map_sorted(&t, downwards));
	fill(&t);
	all = map_sorted(&t, downwards);
	for (size_t i = 0; i < MANY; i++)
		assert_ptr_equal(all[i], &number[MANY - 1 - i]);
	mem_free(all);
	map_done(&t);
}

/* Whatever stands beside them: all slots are tried as the last and the first. */
static void test_same_hash(void **state)
{
	(void)state;
	for (uint64_t hash = 1; hash < 40; hash++) {
		struct map t = { 0 };
		size_t at = 0, seen = 0, *n;

		for (size_t i = 0; i < 5; i++) {
			map_add(&t, hash, &number[i]);
			map_add(&t, hash + 1, &number[10 + i]);
		}
		assert_true(map_remove(&t, hash, &number[2]));
		assert_false(map_remove(&t, hash, &number[2]));
		assert_false(map_remove(&t, hash, &number[11]));
		while ((n = map_find(&t, hash, &at)))
			seen += (size_t)(n - number) + 1;
		assert_int_equal(seen, 1 + 2 + 4 + 5);
		at = seen = 0;
		while ((n = map_find(&t, hash + 1, &at)))
			seen += (size_t)(n - number) - 9;
		assert_int_equal(seen, 1 + 2 + 3 + 4 + 5);
		at = seen = 0;
		while (map_each(&t, &at))
			seen++;
		assert_int_equal(seen, 9);
		map_done(&t);
	}
}

static bool is_small(void *owner, void *item)
{
	(*(size_t *)owner)++;
	return *(size_t *)item < 10;
}

static void test_sweep(void **state)
{
	struct map t = { 0 };
	size_t asked = 0;

	(void)state;
	map_sweep(&t, is_small, &asked);
	assert_int_equal(asked, 0);
	fill(&t);
	map_sweep(&t, is_small, &asked);
	assert_int_equal(asked, MANY);
	assert_int_equal(t.count, 10);
	assert_true(t.capacity < 100);
	for (size_t i = 0; i < 20; i++)
		assert_int_equal(!find(&t, map_hash(&i, sizeof(i))), i >= 10);
	map_done(&t);
}

static void test_hash(void **state)
{
	(void)state;
	assert_int_equal(map_hash_text("abc"), map_hash("abcd", 3));
	assert_int_not_equal(map_hash_text("abc"), map_hash("abc", 4));
	assert_int_not_equal(map_hash_text(""), 0);
	assert_int_not_equal(map_hash_text("abcdefgh1"),
			     map_hash_text("abcdefgh2"));
	assert_int_not_equal(map_hash_text("abcdefgh1"),
			     map_hash_text("abcdefgi1"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many),	  cmocka_unit_test(test_sorted),
		cmocka_unit_test(test_same_hash), cmocka_unit_test(test_sweep),
		cmocka_unit_test(test_hash),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
