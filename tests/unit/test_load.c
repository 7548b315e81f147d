/* SPDX-License-Identifier: MIT */
/*
 * A load as it is typed; how long its calls took: counted, thinned out where
 * they are many, the longest and the worst failure kept.
 */
#include "rendered.h"

#include "cli/call_times.h"
#include "cli/load.h"

static struct call_times times;
static struct rendered shown;
static struct error err;

static int begin(void **state)
{
	(void)state;
	times = (struct call_times){ 0 };
	call_times_begin(&times);
	rendered_start(&shown, OUTPUT_JSON, false);
	return 0;
}

static int end(void **state)
{
	(void)state;
	call_times_done(&times);
	error_reset(&err);
	rendered_end(&shown);
	return 0;
}

static void test_typed(void **state)
{
	static const struct {
		const char *text;
		int64_t at_once, rate;
	} good[] = { { "1", 1, 0 },
		     { "256", LOAD_AT_ONCE, 0 },
		     { "1/s", 0, 1 },
		     { "10000/s", 0, LOAD_RATE_MOST } };
	static const char *const bad[] = { "",	"0",   "257", "-1",	"/s",
					   "x", "0/s", "1/m", "10001/s" };
	struct load l;

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		l = (struct load){ 0 };
		assert_int_equal(load_read(&l, good[i].text, &err), 0);
		assert_int_equal(l.at_once, good[i].at_once);
		assert_int_equal(l.rate, good[i].rate);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		CLEANUP(mem_free_ptr) char *says = NULL;

		assert_int_equal(load_read(&l, bad[i], &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		says = mem_printf("option '--load': '%s' is no load", bad[i]);
		assert_string_equal(err.text, says);
		assert_non_null(strstr(err.hint, "N from 1 to 256 calls at"));
	}
}

static void add(int64_t us)
{
	call_times_add(&times, us, &(struct error){ 0 });
}

static void fail_as(enum error_kind kind, const char *text)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, kind, "%s", text);
	call_times_add(&times, 99, &why);
}

static void test_outcome(void **state)
{
	(void)state;
	/* None is none that went well. */
	assert_int_equal(call_times_outcome(&times, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.text, "no call was over within that time");
	add(5);
	assert_int_equal(call_times_outcome(&times, &err), 0);
	fail_as(ERR_CONNECT, "one");
	assert_int_equal(call_times_outcome(&times, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_string_equal(err.text, "1 of 2 calls failed");
	fail_as(ERR_TIMEOUT, "worse");
	fail_as(ERR_CONNECT, "other");
	assert_int_equal(call_times_outcome(&times, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.text, "3 of 4 calls failed");
	assert_string_equal(times.worst.text, "worse");
	call_times_done(&times);
	assert_int_equal(times.made, 0);
	fail_as(ERR_PEER, "alone");
	assert_int_equal(call_times_outcome(&times, &err), -1);
	assert_string_equal(err.text, "1 of 1 call failed");
}

static int64_t number(const char *name)
{
	const char *text = rendered_out(&shown);
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(text, strlen(text), NULL);
	int64_t value = -1;

	json_integer(json_object(json, "calls"), name, &value);
	return value;
}

/* What failed has no time. */
static void test_told(void **state)
{
	(void)state;
	add(30);
	add(10);
	add(20);
	fail_as(ERR_PEER, "x");
	times.late = 4;
	call_times_tell(&times, &shown.r, true);
	assert_int_equal(number("made"), 4);
	assert_int_equal(number("failed"), 1);
	assert_int_equal(number("late"), 4);
	assert_int_equal(number("p50_us"), 20);
	assert_int_equal(number("max_us"), 30);
	assert_in_range(number("lasted_us"), 0, 60000000);
}

/* Of very many every other one is kept, then every fourth; the longest stays. */
static void test_many(void **state)
{
	enum { KEPT = 1 << 18 };

	(void)state;
	for (int64_t i = 0; i < KEPT; i++)
		add(i);
	assert_int_equal(times.count, KEPT);
	assert_int_equal(times.step, 1);
	add(KEPT);
	assert_int_equal(times.step, 2);
	assert_int_equal(times.count, KEPT / 2 + 1);
	assert_int_equal(times.us[0], 0);
	assert_int_equal(times.us[1], 2);
	assert_int_equal(times.us[KEPT / 2 - 1], KEPT - 2);
	assert_int_equal(times.us[KEPT / 2], KEPT);
	add(9 * KEPT);
	assert_int_equal(times.count, KEPT / 2 + 1);
	add(KEPT + 2);
	assert_int_equal(times.us[KEPT / 2 + 1], KEPT + 2);
	assert_int_equal(times.longest, 9 * KEPT);
	assert_int_equal(times.answered, KEPT + 3);
	assert_int_equal(times.made, KEPT + 3);
	call_times_tell(&times, &shown.r, false);
	assert_int_equal(times.us[times.count - 1], 9 * KEPT);
	assert_int_equal(times.us[0], 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_typed),
		TEST(test_outcome),
		TEST(test_told),
		TEST(test_many),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
