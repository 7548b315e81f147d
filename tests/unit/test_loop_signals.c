/* SPDX-License-Identifier: MIT */
/*
 * base/loop: signals, in processes of their own: which end a wait, with which
 * words, and which end the program.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/loop.h"
#include "base/mem.h"

/* How a process ends that does this: its status, or minus its signal. */
static int ends_with(int (*fn)(void))
{
	const pid_t child = fork();
	int status;

	if (child == 0) {
		alarm(60);
		_exit(fn());
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* 0: that signal ended it, with these words. */
static int ended_by(struct loop *l, int number, const char *words)
{
	CLEANUP(error_reset) struct error err = { 0 };
	const bool done = false;

	if (loop_wait(l, &done, loop_now() + 60000, &err) != -1 ||
	    err.kind != ERR_INTERRUPTED || err.code != number)
		return 1;
	return strcmp(err.text, words) != 0;
}

static int wait_for_each(void)
{
	struct loop *l;

	if (loop_new(&l, NULL))
		return 9;
	raise(SIGINT);
	if (ended_by(l, SIGINT, "interrupted by Ctrl-C"))
		return 1;
	raise(SIGTERM);
	if (ended_by(l, SIGTERM, "interrupted by a signal"))
		return 2;
	raise(SIGHUP);
	if (ended_by(l, SIGHUP, "interrupted by a signal"))
		return 3;
	/* What was reported is forgotten: this is a first one again. */
	raise(SIGINT);
	if (ended_by(l, SIGINT, "interrupted by Ctrl-C"))
		return 4;
	loop_free(l);
	return 0;
}

static void each_ends_a_wait(void **state)
{
	(void)state;
	assert_int_equal(ends_with(wait_for_each), 0);
}

static int interrupt_twice(void)
{
	struct loop *l;

	if (loop_new(&l, NULL))
		return 9;
	raise(SIGINT);
	raise(SIGINT);
	return 1;
}

static int terminate_twice(void)
{
	struct loop *l;

	if (loop_new(&l, NULL))
		return 9;
	raise(SIGTERM);
	raise(SIGTERM);
	raise(SIGINT);
	return 7;
}

static int spare_no_more(void)
{
	struct loop *l;

	if (loop_new(&l, NULL))
		return 9;
	loop_spare(l, true);
	raise(SIGINT);
	raise(SIGINT);
	loop_spare(l, false);
	raise(SIGINT);
	return 1;
}

/* Ctrl-C twice ends what does not listen any more; nothing else does. */
static void second_interrupt(void **state)
{
	(void)state;
	assert_int_equal(ends_with(interrupt_twice), -SIGINT);
	assert_int_equal(ends_with(terminate_twice), 7);
	assert_int_equal(ends_with(spare_no_more), -SIGINT);
}

static void set_flag(void *owner)
{
	*(bool *)owner = true;
}

/* As by nohup: the terminal may go. */
static int hang_up_ignored(void)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct sigaction now;
	bool done = false;
	struct loop *l;

	signal(SIGHUP, SIG_IGN);
	if (loop_new(&l, NULL))
		return 9;
	raise(SIGHUP);
	if (loop_wait(l, &done, loop_now(), &err) != -1 ||
	    err.kind != ERR_TIMEOUT)
		return 1;
	if (sigaction(SIGHUP, NULL, &now) || now.sa_handler != SIG_IGN)
		return 2;
	/* Who asks for it hears it all the same. */
	if (loop_on_hangup(l, set_flag, &done, NULL))
		return 3;
	raise(SIGHUP);
	if (loop_wait(l, &done, loop_now() + 60000, &err))
		return 4;
	loop_free(l);
	return 0;
}

static void hangup_may_be_ignored(void **state)
{
	(void)state;
	assert_int_equal(ends_with(hang_up_ignored), 0);
}

static int terminate_aside(void)
{
	struct loop *l;

	if (loop_new_aside(&l, NULL))
		return 9;
	raise(SIGPIPE);
	raise(SIGTERM);
	return 1;
}

/* What comes is the first one's, if there is one. */
static void none_aside(void **state)
{
	(void)state;
	assert_int_equal(ends_with(terminate_aside), -SIGTERM);
}

/* loop_stay: that the time is over is as good as done; a signal is not. */
static int stay(void)
{
	CLEANUP(error_reset) struct error err = { 0 };
	bool done = true;
	struct loop *l;

	if (loop_new(&l, NULL))
		return 9;
	if (loop_stay(l, &done, LOOP_FOREVER, &err))
		return 1;
	done = false;
	if (loop_stay(l, &done, loop_now() + 1, &err) ||
	    loop_stay(l, NULL, loop_now() + 1, &err) || err.kind != ERR_NONE)
		return 2;
	raise(SIGTERM);
	if (loop_stay(l, NULL, LOOP_FOREVER, &err) != -1 ||
	    err.kind != ERR_INTERRUPTED || err.code != SIGTERM)
		return 3;
	loop_free(l);
	return 0;
}

static void stays(void **state)
{
	(void)state;
	assert_int_equal(ends_with(stay), 0);
}

/* The least of open files that it needs; 0: as said. */
static int with_files(rlim_t soft, rlim_t hard, const char *words)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct rlimit most = { soft, hard };
	struct loop *l;

	if (setrlimit(RLIMIT_NOFILE, &most))
		return 9;
	if (loop_new_aside(&l, &err))
		return !words || l || err.kind != ERR_USAGE ||
		       strcmp(err.text, words) != 0 ||
		       strcmp(err.hint, "ulimit -n 1024") != 0;
	loop_free(l);
	return words || getrlimit(RLIMIT_NOFILE, &most) || most.rlim_cur < 16;
}

static int few_files(void)
{
	return with_files(
		15, 15,
		"no more than 15 open files are allowed, and 16 are needed");
}

static int just_enough_files(void)
{
	return with_files(15, 16, NULL);
}

static void open_files(void **state)
{
	(void)state;
	assert_int_equal(ends_with(just_enough_files), 0);
	assert_int_equal(ends_with(few_files), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_ends_a_wait),
		cmocka_unit_test(second_interrupt),
		cmocka_unit_test(hangup_may_be_ignored),
		cmocka_unit_test(none_aside),
		cmocka_unit_test(stays),
		cmocka_unit_test(open_files),
	};

	return cmocka_run_group_tests_name("loop_signals", tests, NULL, NULL);
}
