/* SPDX-License-Identifier: MIT */
/*
 * The circuit breaker of a held device: what counts as silence, who is refused
 * meanwhile, and what closes it.
 */
#include "mcp/guard.h"
#include "serve/board_tell.h"
#include "serve_harness.h"

static void on_done(void *owner, struct relay *r, const char *frame, size_t len,
		    const struct error *why)
{
	unsigned *count = owner;

	(void)r;
	(void)frame;
	(void)len;
	(void)why;
	(*count)++;
}

static struct end *ready_device(const char *id)
{
	struct end *e = dial(id);

	becomes_ready(e);
	return e;
}

/* A call that is never answered; its own time is over. */
static void silent_call(struct end *e)
{
	struct error err = { 0 };
	unsigned count = 0;
	struct relay r = { .done = on_done, .owner = &count };

	assert_int_equal(board_admit(e->device, "tools/call", &err), 0);
	assert_int_equal(
		relay_request(&r, e->device, "tools/call", "{}", 1000, &err),
		0);
	relay_sweep(&server->relays, loop_now() + 2000);
	assert_int_equal(count, 1);
}

static void good_call(struct end *e, const char *method)
{
	struct error err = { 0 };
	unsigned count = 0;
	struct relay r = { .done = on_done, .owner = &count };

	assert_int_equal(board_admit(e->device, method, &err), 0);
	assert_int_equal(relay_request(&r, e->device, method, "{}", 1000, &err),
			 0);
	answers(e, "{}");
	assert_int_equal(count, 1);
}

static void is_refused(struct end *e)
{
	struct error err = { 0 };

	assert_int_equal(board_admit(e->device, "tools/call", &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "circuit breaker is open for"));
	assert_non_null(strstr(err.text, "'ping' passes"));
	error_reset(&err);
}

static void described(struct end *e, bool open)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	board_describe(&text, e->device);
	assert_int_equal(strstr(buf_string(&text), "\"breaker\":\"open\"") !=
				 NULL,
			 open);
}

static void test_opens(void **state)
{
	struct end *e = ready_device(MAC), *other;

	(void)state;
	for (int i = 0; i < 4; i++)
		silent_call(e);
	described(e, false);
	good_call(e, "tools/call");
	for (int i = 0; i < 5; i++)
		silent_call(e);
	is_refused(e);
	described(e, true);
	the_record(RECORD_BREAKER, 0, "no answer to 5 calls in a row");
	/* Another device has nothing to do with it. */
	other = ready_device("aa:bb:cc:dd:ee:02");
	good_call(other, "tools/call");
	good_call(e, "ping");
	the_record(RECORD_BREAKER, 1, "answers again");
	described(e, false);
	good_call(e, "tools/call");
}

static void test_trial(void **state)
{
	struct end *e = ready_device(MAC);

	(void)state;
	for (int i = 0; i < 5; i++)
		silent_call(e);
	is_refused(e);
	e->device->breaker->opened_at -= BREAKER_PAUSE_MS;
	silent_call(e);
	the_record(RECORD_BREAKER, 1, "still no answer");
	is_refused(e);
	e->device->breaker->opened_at -= BREAKER_PAUSE_MS;
	good_call(e, "tools/call");
	the_record(RECORD_BREAKER, 2, "answers again");
	good_call(e, "tools/call");
}

/* One trial at a time; one that could not be sent, or was given up, is none. */
static void test_one_trial(void **state)
{
	struct end *e = ready_device(MAC);
	struct error err = { 0 };
	unsigned count = 0;
	struct relay r = { .done = on_done, .owner = &count };

	(void)state;
	for (int i = 0; i < 5; i++)
		silent_call(e);
	e->device->breaker->opened_at -= BREAKER_PAUSE_MS;
	assert_int_equal(board_admit(e->device, "tools/call", &err), 0);
	is_refused(e);
	e->refuse = true;
	assert_int_equal(
		relay_request(&r, e->device, "tools/call", "{}", 1000, &err),
		-1);
	e->refuse = false;
	assert_int_equal(board_admit(e->device, "tools/call", &err), 0);
	assert_int_equal(
		relay_request(&r, e->device, "tools/call", "{}", LONG_MS, &err),
		0);
	is_refused(e);
	relay_forget(&r);
	good_call(e, "tools/call");
	assert_int_equal(count, 0);
	error_reset(&err);
}

/* Who is attached waits by its own clock, and goes. */
static void test_patience(void **state)
{
	struct end *e = ready_device(MAC);
	struct error err = { 0 };
	unsigned count = 0;

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct relay r = { .done = on_done,
				   .owner = &count,
				   .patience = 1000 };

		assert_int_equal(
			relay_request(&r, e->device, "x", NULL, 0, &err), 0);
		/* Interrupted at once: says nothing. Then one that waited. */
		if (i > 0)
			r.started_us -= 950000;
		if (i > 0)
			r.silent_at -= 950;
		relay_forget(&r);
		assert_int_equal(
			e->device->breaker ? e->device->breaker->failures : 0,
			i);
	}
	is_refused(e);
	assert_int_equal(count, 0);
}

/* It stays, and waits longer: counted once, and a late answer is one. */
static void test_late(void **state)
{
	struct end *e = ready_device(MAC);
	struct error err = { 0 };
	unsigned count = 0;
	struct relay r = { .done = on_done, .owner = &count, .patience = 1000 };

	(void)state;
	assert_int_equal(relay_request(&r, e->device, "x", NULL, 0, &err), 0);
	relay_sweep(&server->relays, loop_now() + 2000);
	relay_sweep(&server->relays, loop_now() + 4000);
	assert_int_equal(e->device->breaker->failures, 1);
	assert_int_equal(count, 0);
	answers(e, "{}");
	assert_int_equal(count, 1);
	assert_null(e->device->breaker);
	assert_int_equal(relay_request(&r, e->device, "x", NULL, 0, &err), 0);
	relay_sweep(&server->relays, loop_now() + 2000);
	relay_forget(&r);
	assert_int_equal(e->device->breaker->failures, 1);
}

static void test_again(void **state)
{
	struct end *e = ready_device(MAC);

	(void)state;
	for (int i = 0; i < 5; i++)
		silent_call(e);
	is_refused(e);
	e = ready_device(MAC);
	good_call(e, "tools/call");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_opens),    TEST(test_trial), TEST(test_one_trial),
		TEST(test_patience), TEST(test_late),  TEST(test_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
