/* SPDX-License-Identifier: MIT */
/* proxy/turn and proxy/lull: who goes on to the upstream, and who makes room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "base/mem.h"
#include "proxy/lull.h"
#include "proxy/proxy.h"
#include "proxy/turn.h"

#define LONG_AGO 100000 /* ms */

static struct proxy proxy;
static bool closed, happened;

/* Somebody who wants to be passed on. */
struct guest {
	struct share share;
	struct turn turn;
	struct lull lull;
	int went, late, ended;
};

static void on_go(void *owner)
{
	((struct guest *)owner)->went++;
	happened = true;
}

static void on_late(void *owner)
{
	((struct guest *)owner)->late++;
	happened = true;
}

static void on_end(void *owner)
{
	struct guest *g = owner;

	g->ended++;
	turn_over(&g->turn);
}

static void guest_open(struct guest *g, const char *from)
{
	struct sockaddr_in at = { .sin_family = AF_INET };

	*g = (struct guest){ .turn = { .proxy = &proxy,
				       .share = &g->share,
				       .from = from,
				       .go = on_go,
				       .late = on_late,
				       .end = on_end,
				       .owner = g },
			     .lull = { .proxy = &proxy,
				       .share = &g->share,
				       .end = on_end,
				       .owner = g } };
	assert_int_equal(inet_pton(AF_INET, from, &at.sin_addr), 1);
	share_open(&g->share, proxy.budget,
		   budget_key_address((struct sockaddr *)&at));
}

static void guest_close(struct guest *g)
{
	lull_over(&g->lull);
	turn_over(&g->turn);
	share_close(&g->share);
}

/* Until one goes, or is too late. */
static void see_one(void)
{
	happened = false;
	assert_int_equal(
		loop_wait(proxy.loop, &happened, loop_now() + 60000, NULL), 0);
}

static void on_closed(void *owner)
{
	(void)owner;
	closed = true;
}

/* Of one address three, of two a fourth. */
static int set_up(void **state)
{
	(void)state;
	proxy = (struct proxy){ .budget = budget_new() };
	budget_set(proxy.budget, BUDGET_UPSTREAM, 4);
	assert_int_equal(loop_new(&proxy.loop, NULL), 0);
	turns_open(&proxy);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	closed = false;
	turns_close(&proxy, on_closed);
	assert_int_equal(
		loop_wait(proxy.loop, &closed, loop_now() + 60000, NULL), 0);
	turns_done(&proxy);
	turns_done(&proxy);
	budget_free(proxy.budget);
	loop_free(proxy.loop);
	return 0;
}

/* Three of an address go at once, and the next when one of them is known. */
static void one_after_another(void **state)
{
	struct guest g[5];

	(void)state;
	for (int i = 0; i < 5; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
		assert_int_equal(g[i].went, i < 3);
		assert_int_equal(g[i].turn.at, i < 3 ? TURN_UP : TURN_WAITS);
	}
	assert_int_equal(share_upstream(&g[0].share), 3);
	turn_answered(&g[1].turn);
	assert_int_equal(g[1].turn.at, TURN_NONE);
	assert_int_equal(share_upstream(&g[0].share), 2);
	turn_answered(&g[1].turn);
	assert_int_equal(share_upstream(&g[0].share), 2);
	see_one();
	assert_int_equal(g[3].went, 1);
	assert_int_equal(g[4].went, 0);
	/* Who goes makes room, too. */
	guest_close(&g[0]);
	see_one();
	assert_int_equal(g[4].went, 1);
	for (int i = 1; i < 5; i++)
		guest_close(&g[i]);
	assert_null(proxy.turns->up);
	assert_null(proxy.turns->up_last);
	assert_null(proxy.turns->waiting);
	assert_null(proxy.turns->waiting_last);
	assert_int_equal(budget_used(proxy.budget, BUDGET_UPSTREAM), 0);
}

/* Whose address has fewest goes next, though it came last. */
static void the_fewest_first(void **state)
{
	struct guest g[4], other, third;

	(void)state;
	for (int i = 0; i < 4; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
	}
	guest_open(&other, "192.0.2.2");
	guest_open(&third, "192.0.2.2");
	turn_take(&other.turn, NULL, false);
	turn_take(&third.turn, NULL, false);
	assert_int_equal(other.turn.at, TURN_WAITS);
	turn_answered(&g[0].turn);
	see_one();
	assert_int_equal(other.went, 1);
	assert_int_equal(third.went, 0);
	assert_int_equal(g[3].went, 0);
	turn_answered(&g[1].turn);
	see_one();
	/* One each by now: who came first. */
	assert_int_equal(g[3].went, 1);
	assert_int_equal(third.went, 0);
	for (int i = 0; i < 4; i++)
		guest_close(&g[i]);
	see_one();
	assert_int_equal(third.went, 1);
	guest_close(&other);
	guest_close(&third);
}

/* Who comes does not overtake who waits. */
static void no_overtaking(void **state)
{
	struct guest g[4], other;

	(void)state;
	for (int i = 0; i < 4; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
	}
	assert_int_equal(g[3].turn.at, TURN_WAITS);
	turn_answered(&g[0].turn);
	turn_answered(&g[1].turn);
	guest_open(&other, "192.0.2.2");
	turn_take(&other.turn, NULL, false);
	assert_int_equal(other.went, 0);
	see_one();
	assert_int_equal(other.went, 1);
	for (int i = 0; i < 4; i++)
		guest_close(&g[i]);
	guest_close(&other);
}

/* Who was taken once goes first, a few at a time, and counts for nothing. */
static void known_ones_go_first(void **state)
{
	struct guest g[3], known[KNOWN_AT_ONCE + 1], shown;

	(void)state;
	for (int i = 0; i < 3; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, "a", false);
		assert_null(g[i].turn.known);
	}
	turn_proven(&g[0].turn, "a");
	turn_proven(&g[0].turn, "");
	turn_proven(&g[0].turn, NULL);
	assert_int_equal(proxy.turns->known.count, 1);
	assert_int_equal(g[0].turn.at, TURN_NONE);
	for (int i = 0; i <= KNOWN_AT_ONCE; i++) {
		guest_open(&known[i], "192.0.2.1");
		turn_take(&known[i].turn, "a", false);
		assert_int_equal(known[i].went, 1);
		assert_int_equal(known[i].turn.at,
				 i < KNOWN_AT_ONCE ? TURN_NONE : TURN_UP);
	}
	assert_int_equal(share_upstream(&g[0].share), 3);
	guest_open(&shown, "192.0.2.1");
	turn_take(&shown.turn, "b", true);
	assert_int_equal(shown.went, 1);
	assert_int_equal(share_upstream(&g[0].share), 3);
	guest_close(&shown);
	/* From elsewhere that name says nothing. */
	guest_open(&shown, "192.0.2.2");
	turn_take(&shown.turn, "a", false);
	assert_null(shown.turn.known);
	assert_int_equal(shown.turn.at, TURN_WAITS);
	guest_close(&shown);
	/* What one gives back, the next may have. */
	guest_close(&known[0]);
	assert_null(known[0].turn.known);
	guest_open(&known[0], "192.0.2.1");
	turn_take(&known[0].turn, "a", false);
	assert_non_null(known[0].turn.known);
	for (int i = 0; i <= KNOWN_AT_ONCE; i++)
		guest_close(&known[i]);
	for (int i = 0; i < 3; i++)
		guest_close(&g[i]);
}

/* Nobody waits for longer than that; who still may, does. */
static void too_late(void **state)
{
	struct guest g[6];

	(void)state;
	for (int i = 0; i < 6; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
	}
	g[3].turn.since -= TURN_MS + 1;
	g[4].turn.since -= TURN_MS + 1;
	g[5].turn.since += LONG_AGO;
	see_one();
	assert_int_equal(g[3].late, 1);
	assert_int_equal(g[4].late, 1);
	assert_int_equal(g[3].went + g[4].went, 0);
	assert_int_equal(g[3].turn.at, TURN_NONE);
	assert_int_equal(g[5].late, 0);
	assert_ptr_equal(proxy.turns->waiting, &g[5].turn);
	for (int i = 0; i < 6; i++)
		guest_close(&g[i]);
}

/* Who was passed on, and is silent, goes for one that waits. */
static void silent_ones_make_room(void **state)
{
	struct guest g[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
	}
	lull_waits(&g[2].lull);
	g[2].lull.heard -= LONG_AGO;
	see_one();
	assert_int_equal(g[3].went, 1);
	assert_int_equal(g[2].ended, 1);
	assert_int_equal(g[0].ended + g[1].ended, 0);
	for (int i = 0; i < 4; i++)
		guest_close(&g[i]);
}

/* As many go as are needed, and not one more. */
static void one_silent_for_one_that_waits(void **state)
{
	struct guest g[4];

	(void)state;
	for (int i = 0; i < 4; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
		if (i == 3)
			break;
		lull_waits(&g[i].lull);
		g[i].lull.heard -= LONG_AGO;
	}
	see_one();
	assert_int_equal(g[3].went, 1);
	assert_int_equal(g[0].ended + g[1].ended + g[2].ended, 1);
	for (int i = 0; i < 4; i++)
		guest_close(&g[i]);
}

/* For one that is known a place is made, of those that wait above all. */
static void room_for_known_ones(void **state)
{
	struct guest g[4];

	(void)state;
	assert_false(turn_make_room(&proxy, true));
	for (int i = 0; i < 4; i++) {
		guest_open(&g[i], "192.0.2.1");
		turn_take(&g[i].turn, NULL, false);
	}
	assert_false(turn_make_room(&proxy, false));
	assert_true(turn_make_room(&proxy, true));
	assert_int_equal(g[3].ended, 1);
	assert_int_equal(g[3].turn.at, TURN_NONE);
	assert_true(turn_make_room(&proxy, true));
	assert_int_equal(g[0].ended, 1);
	assert_int_equal(share_upstream(&g[0].share), 2);
	/* Who is silent before all others, for whomever it is. */
	lull_waits(&g[2].lull);
	g[2].lull.heard -= LONG_AGO;
	assert_true(turn_make_room(&proxy, false));
	assert_int_equal(g[2].ended, 1);
	assert_int_equal(g[1].ended, 0);
	for (int i = 0; i < 4; i++)
		guest_close(&g[i]);
}

/* What never began is over already. */
static void none_that_began(void **state)
{
	struct turn t = { 0 };

	(void)state;
	turn_over(&t);
	turn_answered(&t);
	assert_int_equal(t.at, TURN_NONE);
}

/* ---- lulls ---- */

static void the_longest_silent_one(void **state)
{
	struct guest g[3];

	(void)state;
	assert_false(lull_make_room(&proxy));
	for (int i = 0; i < 3; i++) {
		guest_open(&g[i], "192.0.2.1");
		lull_waits(&g[i].lull);
		assert_true(g[i].lull.waits);
		g[i].lull.heard -= LONG_AGO;
	}
	/* It said something: it is the last of them. */
	lull_waits(&g[0].lull);
	g[0].lull.heard += LONG_AGO;
	assert_ptr_equal(proxy.lulls, &g[1].lull);
	assert_ptr_equal(proxy.lulls_last, &g[0].lull);
	assert_true(lull_make_room(&proxy));
	assert_int_equal(g[1].ended, 1);
	assert_false(g[1].lull.waits);
	assert_true(lull_make_room(&proxy));
	assert_int_equal(g[2].ended, 1);
	assert_false(lull_make_room(&proxy));
	assert_int_equal(g[0].ended, 0);
	lull_over(&g[0].lull);
	lull_over(&g[0].lull);
	assert_null(proxy.lulls);
	assert_null(proxy.lulls_last);
	for (int i = 0; i < 3; i++)
		guest_close(&g[i]);
}

/* What comes in drops helps it for a while, and no longer. */
static void drops_do_not_help(void **state)
{
	struct guest g[2];
	int64_t heard;

	(void)state;
	for (int i = 0; i < 2; i++) {
		guest_open(&g[i], "192.0.2.1");
		lull_waits(&g[i].lull);
	}
	g[0].lull.begun -= LONG_AGO;
	g[0].lull.heard -= LONG_AGO;
	heard = g[0].lull.heard;
	lull_waits(&g[0].lull);
	assert_int_equal(g[0].lull.heard, heard);
	assert_ptr_equal(proxy.lulls, &g[0].lull);
	/* A wait of its own begins anew. */
	lull_over(&g[0].lull);
	lull_waits(&g[0].lull);
	assert_true(g[0].lull.heard > heard);
	assert_true(g[0].lull.begun > heard);
	assert_ptr_equal(proxy.lulls_last, &g[0].lull);
	for (int i = 0; i < 2; i++)
		guest_close(&g[i]);
}

/* Of those that were passed on, though another is silent for longer. */
static void those_passed_on(void **state)
{
	struct guest g[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		guest_open(&g[i], "192.0.2.1");
		lull_waits(&g[i].lull);
		g[i].lull.heard -= LONG_AGO;
	}
	assert_false(lull_end_passed(&proxy));
	assert_true(share_pass_on(&g[1].share));
	assert_true(lull_end_passed(&proxy));
	assert_int_equal(g[1].ended, 1);
	assert_int_equal(g[0].ended, 0);
	assert_ptr_equal(proxy.lulls, &g[0].lull);
	for (int i = 0; i < 2; i++)
		guest_close(&g[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(one_after_another, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_fewest_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(no_overtaking, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(known_ones_go_first, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(too_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(silent_ones_make_room, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(one_silent_for_one_that_waits,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(room_for_known_ones, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(none_that_began, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_longest_silent_one, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(drops_do_not_help, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(those_passed_on, set_up,
						tear_down),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
