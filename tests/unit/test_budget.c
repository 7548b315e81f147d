/* SPDX-License-Identifier: MIT */
/*
 * net/budget: what strangers may hold in sum, and each address by itself.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <string.h>

#include "base/loop.h"
#include "net/budget.h"

static struct budget *b;

static int set_up(void **state)
{
	(void)state;
	b = budget_new();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	assert_int_equal(budget_holders(b), 0);
	budget_free(b);
	return 0;
}

static int tear_down_spent(void **state)
{
	(void)state;
	budget_free(b);
	return 0;
}

static struct budget_key key(const char *text)
{
	struct sockaddr_in v4 = { .sin_family = AF_INET };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6 };

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return budget_key_address((struct sockaddr *)&v4);
	assert_int_equal(inet_pton(AF_INET6, text, &v6.sin6_addr), 1);
	return budget_key_address((struct sockaddr *)&v6);
}

static bool same(const char *one, const char *other)
{
	struct budget_key x = key(one), y = key(other);

	return !memcmp(&x, &y, sizeof(x));
}

static void keys(void **state)
{
	struct budget_key name = budget_key_name("02:00:00:00:00:01");
	struct budget_key other = budget_key_name("02:00:00:00:00:02");
	struct budget_key address = key("192.0.2.1");

	(void)state;
	assert_true(same("192.0.2.1", "192.0.2.1"));
	assert_false(same("192.0.2.1", "192.0.2.2"));
	assert_true(same("192.0.2.1", "::ffff:192.0.2.1"));
	assert_false(same("192.0.2.1", "::ffff:192.0.2.2"));
	assert_true(same("2001:db8:1:2::1", "2001:db8:1:2:ffff::9"));
	assert_false(same("2001:db8:1:2::1", "2001:db8:1:3::1"));
	assert_memory_not_equal(&name, &other, sizeof(name));
	assert_memory_not_equal(&name, &address, sizeof(name));
	/* As no address of a peer begins. */
	assert_int_equal(name.of[0], 0xff);
}

/* Alone 15/16; with two of them less; and there is something left. */
static void connections(void **state)
{
	struct share one[80] = { { 0 } }, other[80] = { { 0 } };
	int a = 0, c = 0;

	(void)state;
	budget_set(b, BUDGET_HEADS, 70);
	do
		share_open(&one[a], b, key("192.0.2.1"));
	while (!share_is_over(&one[a++]));
	assert_int_equal(a - 1, 65);
	while (a > 30)
		share_close(&one[--a]);
	do
		share_open(&other[c], b, key("192.0.2.2"));
	while (!share_is_over(&other[c++]));
	assert_int_equal(c - 1, 37);
	assert_int_equal(budget_used(b, BUDGET_HEADS), 68);
	assert_int_equal(budget_holders(b), 2);
	/* A third one comes in all the same. */
	share_open(&one[a], b, key("192.0.2.3"));
	assert_false(share_is_over(&one[a++]));
	while (a)
		share_close(&one[--a]);
	while (c)
		share_close(&other[--c]);
	assert_int_equal(budget_used(b, BUDGET_HEADS), 0);
}

static void more_than_all(void **state)
{
	struct share s[4] = { { 0 } };

	(void)state;
	budget_set(b, BUDGET_HEADS, 2);
	for (int i = 0; i < 4; i++)
		share_open(&s[i], b, key("192.0.2.1"));
	assert_true(share_is_over(&s[0]));
	for (int i = 0; i < 4; i++)
		share_close(&s[i]);
}

/* Half heads of an address do not keep out who asks. */
static void heads_apart(void **state)
{
	struct share s[4] = { { 0 } }, other = { 0 };

	(void)state;
	budget_set(b, BUDGET_HEADS, 4);
	budget_set(b, BUDGET_CONNECTIONS, 4);
	for (int i = 0; i < 4; i++)
		share_open(&s[i], b, key("192.0.2.1"));
	assert_true(share_is_over(&s[3]));
	share_ask(&s[3]);
	assert_false(share_is_over(&s[3]));
	assert_int_equal(budget_used(b, BUDGET_HEADS), 3);
	assert_int_equal(budget_used(b, BUDGET_CONNECTIONS), 1);
	share_open(&other, b, key("192.0.2.2"));
	assert_true(share_same(&s[0], &s[3]));
	assert_false(share_same(&s[0], &other));
	share_close(&other);
	assert_false(share_same(&other, &other));
	for (int i = 0; i < 4; i++)
		share_close(&s[i]);
	share_ask(&other);
	assert_int_equal(budget_used(b, BUDGET_CONNECTIONS), 0);
}

static void bytes(void **state)
{
	struct share one = { 0 }, other = { 0 };

	(void)state;
	budget_set(b, BUDGET_BYTES, 1000);
	share_open(&one, b, key("192.0.2.1"));
	share_open(&other, b, key("192.0.2.2"));
	assert_true(share_hold(&one, 750));
	assert_false(share_hold(&one, 751));
	assert_int_equal(budget_used(b, BUDGET_BYTES), 750);
	assert_true(share_hold(&other, 187));
	assert_false(share_hold(&other, 188));
	assert_false(share_hold(&other, UINT64_MAX));
	/* Less is never too much. */
	assert_true(share_hold(&one, 749));
	assert_true(share_hold(&one, 0));
	assert_true(share_hold(&other, 700));
	share_close(&other);
	share_close(&one);
	assert_int_equal(budget_used(b, BUDGET_BYTES), 0);
}

static void two_of_one_address(void **state)
{
	struct share one = { 0 }, other = { 0 };

	(void)state;
	budget_set(b, BUDGET_BYTES, 1000);
	share_open(&one, b, key("2001:db8::1"));
	share_open(&other, b, key("2001:db8::2"));
	assert_true(share_hold(&one, 700));
	assert_false(share_hold(&other, 51));
	assert_true(share_hold(&other, 50));
	share_close(&one);
	assert_true(share_hold(&other, 750));
	share_close(&other);
}

/* Another server gets a few; of one address three quarters of them. */
static void passed_on(void **state)
{
	struct share one[6] = { { 0 } }, other = { 0 }, none = { 0 };

	(void)state;
	budget_set(b, BUDGET_UPSTREAM, 5);
	for (int i = 0; i < 6; i++)
		share_open(&one[i], b, key("192.0.2.1"));
	share_open(&other, b, key("192.0.2.2"));
	for (int i = 0; i < 3; i++)
		assert_true(share_pass_on(&one[i]));
	assert_false(share_pass_on(&one[3]));
	assert_true(share_pass_on(&one[0]));
	assert_int_equal(share_upstream(&one[5]), 3);
	assert_int_equal(share_upstream(&other), 0);
	assert_true(share_pass_on(&other));
	assert_int_equal(budget_used(b, BUDGET_UPSTREAM), 4);
	/* One is known there, one goes: two others. */
	share_passed(&one[0]);
	share_passed(&one[0]);
	share_close(&one[1]);
	assert_int_equal(budget_used(b, BUDGET_UPSTREAM), 2);
	assert_int_equal(share_upstream(&one[5]), 1);
	assert_true(share_pass_on(&one[3]));
	assert_false(share_pass_on(&one[1]) && one[1].upstream);
	/* What counts nothing is never too much. */
	assert_true(share_pass_on(&none));
	assert_int_equal(share_upstream(&none), 0);
	for (int i = 0; i < 6; i++)
		share_close(&one[i]);
	share_close(&other);
	assert_int_equal(budget_used(b, BUDGET_UPSTREAM), 0);
}

static void settled_and_moved(void **state)
{
	struct share s = { 0 }, to = { 0 };

	(void)state;
	share_open(&s, b, key("192.0.2.1"));
	assert_true(share_hold(&s, 100));
	share_move(&to, &s);
	assert_null(s.budget);
	share_close(&s);
	share_settle(&to);
	share_settle(&to);
	assert_int_equal(budget_used(b, BUDGET_CONNECTIONS), 0);
	assert_int_equal(budget_used(b, BUDGET_BYTES), 100);
	assert_false(share_is_over(&to));
	budget_set(b, BUDGET_BYTES, 100);
	assert_false(share_hold(&to, 101));
	share_close(&to);
	/* Nothing is too much for who is not counted. */
	assert_true(share_hold(&to, UINT64_MAX));
	assert_true(share_spend(&to, BUDGET_QUESTIONS, UINT64_MAX));
	assert_false(share_is_over(&to));
}

static void a_minute(void **state)
{
	struct share s = { 0 };
	int wait = budget_retry_after(b), asked = 0;

	(void)state;
	assert_in_range(wait, 1, 60);
	budget_set(b, BUDGET_QUESTIONS, 100);
	share_open(&s, b, key("192.0.2.1"));
	while (asked < 200 && share_spend(&s, BUDGET_QUESTIONS, 1))
		asked++;
	assert_int_equal(asked, 75);
	/* Another address has its own part, and another kind is another matter. */
	assert_true(budget_spend(b, key("192.0.2.2"), BUDGET_QUESTIONS, 1));
	assert_true(share_spend(&s, BUDGET_NAMED, 1));
	share_close(&s);
	/* Who went and comes again has used the same. */
	assert_int_equal(budget_holders(b), 2);
	assert_false(budget_spend(b, key("192.0.2.1"), BUDGET_QUESTIONS, 1));
	assert_false(budget_spend(b, key("192.0.2.3"), BUDGET_QUESTIONS, 99));
	assert_int_equal(budget_holders(b), 2);
	assert_int_equal(budget_used(b, BUDGET_QUESTIONS), 76);
}

/* What there is where nobody says otherwise; one address gets three quarters. */
static void usual_sums(void **state)
{
	const struct budget_key who = key("192.0.2.1");
	struct share s = { 0 };

	(void)state;
	assert_true(budget_spend(b, who, BUDGET_QUESTIONS, 18000));
	assert_false(budget_spend(b, who, BUDGET_QUESTIONS, 1));
	assert_true(budget_spend(b, who, BUDGET_NAMED, 18000));
	assert_false(budget_spend(b, who, BUDGET_NAMED, 1));
	assert_true(budget_spend(b, who, BUDGET_WRITTEN, 3221225471));
	assert_false(budget_spend(b, who, BUDGET_WRITTEN, 1));
	share_open(&s, b, who);
	assert_false(share_is_over(&s));
	share_ask(&s);
	assert_false(share_is_over(&s));
	assert_true(share_pass_on(&s));
	assert_true(share_hold(&s, 100663296));
	assert_false(share_hold(&s, 100663297));
	share_close(&s);
}

/* Who comes and goes is not counted more and more. */
static void come_and_gone(void **state)
{
	struct share s = { 0 }, other = { 0 };

	(void)state;
	budget_set(b, BUDGET_HEADS, 4);
	share_open(&s, b, key("192.0.2.1"));
	for (int i = 0; i < 100; i++) {
		share_open(&other, b, key("192.0.2.1"));
		assert_false(share_is_over(&other));
		share_close(&other);
	}
	assert_false(share_is_over(&s));
	/* What it takes the place of is given back. */
	share_open(&other, b, key("192.0.2.1"));
	assert_int_equal(budget_used(b, BUDGET_HEADS), 2);
	share_move(&s, &other);
	assert_int_equal(budget_used(b, BUDGET_HEADS), 1);
	share_close(&s);
}

static void many(void **state)
{
	enum { COUNT = 5000 };
	static struct share s[COUNT];

	(void)state;
	budget_set(b, BUDGET_HEADS, 4 * COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		struct sockaddr_in v4 = { .sin_family = AF_INET,
					  .sin_addr.s_addr =
						  htonl(0x0a000000 + i) };

		share_open(&s[i], b,
			   budget_key_address((struct sockaddr *)&v4));
		assert_false(share_is_over(&s[i]));
	}
	assert_int_equal(budget_holders(b), COUNT);
	for (uint32_t i = 0; i < COUNT; i++)
		share_close(&s[i]);
}

/* Who holds a share may outlive the ports. */
static void outlived(void **state)
{
	struct budget *mine = budget_new();
	struct share s = { 0 };

	(void)state;
	share_open(&s, mine, key("192.0.2.1"));
	budget_free(mine);
	assert_true(share_hold(&s, 10));
	share_close(&s);
	budget_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys),
		cmocka_unit_test_setup_teardown(connections, set_up, tear_down),
		cmocka_unit_test_setup_teardown(more_than_all, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(heads_apart, set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes, set_up, tear_down),
		cmocka_unit_test_setup_teardown(two_of_one_address, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(passed_on, set_up, tear_down),
		cmocka_unit_test_setup_teardown(settled_and_moved, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(a_minute, set_up,
						tear_down_spent),
		cmocka_unit_test_setup_teardown(usual_sums, set_up,
						tear_down_spent),
		cmocka_unit_test_setup_teardown(come_and_gone, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(many, set_up, tear_down),
		cmocka_unit_test(outlived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
