/* SPDX-License-Identifier: MIT */
/* The table of leases: whose turn it is, what ends, whose token fits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"
#include "serve/leases.h"

static struct leases table;
static char holders[8];

static int done(void **state)
{
	(void)state;
	leases_done(&table);
	return 0;
}

/* line: ids, a space between. */
static struct lease *wants(const char *by, const char *line, int64_t length)
{
	CLEANUP(words_done) struct words ids = { 0 };
	const struct lease_order order = {
		.by = by, .ids = &ids, .length = length, .holder = &holders[0]
	};
	struct lease *l;

	assert_int_equal(words_split(&ids, line, NULL), 0);
	l = leases_add(&table, &order, NULL);
	assert_non_null(l);
	assert_false(lease_is_held(l));
	return l;
}

static const char *holder_of(const char *id)
{
	const struct lease *l = leases_of(&table, id, NULL, NULL);

	return l ? l->by : NULL;
}

static void free_boards_are_had_at_once(void **state)
{
	struct lease *l = wants("ci", "a b", 500);

	(void)state;
	assert_null(holder_of("a"));
	assert_ptr_equal(leases_turn(&table, 1000), l);
	assert_null(leases_turn(&table, 1000));
	assert_true(lease_is_held(l));
	assert_int_equal(strlen(l->token), RANDOM_HEX_SIZE - 1);
	assert_string_equal(holder_of("a"), "ci");
	/* A board by any of its ids, in any case. */
	assert_ptr_equal(leases_of(&table, "x", "B", NULL), l);
	assert_ptr_equal(leases_of(&table, "x", "y", "b"), l);
	assert_null(leases_of(&table, "x", NULL, "c"));
	leases_remove(&table, l);
	assert_null(holder_of("a"));
	assert_int_equal(table.count, 0);
}

static void all_boards_or_none(void **state)
{
	struct lease *one = wants("one", "a b", 0);
	struct lease *two, *other;

	(void)state;
	leases_turn(&table, 0);
	/* In the other order: it waits, and holds c meanwhile for nobody. */
	two = wants("two", "c b", 0);
	other = wants("other", "d", 0);
	assert_ptr_equal(leases_turn(&table, 0), other);
	assert_null(leases_turn(&table, 0));
	assert_null(holder_of("c"));
	leases_remove(&table, one);
	assert_ptr_equal(leases_turn(&table, 0), two);
	assert_string_equal(holder_of("b"), "two");
	assert_string_equal(holder_of("c"), "two");
	assert_null(holder_of("a"));
}

static void in_the_order_of_asking(void **state)
{
	struct lease *first = wants("first", "a", 0);
	struct lease *both, *late, *beside;

	(void)state;
	leases_turn(&table, 0);
	both = wants("both", "a b", 0);
	/* b is free, and still not for who came after the one who wants it. */
	late = wants("late", "b", 0);
	beside = wants("beside", "c", 0);
	assert_ptr_equal(leases_turn(&table, 0), beside);
	assert_null(leases_turn(&table, 0));
	leases_remove(&table, first);
	assert_ptr_equal(leases_turn(&table, 0), both);
	assert_null(leases_turn(&table, 0));
	leases_remove(&table, both);
	assert_ptr_equal(leases_turn(&table, 0), late);
}

static void who_is_before(void **state)
{
	struct lease *held = wants("held", "a", 0);
	const struct lease *waits, *last, *l;
	const char *board;

	(void)state;
	leases_turn(&table, 0);
	waits = wants("waits", "b a", 0);
	wants("beside", "z", 0);
	last = wants("last", "b a", 0);
	assert_null(leases_before(&table, held, NULL, &board));
	l = leases_before(&table, waits, NULL, &board);
	assert_ptr_equal(l, held);
	assert_string_equal(board, "a");
	assert_null(leases_before(&table, waits, l, &board));
	l = leases_before(&table, last, NULL, &board);
	assert_ptr_equal(l, held);
	l = leases_before(&table, last, l, &board);
	assert_ptr_equal(l, waits);
	assert_null(leases_before(&table, last, l, &board));
}

static void time_ends_it(void **state)
{
	struct lease *brief = wants("brief", "a", 500);
	struct lease *open = wants("open", "b", 0);

	(void)state;
	assert_true(leases_deadline(&table) == LEASE_OPEN);
	while (leases_turn(&table, 1000))
		;
	assert_int_equal(leases_deadline(&table), 1500);
	assert_null(leases_due(&table, 1499));
	assert_ptr_equal(leases_due(&table, 1500), brief);
	leases_remove(&table, brief);
	assert_null(leases_due(&table, INT64_MAX - 1));
	/* More than a clock can tell is no end. */
	leases_remove(&table, open);
	brief = wants("long", "a", INT64_MAX - 1);
	leases_turn(&table, 1000);
	assert_true(brief->until == LEASE_OPEN);
}

static void who_left_gets_no_turn(void **state)
{
	struct lease *held = wants("held", "a", 0);
	struct lease *gone, *next;

	(void)state;
	leases_turn(&table, 0);
	gone = wants("gone", "a", 0);
	next = wants("next", "a", 0);
	assert_ptr_equal(leases_by_holder(&table, &holders[0]), held);
	lease_leave(gone);
	lease_leave(held);
	assert_ptr_equal(leases_by_holder(&table, &holders[0]), next);
	assert_null(leases_by_holder(&table, &holders[1]));
	assert_ptr_equal(leases_due(&table, 1), held);
	leases_remove(&table, held);
	assert_ptr_equal(leases_turn(&table, 1), next);
	assert_ptr_equal(leases_due(&table, 1), gone);
}

static void tokens(void **state)
{
	struct lease *l = wants("l", "a", 0);
	struct lease *m = wants("m", "b", 0);
	const struct lease *waits;
	CLEANUP(mem_free_ptr) char *both = NULL;
	char cut[RANDOM_HEX_SIZE];

	(void)state;
	while (leases_turn(&table, 0))
		;
	waits = wants("waits", "a", 0);
	both = mem_printf("%s,%s", l->token, m->token);
	assert_string_not_equal(l->token, m->token);
	assert_true(lease_has_token(l, l->token));
	assert_true(lease_has_token(l, both));
	assert_true(lease_has_token(m, both));
	assert_false(lease_has_token(m, l->token));
	assert_false(lease_has_token(l, ""));
	assert_false(lease_has_token(l, NULL));
	assert_false(lease_has_token(l, ",,"));
	/* It has none yet: nothing is equal to nothing. */
	assert_false(lease_has_token(waits, ""));
	snprintf(cut, sizeof(cut), "%.31s", l->token);
	assert_false(lease_has_token(l, cut));
	assert_true(leases_know(&table, both));
	assert_true(leases_know(&table, ""));
	assert_true(leases_know(&table, NULL));
	assert_false(leases_know(&table, cut));
	leases_remove(&table, m);
	assert_false(leases_know(&table, both));
}

static void bounds(void **state)
{
	CLEANUP(words_done) struct words ids = { 0 }, one = { 0 };
	const struct lease_order many = { .by = "x", .ids = &ids };
	const struct lease_order small = { .by = "x", .ids = &one };
	struct error err = { 0 };

	(void)state;
	for (int i = 0; i <= LEASE_BOARDS_MAX; i++) {
		CLEANUP(mem_free_ptr) char *id = mem_printf("%d", i);

		words_add(&ids, id);
	}
	assert_null(leases_add(&table, &many, &err));
	assert_non_null(strstr(err.text, "too many for one lease"));
	error_reset(&err);
	words_add(&one, "a");
	for (int i = 0; i < LEASES_MAX; i++)
		assert_non_null(leases_add(&table, &small, NULL));
	assert_null(leases_add(&table, &small, &err));
	assert_int_equal(err.kind, ERR_CONNECT);
	error_reset(&err);
}

static void in_words(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct lease *brief = wants("ci \"17\"", "a", 90000);
	struct lease *open = wants("open", "b", 0);
	const struct lease *waits;

	(void)state;
	while (leases_turn(&table, 1000))
		;
	waits = wants("waits", "a", 0);
	lease_tell(&out, brief, 1001);
	assert_string_equal(buf_string(&out),
			    "leased by ci \"17\" for 1 min 30 s more");
	buf_reset(&out);
	lease_tell(&out, open, 1001);
	assert_string_equal(buf_string(&out),
			    "leased by open until its command ends");
	buf_reset(&out);
	lease_tell(&out, waits, 1001);
	assert_string_equal(buf_string(&out),
			    "wanted by waits, who asked earlier");
	buf_reset(&out);
	/* 1000 on this clock is 1700000000.250 of the day. */
	lease_describe(&out, brief, 1000, 1700000000250);
	assert_string_equal(
		buf_string(&out),
		"{\"by\":\"ci \\\"17\\\"\",\"until\":\"2023-11-14T22:14:50Z\"}");
	buf_reset(&out);
	lease_describe(&out, open, 1000, 1700000000250);
	assert_string_equal(buf_string(&out),
			    "{\"by\":\"open\",\"until\":null}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(free_boards_are_had_at_once, done),
		cmocka_unit_test_teardown(all_boards_or_none, done),
		cmocka_unit_test_teardown(in_the_order_of_asking, done),
		cmocka_unit_test_teardown(who_is_before, done),
		cmocka_unit_test_teardown(time_ends_it, done),
		cmocka_unit_test_teardown(who_left_gets_no_turn, done),
		cmocka_unit_test_teardown(tokens, done),
		cmocka_unit_test_teardown(bounds, done),
		cmocka_unit_test_teardown(in_words, done),
	};

	return cmocka_run_group_tests_name("leases", tests, NULL, NULL);
}
