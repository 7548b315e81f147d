/* SPDX-License-Identifier: MIT */
/*
 * Addresses that one picture may be sent to: for whom, how long, how many.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "net/passes.h"

#define ONE "02:00:00:00:00:0b"
#define OTHER "02:00:00:00:00:0a"

static struct passes passes;

static int clean(void **state)
{
	(void)state;
	passes_done(&passes);
	assert_int_equal(passes.count, 0);
	return 0;
}

static void add(char token[RANDOM_HEX_SIZE], const char *id, int64_t now)
{
	snprintf(token, RANDOM_HEX_SIZE, "%s", passes_add(&passes, id, now));
	assert_int_equal(strlen(token), RANDOM_HEX_SIZE - 1);
}

/* NULL: it takes nobody's. */
static void takes(const char *token, int64_t now, const char *id)
{
	CLEANUP(mem_free_ptr) char *got = passes_take(&passes, token, now);

	if (id)
		assert_string_equal(got ? got : "NULL", id);
	else
		assert_null(got);
}

static void test_once(void **state)
{
	char one[RANDOM_HEX_SIZE], other[RANDOM_HEX_SIZE], bad[64];

	(void)state;
	takes("", 1000, NULL);
	add(one, ONE, 1000);
	add(other, OTHER, 1000);
	assert_string_not_equal(one, other);
	takes("", 1000, NULL);
	takes("00000000000000000000000000000000", 1000, NULL);
	snprintf(bad, sizeof(bad), "%s0", one);
	takes(bad, 1000, NULL);
	bad[RANDOM_HEX_SIZE - 2] = '\0';
	takes(bad, 1000, NULL);
	assert_int_equal(passes.count, 2);
	takes(one, 1000, ONE);
	takes(one, 1000, NULL);
	takes(other, 1000, OTHER);
	assert_int_equal(passes.count, 0);
}

static void test_ten_minutes(void **state)
{
	char token[RANDOM_HEX_SIZE];

	(void)state;
	add(token, ONE, 1000);
	takes(token, 601000, NULL);
	assert_int_equal(passes.count, 1);
	takes(token, 600999, ONE);
}

/* Those of others stay, though they are older. */
static void test_oldest_of_a_device(void **state)
{
	char first[RANDOM_HEX_SIZE], second[RANDOM_HEX_SIZE],
		third[RANDOM_HEX_SIZE], other[RANDOM_HEX_SIZE],
		last[RANDOM_HEX_SIZE];

	(void)state;
	add(other, OTHER, 1);
	add(first, ONE, 2);
	add(second, ONE, 2);
	add(third, ONE, 2);
	for (int i = 3; i < 16; i++)
		add(last, ONE, 2);
	assert_int_equal(passes.count, 17);
	/* All of them are good; one more, and the first is not. */
	assert_string_equal(passes.item[1].token, first);
	add(last, ONE, 3);
	assert_int_equal(passes.count, 17);
	takes(first, 3, NULL);
	takes(other, 3, OTHER);
	/* Now there is room for one. */
	takes(third, 3, ONE);
	add(last, ONE, 3);
	takes(second, 3, ONE);
	takes(last, 3, ONE);
}

/* They make room by themselves, and move those behind them. */
static void test_late_ones_go(void **state)
{
	char late[RANDOM_HEX_SIZE], first[RANDOM_HEX_SIZE],
		second[RANDOM_HEX_SIZE], last[RANDOM_HEX_SIZE];

	(void)state;
	add(late, OTHER, 0);
	add(late, OTHER, 0);
	add(first, ONE, 1);
	add(second, ONE, 1);
	for (int i = 2; i < 16; i++)
		add(last, ONE, 1);
	add(last, ONE, PASS_MS);
	assert_int_equal(passes.count, 16);
	takes(first, 2, NULL);
	takes(second, 2, ONE);
	/* All at once. */
	add(last, ONE, 3 * PASS_MS);
	assert_int_equal(passes.count, 1);
	takes(last, 3 * PASS_MS, ONE);
}

static void test_oldest_of_all(void **state)
{
	char first[RANDOM_HEX_SIZE], second[RANDOM_HEX_SIZE],
		last[RANDOM_HEX_SIZE], id[32];

	(void)state;
	for (int i = 0; i < PASSES_MAX; i++) {
		snprintf(id, sizeof(id), "device %d", i);
		add(i == 0 ? first : i == 1 ? second : last, id, 1);
	}
	assert_int_equal(passes.count, 1024);
	add(last, ONE, 1);
	assert_int_equal(passes.count, 1024);
	takes(first, 1, NULL);
	takes(second, 1, "device 1");
	takes(last, 1, ONE);
}

/* A visit at that path, by who says that name; NULL: by none. */
static struct visit at(struct front_head *head, const char *path,
		       const char *device)
{
	*head = (struct front_head){ .path = path };
	return (struct visit){ .head = head, .who = { .device_id = device } };
}

static bool shows(const char *before, const char *token, const char *behind)
{
	CLEANUP(mem_free_ptr)
	char *path = mem_printf("%s%s%s", before, token, behind);
	struct front_head head;
	const struct visit v = at(&head, path, NULL);

	return passes_show(&passes, &v);
}

static void test_shown(void **state)
{
	char token[RANDOM_HEX_SIZE], late[RANDOM_HEX_SIZE];

	(void)state;
	add(late, ONE, loop_now() - PASS_MS);
	assert_false(shows("/upload/", late, ""));
	assert_false(shows("/upload", "", ""));
	assert_false(shows("/upload/", "", ""));
	add(token, ONE, loop_now());
	assert_true(shows("/upload/", token, ""));
	assert_true(shows("/upload/", token, "/"));
	assert_false(shows("/upload/", token, "//"));
	assert_false(shows("/upload//", token, ""));
	assert_false(shows("/upload/", token, "x"));
	assert_false(shows("/uploax/", token, ""));
	assert_false(shows("/x/upload/", token, ""));
	assert_false(shows("/upload/", "", ""));
	/* It is used up by none of them. */
	assert_true(shows("/upload/", token, ""));
}

/* By who comes as `device`; id NULL: it is not for him. */
static void sent(const char *device, const char *id)
{
	char token[RANDOM_HEX_SIZE];
	struct front_head head;

	add(token, ONE, loop_now());
	{
		CLEANUP(mem_free_ptr)
		char *path = mem_printf("/upload/%s", token);
		const struct visit v = at(&head, path, device);
		CLEANUP(mem_free_ptr)
		char *got = passes_take_address(&passes, &v);

		if (id)
			assert_string_equal(got ? got : "NULL", id);
		else
			assert_null(got);
		/* Used up. */
		assert_int_equal(passes.count, 0);
	}
}

static void test_sent(void **state)
{
	struct front_head head;
	const struct visit v = at(&head, "/upload/", NULL);

	(void)state;
	sent(NULL, ONE);
	sent(ONE, ONE);
	sent("02:00:00:00:00:0B", ONE);
	sent(OTHER, NULL);
	assert_null(passes_take_address(&passes, &v));
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_once),
		TEST(test_ten_minutes),
		TEST(test_oldest_of_a_device),
		TEST(test_late_ones_go),
		TEST(test_oldest_of_all),
		TEST(test_shown),
		TEST(test_sent),
	};

	mem_init();
	return cmocka_run_group_tests_name("passes", tests, NULL, NULL);
}
