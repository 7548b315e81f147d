/* SPDX-License-Identifier: MIT */
/*
 * capture/unpack: the bytes that are in a file, whatever packed it.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "capture/unpack.h"
#include "skip_for.h"

static char path[] = "/tmp/test_unpack.XXXXXX";

static int make_file(void **state)
{
	const int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void put(const char *data, size_t len)
{
	const int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, len), len);
	close(fd);
}

/* "hello\n", packed. */
static const char by_gzip[] =
	"\x1f\x8b\x08\0\0\0\0\0\0\x03\xcb\x48\xcd\xc9\xc9\xe7\x02\0\x20\x30\x3a\x36\x06\0\0\0";
static const char by_zstd[] =
	"\x28\xb5\x2f\xfd\x04\x58\x31\0\0hello\n\x53\x88\xbd\x91";

static void read_all(const struct unpacked *u, struct buf *out)
{
	char part[64];
	ssize_t n;

	while ((n = read(u->fd, part, sizeof(part))) > 0)
		buf_add(out, part, (size_t)n);
	assert_int_equal(n, 0);
}

static void no_child_is_left(void)
{
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1);
	assert_int_equal(errno, ECHILD);
}

/* What is in the file at path, if program (NULL: none) is asked for it. */
static void holds(const char *program, const char *wanted, size_t len)
{
	CLEANUP(buf_done) struct buf got = { 0 };
	struct unpacked u;

	assert_int_equal(unpack_open(&u, path, NULL), 0);
	assert_int_equal(u.child != 0, program != NULL);
	if (program)
		assert_string_equal(u.program, program);
	assert_true(fcntl(u.fd, F_GETFD) & FD_CLOEXEC);
	read_all(&u, &got);
	assert_int_equal(got.len, len);
	assert_memory_equal(buf_string(&got), wanted, len);
	assert_true(unpack_whole(&u));
	assert_true(unpack_whole(&u));
	unpack_done(&u);
	assert_int_equal(u.fd, -1);
	unpack_done(&u);
	no_child_is_left();
}

static void as_it_is(void **state)
{
	static const char *const texts[] = { "",
					     "\x1f",
					     "\x28\xb5\x2f",
					     "\x28\xb5\x2f\xfe",
					     "\x1f\x8c",
					     "{\"capture\":1}\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		put(texts[i], strlen(texts[i]));
		holds(NULL, texts[i], strlen(texts[i]));
	}
}

static void gzip(void **state)
{
	(void)state;
	put(by_gzip, sizeof(by_gzip) - 1);
	holds("gzip", "hello\n", 6);
}

static void zstd(void **state)
{
	(void)state;
	if (system("zstd -q --version >/dev/null 2>&1") != 0)
		skip_for("needs zstd");
	put(by_zstd, sizeof(by_zstd) - 1);
	holds("zstd", "hello\n", 6);
}

/* It ends too early: what is there is read, and it is said that it is not all. */
static void not_all(void **state)
{
	CLEANUP(buf_done) struct buf got = { 0 };
	struct unpacked u;

	(void)state;
	put(by_gzip, sizeof(by_gzip) - 1 - 4);
	assert_int_equal(unpack_open(&u, path, NULL), 0);
	read_all(&u, &got);
	assert_false(unpack_whole(&u));
	assert_int_equal(u.child, 0);
	unpack_done(&u);
	no_child_is_left();
}

/* Whoever does not want the rest ends the child. */
static void given_up(void **state)
{
	struct unpacked u;

	(void)state;
	put(by_gzip, sizeof(by_gzip) - 1);
	assert_int_equal(unpack_open(&u, path, NULL), 0);
	unpack_done(&u);
	assert_int_equal(u.fd, -1);
	assert_int_equal(u.child, 0);
	no_child_is_left();
}

static void from_stdin(void **state)
{
	CLEANUP(buf_done) struct buf got = { 0 };
	const int before = dup(STDIN_FILENO);
	struct unpacked u;
	int ends[2];

	(void)state;
	assert_int_equal(pipe(ends), 0);
	assert_int_equal(write(ends[1], by_gzip, sizeof(by_gzip) - 1),
			 sizeof(by_gzip) - 1);
	close(ends[1]);
	assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	assert_int_equal(unpack_open(&u, "-", NULL), 0);
	assert_true(u.fd > STDERR_FILENO);
	assert_true(fcntl(u.fd, F_GETFD) & FD_CLOEXEC);
	read_all(&u, &got);
	assert_int_equal(got.len, sizeof(by_gzip) - 1);
	assert_true(unpack_whole(&u));
	unpack_done(&u);
	/* It was borrowed. */
	assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
	close(STDIN_FILENO);
	assert_int_equal(unpack_open(&u, "-", NULL), -1);
	assert_int_equal(u.fd, -1);
	assert_int_equal(dup2(before, STDIN_FILENO), STDIN_FILENO);
	close(before);
}

/* A pipe with a name is read as it is. */
static void from_a_pipe(void **state)
{
	CLEANUP(buf_done) struct buf got = { 0 };
	struct unpacked u;
	int fd;

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDWR | O_CLOEXEC);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "\x1f\x8b?", 3), 3);
	assert_int_equal(unpack_open(&u, path, NULL), 0);
	close(fd);
	assert_int_equal(u.child, 0);
	read_all(&u, &got);
	assert_string_equal(buf_string(&got), "\x1f\x8b?");
	unpack_done(&u);
}

static void fails(const char *name, const char *text, const char *hint)
{
	CLEANUP(error_reset) struct error err = { 0 };
	struct unpacked u;

	assert_int_equal(unpack_open(&u, name, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(err.hint, hint);
	assert_int_equal(u.fd, -1);
	assert_int_equal(u.child, 0);
	no_child_is_left();
}

static void what_hinders(void **state)
{
	CLEANUP(mem_free_ptr) char *was = mem_strdup(getenv("PATH"));
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"cannot unpack '%s' with gzip: No such file or directory",
		path);

	(void)state;
	fails("/no/such", "cannot read '/no/such': No such file or directory",
	      "");
	fails("/tmp", "cannot read '/tmp': Is a directory", "");
	put(by_gzip, sizeof(by_gzip) - 1);
	setenv("PATH", "/nowhere", 1);
	fails(path, text, "install gzip, or unpack the file first");
	setenv("PATH", was, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(as_it_is),	cmocka_unit_test(gzip),
		cmocka_unit_test(zstd),		cmocka_unit_test(not_all),
		cmocka_unit_test(given_up),	cmocka_unit_test(from_stdin),
		cmocka_unit_test(what_hinders), cmocka_unit_test(from_a_pipe),
	};

	return cmocka_run_group_tests_name("unpack", tests, make_file,
					   remove_file);
}
