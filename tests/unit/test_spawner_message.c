/* SPDX-License-Identifier: MIT */
/* base/spawner_message: messages with descriptors, and lists in a memory file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/spawner_message.h"

static int pair[2];

static int open_pair(void **state)
{
	(void)state;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
	(void)state;
	close(pair[0]);
	close(pair[1]);
	return 0;
}

static void messages(void **state)
{
	const struct spawner_message sent = { .op = SPAWNER_SIGNAL,
					      .id = 7,
					      .number = -9,
					      .count = { 1, 2, 3 },
					      .streams = 5,
					      .group = true };
	struct spawner_message got;
	struct spawner_fds fds = { .count = 3 };

	(void)state;
	assert_int_equal(spawner_receive(pair[1], &got, &fds, false), 0);
	assert_int_equal(spawner_send(pair[0], &sent, NULL), 0);
	fds.count = 0;
	assert_int_equal(spawner_send(pair[0], &sent, &fds), 0);
	for (int i = 0; i < 2; i++) {
		fds.count = 3;
		assert_int_equal(spawner_receive(pair[1], &got, &fds, true), 1);
		assert_memory_equal(&got, &sent, sizeof(sent));
		assert_int_equal(fds.count, 0);
	}
	assert_int_equal(spawner_receive(pair[1], &got, &fds, false), 0);
}

/* As many as may come, each with its own end of a pipe. */
static void descriptors(void **state)
{
	struct spawner_message m = { .op = SPAWNER_START };
	struct spawner_fds sent = { .count = SPAWNER_FDS }, fds;
	int pipes[SPAWNER_FDS][2];
	char byte;

	(void)state;
	for (size_t i = 0; i < SPAWNER_FDS; i++) {
		assert_int_equal(pipe2(pipes[i], O_CLOEXEC), 0);
		sent.fd[i] = pipes[i][1];
	}
	assert_int_equal(spawner_send(pair[0], &m, &sent), 0);
	spawner_fds_close(&sent);
	assert_int_equal(sent.count, 0);
	assert_int_equal(spawner_receive(pair[1], &m, &fds, true), 1);
	assert_int_equal(fds.count, SPAWNER_FDS);
	for (size_t i = 0; i < SPAWNER_FDS; i++) {
		assert_int_equal(fcntl(fds.fd[i], F_GETFD), FD_CLOEXEC);
		assert_int_equal(write(fds.fd[i], "x", 1), 1);
	}
	spawner_fds_close(&fds);
	/* Nobody else can write into them any more. */
	for (size_t i = 0; i < SPAWNER_FDS; i++) {
		assert_int_equal(read(pipes[i][0], &byte, 1), 1);
		assert_int_equal(read(pipes[i][0], &byte, 1), 0);
		close(pipes[i][0]);
	}
}

static void no_message(void **state)
{
	struct spawner_message m;
	struct spawner_fds fds;

	(void)state;
	assert_int_equal(send(pair[0], "short", 5, 0), 5);
	assert_int_equal(spawner_receive(pair[1], &m, &fds, true), -1);
	assert_int_equal(fds.count, 0);
	close(pair[0]);
	pair[0] = -1;
	assert_int_equal(spawner_receive(pair[1], &m, &fds, false), -1);
	assert_int_equal(spawner_receive(pair[1], &m, &fds, true), -1);
	assert_int_equal(spawner_send(pair[1], &m, NULL), -EPIPE);
	assert_int_equal(spawner_send(-1, &m, NULL), -EBADF);
}

static void lists_done(struct words lists[SPAWNER_LISTS])
{
	for (size_t i = 0; i < SPAWNER_LISTS; i++)
		words_done(&lists[i]);
}

/* Does the file that was made of two words and none hold counts of these? */
static bool holds(uint32_t first, uint32_t second, uint32_t third)
{
	char a[] = "a b", empty[] = "", *words[] = { a, empty, NULL };
	char *none[] = { NULL };
	char *const *const in[] = { words, NULL, none };
	struct spawner_message m = { .count = { 9, 9, 9 } };
	struct words out[SPAWNER_LISTS];
	int fd = spawner_pack(&m, in);
	bool whole;

	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(m.count[0], 2);
	assert_int_equal(m.count[1], 0);
	assert_int_equal(m.count[2], 0);
	m.count[0] = first;
	m.count[1] = second;
	m.count[2] = third;
	whole = spawner_unpack(out, &m, fd);
	close(fd);
	if (whole) {
		assert_int_equal(out[0].count, first);
		assert_string_equal(out[0].word[0], "a b");
		assert_string_equal(out[first == 1].word[first != 1], "");
	}
	lists_done(out);
	return whole;
}

static void lists(void **state)
{
	const struct spawner_message m = { .count = { 0 } };
	struct words out[SPAWNER_LISTS];
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_true(holds(2, 0, 0));
	assert_true(holds(1, 1, 0));
	assert_false(holds(1, 0, 0));
	assert_false(holds(2, 1, 0));
	assert_false(holds(2, 0, 1));
	assert_false(holds(3, 0, 0));
	assert_false(holds(0, 0, 0));
	/* No words are an empty file; what cannot be read is none. */
	assert_true(spawner_unpack(out, &m, fd));
	lists_done(out);
	close(fd);
	assert_false(spawner_unpack(out, &m, -1));
	lists_done(out);
}

/* A word of len bytes with its end, through a file and back. */
static bool goes_through(size_t len)
{
	CLEANUP(mem_free_ptr) char *word = mem_alloc(len);
	char *words[] = { word, NULL };
	char *const *const in[] = { words, NULL, NULL };
	struct spawner_message m = { .count = { 0 } };
	struct words out[SPAWNER_LISTS];
	bool whole;
	int fd;

	memset(word, 'x', len);
	word[len - 1] = '\0';
	fd = spawner_pack(&m, in);
	if (fd < 0) {
		assert_int_equal(fd, -E2BIG);
		return false;
	}
	whole = spawner_unpack(out, &m, fd);
	if (whole)
		assert_int_equal(strlen(out[0].word[0]), len - 1);
	lists_done(out);
	close(fd);
	return whole;
}

/* The other side may be anybody's: of its files no more is read. */
static void lists_have_a_bound(void **state)
{
	const struct spawner_message m = { .count = { 1, 0, 0 } };
	struct words out[SPAWNER_LISTS];
	int fd = memfd_create("test", MFD_CLOEXEC);

	(void)state;
	assert_true(goes_through(1));
	assert_true(goes_through(8388608));
	assert_false(goes_through(8388609));
	assert_int_equal(ftruncate(fd, 200000000), 0);
	assert_false(spawner_unpack(out, &m, fd));
	/* It was not read to its end. */
	assert_true(lseek(fd, 0, SEEK_CUR) < 9000000);
	lists_done(out);
	close(fd);
}

/* It would be waited for, by who must not wait. */
static void a_pipe_is_no_list(void **state)
{
	const struct spawner_message m = { .count = { 0 } };
	struct words out[SPAWNER_LISTS];
	int ends[2];

	(void)state;
	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	close(ends[1]);
	assert_false(spawner_unpack(out, &m, ends[0]));
	lists_done(out);
	close(ends[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(messages, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(descriptors, open_pair,
						close_pair),
		cmocka_unit_test_setup_teardown(no_message, open_pair,
						close_pair),
		cmocka_unit_test(lists),
		cmocka_unit_test(lists_have_a_bound),
		cmocka_unit_test(a_pipe_is_no_list),
	};

	return cmocka_run_group_tests_name("spawner_message", tests, NULL,
					   NULL);
}
