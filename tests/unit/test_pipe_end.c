/* SPDX-License-Identifier: MIT */
/*
 * base/pipe_end: ends of pipes and files, read and written by the loop.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/pipe_end.h"

static struct {
	struct loop *loop;
	struct pipe_end end;
	int fd[2];
	struct buf in;
	unsigned pieces, ended, drained;
	bool closed, hold_after_one;
	/* by which is waited */
	bool piece, over, empty;
} t;

static void came(void *owner, const char *data, size_t len)
{
	assert_ptr_equal(owner, &t);
	assert_int_equal(t.ended, 0);
	assert_true(len > 0);
	buf_add(&t.in, data, len);
	t.pieces++;
	t.piece = true;
	if (t.hold_after_one)
		pipe_end_hold(&t.end, true);
}

static void ended(void *owner)
{
	(void)owner;
	t.ended++;
	t.over = true;
}

static void drained(void *owner)
{
	(void)owner;
	t.drained++;
	t.empty = true;
}

static void closed(void *owner)
{
	(void)owner;
	assert_false(t.closed);
	t.closed = true;
}

static const struct pipe_end_events events = {
	.came = came, .ended = ended, .drained = drained, .closed = closed
};

static int set_up(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	signal(SIGPIPE, SIG_IGN);
	assert_int_equal(pipe2(t.fd, O_CLOEXEC), 0);
	assert_int_equal(loop_new(&t.loop, NULL), 0);
	return 0;
}

static void wait_for(const bool *what)
{
	loop_wait(t.loop, what, loop_now() + 60000, NULL);
	assert_true(*what);
}

static void close_end(void)
{
	if (t.fd[0] >= 0)
		close(t.fd[0]);
	if (t.fd[1] >= 0)
		close(t.fd[1]);
	t.fd[0] = t.fd[1] = -1;
}

static int tear_down(void **state)
{
	(void)state;
	pipe_end_close(&t.end);
	pipe_end_close(&t.end);
	wait_for(&t.closed);
	close_end();
	loop_free(t.loop);
	buf_done(&t.in);
	return 0;
}

static void open_end(int fd, bool write)
{
	pipe_end_open(&t.end, t.loop, fd, write, &events, &t);
}

static void say(const char *text)
{
	assert_int_equal(write(t.fd[1], text, strlen(text)), strlen(text));
}

static void hang_up(void)
{
	close(t.fd[1]);
	t.fd[1] = -1;
}

/* Nothing is read before it is let go, and the end is told once, last. */
static void a_pipe_is_read(void **state)
{
	(void)state;
	open_end(t.fd[0], false);
	say("one");
	loop_poll(t.loop);
	assert_int_equal(t.pieces, 0);
	pipe_end_hold(&t.end, false);
	wait_for(&t.piece);
	assert_string_equal(buf_string(&t.in), "one");
	pipe_end_hold(&t.end, true);
	say(" two");
	loop_poll(t.loop);
	assert_string_equal(buf_string(&t.in), "one");
	pipe_end_hold(&t.end, false);
	hang_up();
	wait_for(&t.over);
	assert_string_equal(buf_string(&t.in), "one two");
	/* It stays so, whatever is wanted of it. */
	pipe_end_hold(&t.end, true);
	pipe_end_hold(&t.end, false);
	loop_poll(t.loop);
	assert_int_equal(t.ended, 1);
	assert_false(t.closed);
}

/* What others share of it is not changed. */
static void its_descriptor_is_as_it_was(void **state)
{
	const int before = fcntl(t.fd[0], F_GETFL);

	(void)state;
	open_end(t.fd[0], false);
	pipe_end_hold(&t.end, false);
	assert_int_equal(fcntl(t.fd[0], F_GETFL), before);
	assert_false(before & O_NONBLOCK);
	/* Closed, it is open still for the caller. */
	pipe_end_close(&t.end);
	wait_for(&t.closed);
	say("x");
	assert_int_equal(read(t.fd[0], &(char){ 0 }, 1), 1);
	assert_int_equal(t.pieces, 0);
}

static void are_all(const char *part, ssize_t len, char c)
{
	for (ssize_t i = 0; i < len; i++) {
		if (part[i] != c)
			fail_msg("'%c' at %zd", part[i], i);
	}
}

static size_t still;

/* As much as is there, while the loop writes the rest. */
static void read_while_it_writes(char c)
{
	char part[65536];

	fcntl(t.fd[0], F_SETFL, O_NONBLOCK);
	while (still) {
		ssize_t got = read(t.fd[0], part, sizeof(part));

		are_all(part, got, c);
		assert_true(got <= (ssize_t)still);
		if (got > 0)
			still -= (size_t)got;
		else
			loop_wait(t.loop, &t.closed, loop_now() + 2, NULL);
	}
}

static void a_pipe_is_written(void **state)
{
	enum { MUCH = 300000 };
	CLEANUP(mem_free_ptr) char *much = mem_alloc(MUCH);
	char text[3];

	(void)state;
	memset(much, 'x', MUCH);
	open_end(t.fd[1], true);
	assert_int_equal(pipe_end_waiting(&t.end), 0);
	pipe_end_write(&t.end, "xx", 2);
	pipe_end_write(&t.end, NULL, 0);
	/* Taken at once: nothing waits, and nothing has to be told. */
	assert_int_equal(pipe_end_waiting(&t.end), 0);
	assert_int_equal(read(t.fd[0], text, sizeof(text)), 2);
	are_all(text, 2, 'x');
	pipe_end_write(&t.end, much, MUCH);
	assert_true(pipe_end_waiting(&t.end) > 0);
	assert_true(pipe_end_waiting(&t.end) < MUCH);
	pipe_end_write(&t.end, "x", 1);
	memset(much, 'y', MUCH);
	assert_int_equal(t.drained, 0);
	still = MUCH + 1;
	read_while_it_writes('x');
	wait_for(&t.empty);
	assert_int_equal(t.drained, 1);
	assert_int_equal(pipe_end_waiting(&t.end), 0);
	assert_int_equal(t.ended, 0);
	assert_int_equal(t.end.why, 0);
}

/* It is closed behind what waits, and takes no more. */
static void it_is_finished(void **state)
{
	enum { MUCH = 200000 };
	CLEANUP(mem_free_ptr) char *much = mem_zalloc(MUCH);
	char byte;

	(void)state;
	open_end(t.fd[1], true);
	hang_up();
	pipe_end_write(&t.end, much, MUCH);
	pipe_end_finish(&t.end);
	pipe_end_finish(&t.end);
	pipe_end_write(&t.end, "more", 4);
	loop_poll(t.loop);
	assert_false(t.closed);
	still = MUCH;
	read_while_it_writes('\0');
	wait_for(&t.closed);
	assert_int_equal(t.drained, 0);
	assert_int_equal(read(t.fd[0], &byte, 1), 0);
}

static void nothing_waits_to_be_finished(void **state)
{
	(void)state;
	open_end(t.fd[1], true);
	pipe_end_finish(&t.end);
	wait_for(&t.closed);
	assert_int_equal(t.ended, 0);
}

/* Nobody reads it: told once, with why. */
static void nobody_reads(void **state)
{
	(void)state;
	open_end(t.fd[1], true);
	close(t.fd[0]);
	t.fd[0] = -1;
	pipe_end_write(&t.end, "x", 1);
	wait_for(&t.over);
	assert_int_equal(t.end.why, EPIPE);
	pipe_end_write(&t.end, "x", 1);
	loop_poll(t.loop);
	assert_int_equal(t.ended, 1);
	assert_int_equal(pipe_end_waiting(&t.end), 0);
}

/* ---- files ---- */

static int file_of(size_t len)
{
	CLEANUP(mem_free_ptr) char *text = mem_alloc(len);
	int fd = memfd_create("test", MFD_CLOEXEC);

	memset(text, 'x', len);
	assert_int_equal(write(fd, text, len), len);
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	return fd;
}

/* In slices, so many a turn; a hold counts at once. */
static void a_file_is_read(void **state)
{
	enum { SLICES = 20, SLICE = 65536 };
	int fd = file_of((size_t)SLICES * SLICE + 1);

	(void)state;
	open_end(fd, false);
	loop_poll(t.loop);
	assert_int_equal(t.pieces, 0);
	t.hold_after_one = true;
	pipe_end_hold(&t.end, false);
	wait_for(&t.piece);
	assert_int_equal(t.pieces, 1);
	assert_int_equal(t.in.len, SLICE);
	t.hold_after_one = false;
	for (int i = 0; i < 3; i++)
		loop_poll(t.loop);
	assert_int_equal(t.pieces, 1);
	pipe_end_hold(&t.end, false);
	loop_poll(t.loop);
	assert_int_equal(t.pieces, 17);
	wait_for(&t.over);
	assert_int_equal(t.in.len, (size_t)SLICES * SLICE + 1);
	assert_int_equal(t.pieces, SLICES + 1);
	assert_int_equal(t.ended, 1);
	/* The place in it is shared. */
	assert_int_equal(lseek(fd, 0, SEEK_CUR), (size_t)SLICES * SLICE + 1);
	close(fd);
}

static void a_file_is_written(void **state)
{
	char text[8] = "";
	int fd = file_of(3);

	(void)state;
	assert_int_equal(lseek(fd, 3, SEEK_SET), 3);
	open_end(fd, true);
	pipe_end_write(&t.end, "abc", 3);
	assert_int_equal(pipe_end_waiting(&t.end), 0);
	assert_int_equal(pread(fd, text, sizeof(text), 0), 6);
	assert_string_equal(text, "xxxabc");
	pipe_end_finish(&t.end);
	pipe_end_write(&t.end, "def", 3);
	wait_for(&t.closed);
	assert_int_equal(lseek(fd, 0, SEEK_END), 6);
	assert_int_equal(t.ended, 0);
	close(fd);
}

static void a_file_that_takes_nothing(void **state)
{
	int fd = open("/dev/full", O_WRONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	open_end(fd, true);
	pipe_end_write(&t.end, "x", 1);
	/* From the loop, and not amid it. */
	assert_int_equal(t.ended, 0);
	assert_int_equal(t.end.why, ENOSPC);
	wait_for(&t.over);
	pipe_end_write(&t.end, "x", 1);
	loop_poll(t.loop);
	assert_int_equal(t.ended, 1);
	close(fd);
}

/* What is none is told as at its end. */
static void a_descriptor_that_is_none(void **state)
{
	(void)state;
	open_end(-1, false);
	pipe_end_hold(&t.end, false);
	wait_for(&t.over);
	assert_int_equal(t.pieces, 0);
	assert_int_equal(t.ended, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_pipe_is_read),
		TEST(its_descriptor_is_as_it_was),
		TEST(a_pipe_is_written),
		TEST(it_is_finished),
		TEST(nothing_waits_to_be_finished),
		TEST(nobody_reads),
		TEST(a_file_is_read),
		TEST(a_file_is_written),
		TEST(a_file_that_takes_nothing),
		TEST(a_descriptor_that_is_none),
	};

	mem_init();
	return cmocka_run_group_tests_name("pipe_end", tests, NULL, NULL);
}
