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

/* The last end that can be told, and the first of several. */
static void ends(void **state)
{
	struct lease *last = wants("last", "a", LEASE_OPEN - 1001);
	struct lease *never = wants("never", "b", LEASE_OPEN - 1000);
	struct lease *late = wants("late", "c", 700);

	(void)state;
	wants("soon", "d", 600);
	wants("soon, too", "e", 601);
	while (leases_turn(&table, 1000))
		;
	assert_true(last->until == LEASE_OPEN - 1);
	assert_true(never->until == LEASE_OPEN);
	assert_int_equal(late->until, 1700);
	assert_int_equal(leases_deadline(&table), 1600);
	assert_ptr_equal(leases_due(&table, 1700), late);
	assert_string_equal(leases_due(&table, 1699)->by, "soon");
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

/* It has its token in format, twice; are all in there known? */
static void assert_knows(const struct lease *l, const char *format, bool known)
{
	CLEANUP(buf_done) struct buf given = { 0 };

	for (; *format; format++) {
		if (*format == '%' && format++)
			buf_text(&given, l->token);
		else
			buf_char(&given, *format);
	}
	assert_true(lease_has_token(l, buf_string(&given)));
	assert_int_equal(leases_know(&table, buf_string(&given)), known);
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
	assert_knows(l, ", %s ,,%s , ", true);
	assert_knows(l, "%s,x,%s", false);
	assert_knows(l, "x,%s %s", false);
	assert_knows(l, "%s,%s,x", false);
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
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text,
			    "4097 boards are too many for one lease: 4096");
	error_reset(&err);
	assert_int_equal(table.count, 0);
	mem_free(ids.word[--ids.count]);
	ids.word[ids.count] = NULL;
	leases_remove(&table, leases_add(&table, &many, NULL));
	words_add(&one, "a");
	for (int i = 0; i < LEASES_MAX; i++)
		assert_non_null(leases_add(&table, &small, NULL));
	assert_null(leases_add(&table, &small, &err));
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(
		err.text,
		"serve has 256 leases and who waits for one, which is the most");
	assert_string_equal(err.hint,
			    "'mcpctl devices' shows who holds which board");
	error_reset(&err);
}

static void assert_tells(const struct lease *l, int64_t now, const char *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	lease_tell(&out, l, now);
	assert_string_equal(buf_string(&out), words);
}

static void assert_until(const struct lease *l, int64_t now, int64_t unix_now,
			 const char *time)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(mem_free_ptr)
	char *end = mem_printf("\"until\":\"2023-11-14T%sZ\"}", time);

	lease_describe(&out, l, now, unix_now);
	assert_non_null(strstr(buf_string(&out), end));
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
	assert_tells(brief, 1000, "leased by ci \"17\" for 1 min 30 s more");
	assert_tells(brief, 89000, "leased by ci \"17\" for 2 s more");
	assert_tells(brief, 89001, "leased by ci \"17\" for 2 s more");
	assert_tells(brief, 90000, "leased by ci \"17\" for 1 s more");
	assert_tells(brief, 90999, "leased by ci \"17\" for 1 s more");
	assert_tells(brief, 91000, "leased by ci \"17\" for 0 ms more");
	assert_tells(brief, 95000, "leased by ci \"17\" for 0 ms more");
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
	assert_until(brief, 1000, 1700000000499, "22:14:50");
	assert_until(brief, 1000, 1700000000500, "22:14:51");
	assert_until(brief, 1250, 1700000000749, "22:14:50");
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
		cmocka_unit_test_teardown(ends, done),
		cmocka_unit_test_teardown(who_left_gets_no_turn, done),
		cmocka_unit_test_teardown(tokens, done),
		cmocka_unit_test_teardown(bounds, done),
		cmocka_unit_test_teardown(in_words, done),
	};

	return cmocka_run_group_tests_name("leases", tests, NULL, NULL);
}
