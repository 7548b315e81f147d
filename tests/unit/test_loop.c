/* SPDX-License-Identifier: MIT */
/*
 * base/loop: waiting, deadlines, signals, timers; base/module's errors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/module.h"

static struct loop *new_loop(void)
{
	struct loop *l;

	assert_int_equal(loop_new(&l, NULL), 0);
	return l;
}

static void set_flag(void *owner)
{
	*(bool *)owner = true;
}

static void is_done(void **state)
{
	struct loop *l = new_loop();
	struct error err = { 0 };
	bool done = true;

	(void)state;
	assert_int_equal(loop_wait(l, &done, 0, &err), 0);
	assert_int_equal(loop_wait(l, &done, LOOP_FOREVER, &err), 0);
	assert_int_equal(err.kind, ERR_NONE);
	loop_free(l);
	loop_free(NULL);
}

static void times_out(void **state)
{
	struct loop *l = new_loop();
	struct error err = { 0 };
	bool done = false;
	int64_t start = loop_now();

	(void)state;
	assert_int_equal(loop_wait(l, &done, start + 50, &err), -1);
	assert_int_equal(err.kind, ERR_TIMEOUT);
	assert_string_equal(err.text, "time over");
	assert_in_range(loop_now() - start, 50, 20000);
	/* A deadline in the past: at once. */
	start = loop_now();
	assert_int_equal(loop_wait(l, &done, INT64_MIN, &err), -1);
	assert_int_equal(loop_wait(l, &done, start, &err), -1);
	assert_true(loop_now() - start < 20000);
	loop_free(l);
}

/* Waits in the midst of a turn of the other one. */
static void wait_aside(void *owner)
{
	bool *answered = owner, done = false;
	struct timer t = { 0 };
	struct loop *aside;

	assert_int_equal(loop_new_aside(&aside, NULL), 0);
	timer_open(&t, aside, set_flag, &done);
	timer_start(&t, 1);
	assert_int_equal(loop_wait(aside, &done, loop_now() + 60000, NULL), 0);
	done = false;
	assert_int_equal(loop_wait(aside, &done, loop_now() + 5, NULL), -1);
	timer_close(&t, NULL);
	loop_free(aside);
	*answered = true;
}

static void turns_inside(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	struct error err = { 0 };
	bool answered = false, never = false;

	(void)state;
	timer_open(&t, l, wait_aside, &answered);
	timer_start(&t, 0);
	assert_int_equal(loop_wait(l, &answered, loop_now() + 60000, NULL), 0);
	/* Signals are still the first one's. */
	raise(SIGINT);
	assert_int_equal(loop_wait(l, &never, loop_now() + 60000, &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	timer_close(&t, NULL);
	loop_free(l);
}

/* As a signal, once; of what is no pipe nothing is known. */
static void reader_goes(void **state)
{
	struct loop *l = new_loop();
	struct error err = { 0 };
	const bool never = false;
	int ends[2], file = open("/dev/null", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	loop_end_unread(l, file);
	loop_end_unread(l, ends[1]);
	assert_int_equal(loop_stay(l, NULL, loop_now() + 1, &err), 0);
	close(ends[0]);
	assert_int_equal(loop_wait(l, &never, loop_now() + 60000, &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	assert_int_equal(err.code, SIGPIPE);
	assert_int_equal(error_status(&err), ERR_OUTPUT);
	error_reset(&err);
	assert_int_equal(loop_stay(l, NULL, loop_now() + 1, &err), 0);
	close(ends[1]);
	close(file);
	loop_free(l);
}

static void timer_ends_it(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	bool done = false, closed = false;
	int64_t start = loop_now();

	(void)state;
	timer_open(&t, l, set_flag, &done);
	timer_start(&t, 30);
	assert_int_equal(loop_wait(l, &done, start + 60000, NULL), 0);
	assert_in_range(loop_now() - start, 29, 20000);
	/* One that is due before the turn, after which the turn must not sleep. */
	done = false;
	timer_start(&t, 0);
	usleep(3000);
	assert_int_equal(loop_wait(l, &done, LOOP_FOREVER, NULL), 0);
	t.owner = &closed;
	timer_close(&t, set_flag);
	assert_false(closed);
	timer_close(&t, set_flag);
	assert_int_equal(loop_wait(l, &closed, start + 60000, NULL), 0);
	loop_free(l);
}

/* What is ready counts, even when the time was over before the call. */
static void ready_after_deadline(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	bool done = false;

	(void)state;
	timer_open(&t, l, set_flag, &done);
	timer_start(&t, 0);
	usleep(5000);
	assert_int_equal(loop_wait(l, &done, 0, NULL), 0);
	timer_close(&t, NULL);
	loop_free(l);
}

/* A timer counts from its start, not from the loop's last turn. */
static void timer_after_work(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	bool done = false;
	int64_t start;

	(void)state;
	loop_poll(l);
	usleep(60000);
	start = loop_now();
	timer_open(&t, l, set_flag, &done);
	timer_start(&t, 50);
	assert_int_equal(loop_wait(l, &done, start + 60000, NULL), 0);
	assert_true(loop_now() - start >= 49);
	timer_close(&t, NULL);
	loop_free(l);
}

struct eager {
	struct timer again, *other;
	unsigned fired;
	bool heard;
	int ends[2];
};

static void once_more(void *owner)
{
	struct eager *e = owner;

	if (++e->fired < 100000 && !e->heard)
		timer_start(&e->again, 0);
}

static void on_readable(uv_poll_t *poll, int status, int events)
{
	struct eager *e = poll->data;

	(void)status;
	(void)events;
	e->heard = true;
}

/* A timer that fires at once again and again keeps no socket from its turn. */
static void timer_again_at_once(void **state)
{
	struct loop *l = new_loop();
	struct eager e = { 0 };
	uv_poll_t poll;

	(void)state;
	assert_int_equal(pipe(e.ends), 0);
	assert_int_equal(write(e.ends[1], "x", 1), 1);
	uv_poll_init(loop_uv(l), &poll, e.ends[0]);
	poll.data = &e;
	uv_poll_start(&poll, UV_READABLE, on_readable);
	timer_open(&e.again, l, once_more, &e);
	timer_start(&e.again, 0);
	assert_int_equal(loop_wait(l, &e.heard, loop_now() + 60000, NULL), 0);
	assert_in_range(e.fired, 1, 3);
	uv_close((uv_handle_t *)&poll, NULL);
	timer_close(&e.again, NULL);
	loop_free(l);
	close(e.ends[0]);
	close(e.ends[1]);
}

/* Started with 0 amid the event of another: stopped, and again, in their order. */
struct among {
	struct timer first, one, two, three, four;
	char order[8];
	bool done;
};

static struct among among;

static void add_letter(char letter)
{
	const char text[2] = { letter, '\0' };

	strcat(among.order, text);
}

static void on_first(void *owner)
{
	(void)owner;
	timer_start(&among.one, 0);
	timer_start(&among.two, 0);
	timer_start(&among.three, 0);
	timer_start(&among.four, 0);
	timer_start(&among.one, 0);
	timer_stop(&among.two);
	timer_close(&among.three, NULL);
	add_letter('f');
}

static void on_one(void *owner)
{
	(void)owner;
	add_letter('1');
}

static void on_wrong(void *owner)
{
	(void)owner;
	add_letter('!');
}

static void on_four(void *owner)
{
	(void)owner;
	add_letter('4');
	among.done = true;
}

static void timers_among_themselves(void **state)
{
	struct loop *l = new_loop();

	(void)state;
	timer_open(&among.first, l, on_first, NULL);
	timer_open(&among.one, l, on_one, NULL);
	timer_open(&among.two, l, on_wrong, NULL);
	timer_open(&among.three, l, on_wrong, NULL);
	timer_open(&among.four, l, on_four, NULL);
	timer_start(&among.first, 1);
	assert_int_equal(loop_wait(l, &among.done, loop_now() + 60000, NULL),
			 0);
	assert_string_equal(among.order, "f14");
	timer_close(&among.first, NULL);
	timer_close(&among.one, NULL);
	timer_close(&among.two, NULL);
	timer_close(&among.four, NULL);
	loop_free(l);
}

static void stopped_timer(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	bool done = false;

	(void)state;
	timer_stop(&t);
	timer_close(&t, NULL);
	timer_open(&t, l, set_flag, &done);
	timer_start(&t, 10);
	timer_stop(&t);
	assert_int_equal(loop_wait(l, &done, loop_now() + 60, NULL), -1);
	assert_false(done);
	/* Its close callback runs within loop_free. */
	timer_close(&t, set_flag);
	loop_free(l);
	assert_true(done);
}

static void signals(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	struct loop *l = new_loop();
	struct error err = { 0 };
	bool done = false;
	size_t i;

	(void)state;
	for (i = 0; i < COUNT(numbers); i++) {
		/* Before the call: it counts, once. */
		raise(numbers[i]);
		assert_int_equal(loop_wait(l, &done, LOOP_FOREVER, &err), -1);
		assert_int_equal(err.kind, ERR_INTERRUPTED);
		assert_int_equal(err.code, numbers[i]);
		assert_int_equal(loop_wait(l, &done, loop_now() + 20, &err),
				 -1);
		assert_int_equal(err.kind, ERR_TIMEOUT);
	}
	loop_free(l);
}

/* Ctrl-C ends a read from a terminal: else a question could not be left. */
static void signals_end_reads(void **state)
{
	static const int numbers[] = { SIGINT, SIGTERM };
	struct loop *l = new_loop();
	struct sigaction action[COUNT(numbers)];

	(void)state;
	for (size_t i = 0; i < COUNT(numbers); i++)
		assert_int_equal(sigaction(numbers[i], NULL, &action[i]), 0);
	/* First, since a signal does not end what watches for it. */
	loop_free(l);
	for (size_t i = 0; i < COUNT(numbers); i++)
		assert_false(action[i].sa_flags & SA_RESTART);
}

static void raise_now(void *owner)
{
	(void)owner;
	raise(SIGINT);
}

static void hangup(void **state)
{
	struct loop *l = new_loop();
	bool came = false;

	(void)state;
	assert_int_equal(loop_on_hangup(l, set_flag, &came, NULL), 0);
	raise(SIGHUP);
	assert_int_equal(loop_wait(l, &came, loop_now() + 60000, NULL), 0);
	assert_true(came);
	loop_free(l);
}

static void signal_while_waiting(void **state)
{
	struct loop *l = new_loop();
	struct error err = { 0 };
	struct timer t = { 0 };
	bool done = false;

	(void)state;
	timer_open(&t, l, raise_now, NULL);
	timer_start(&t, 20);
	assert_int_equal(loop_wait(l, &done, loop_now() + 60000, &err), -1);
	assert_int_equal(err.kind, ERR_INTERRUPTED);
	/* A broken pipe is an error, not the end. */
	raise(SIGPIPE);
	timer_close(&t, NULL);
	loop_free(l);
}

/* The shell: many Ctrl-C before the first was reported, and it lives. */
static void spared(void **state)
{
	struct loop *l = new_loop();
	struct error err = { 0 };
	bool done = false;

	(void)state;
	loop_spare(l, true);
	for (int i = 0; i < 100; i++)
		raise(SIGINT);
	assert_int_equal(loop_wait(l, &done, LOOP_FOREVER, &err), -1);
	assert_int_equal(err.code, SIGINT);
	loop_spare(l, false);
	loop_free(l);
}

static int64_t cpu_us(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (u.ru_utime.tv_sec + u.ru_stime.tv_sec) * INT64_C(1000000) +
	       u.ru_utime.tv_usec + u.ru_stime.tv_usec;
}

/* With nothing else on the loop it sleeps; it does not spin. */
static void no_busy_waiting(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	bool done = false;
	int64_t start = cpu_us();

	(void)state;
	assert_int_equal(loop_wait(l, &done, loop_now() + 300, NULL), -1);
	assert_true(cpu_us() - start < 100000);
	/* An unreferenced timer alone must not make "forever" spin. */
	timer_open(&t, l, set_flag, &done);
	uv_unref((uv_handle_t *)&t.uv);
	timer_start(&t, 300);
	start = cpu_us();
	assert_int_equal(loop_wait(l, &done, LOOP_FOREVER, NULL), 0);
	assert_true(cpu_us() - start < 100000);
	timer_close(&t, NULL);
	loop_free(l);
}

static void clocks(void **state)
{
	int64_t us = loop_now_us(), ms = loop_now();

	(void)state;
	assert_in_range(ms - us / 1000, 0, 20000);
	usleep(2000);
	assert_true(loop_now_us() - us >= 2000);
}

static void wall_clock(void **state)
{
	const int64_t before = (int64_t)time(NULL) * 1000;
	const int64_t now = unix_now_ms();

	(void)state;
	assert_true(now >= before);
	/* What time() shows may be a tick behind. */
	assert_true(now < ((int64_t)time(NULL) + 2) * 1000);
}

static void count(void *owner)
{
	++*(int *)owner;
}

/* Of one that is not open nothing comes; of one that is, its end comes once. */
static void timers_that_are_not_open(void **state)
{
	struct loop *l = new_loop();
	struct timer t = { 0 };
	int fired = 0, closed = 0;

	(void)state;
	timer_start(&t, 0);
	timer_stop(&t);
	timer_close(&t, count);
	loop_poll(l);
	timer_open(&t, l, count, &fired);
	timer_start(&t, -1);
	loop_poll(l);
	loop_poll(l);
	assert_int_equal(fired, 1);
	t.owner = &closed;
	timer_start(&t, 0);
	timer_close(&t, count);
	timer_close(&t, count);
	timer_start(&t, 0);
	timer_stop(&t);
	loop_poll(l);
	loop_poll(l);
	assert_int_equal(closed, 1);
	loop_free(l);
}

/*
 * What the loop could not turn counts, though it is blocked; what was not
 * watched counts as lost, an hour of it.
 */
static void delays(void **state)
{
	struct loop *l = new_loop();
	const bool never = false;
	const int64_t start = loop_now_us();
	const int64_t first = loop_delay_us(l);

	(void)state;
	assert_in_range(first, INT64_C(3600000000), INT64_C(3660000000));
	assert_in_range(loop_delay_us(l) - first, 0, 60000000);
	usleep(250000);
	assert_in_range(loop_delay_us(l) - first, 200000,
			loop_now_us() - start);
	/* Once the loop has turned, it does not count twice. */
	assert_int_equal(loop_wait(l, &never, loop_now() + 1, NULL), -1);
	assert_in_range(loop_delay_us(l) - first, 200000,
			loop_now_us() - start);
	loop_free(l);
}

static void missing_module(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_null(module_table("none", "table", &err));
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "'mcpctl-none.so'"));
	assert_string_not_equal(err.hint, "");
	error_reset(&err);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_done),
		cmocka_unit_test(times_out),
		cmocka_unit_test(turns_inside),
		cmocka_unit_test(reader_goes),
		cmocka_unit_test(timer_ends_it),
		cmocka_unit_test(ready_after_deadline),
		cmocka_unit_test(timer_after_work),
		cmocka_unit_test(stopped_timer),
		cmocka_unit_test(timer_again_at_once),
		cmocka_unit_test(timers_among_themselves),
		cmocka_unit_test(signals),
		cmocka_unit_test(signals_end_reads),
		cmocka_unit_test(spared),
		cmocka_unit_test(hangup),
		cmocka_unit_test(signal_while_waiting),
		cmocka_unit_test(no_busy_waiting),
		cmocka_unit_test(clocks),
		cmocka_unit_test(wall_clock),
		cmocka_unit_test(timers_that_are_not_open),
		cmocka_unit_test(delays),
		cmocka_unit_test(missing_module),
	};

	return cmocka_run_group_tests_name("loop", tests, NULL, NULL);
}
