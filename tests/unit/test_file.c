/* SPDX-License-Identifier: MIT */
/*
 * base/file: files made for the user, where others can write too.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/secret_file.h"
#include "folder.h"

static void share(bool shared)
{
	assert_int_equal(chmod(folder, shared ? 01777 : 0700), 0);
}

static void write_all(const char *path, bool append, const char *text)
{
	int fd = file_create("log", path, append, NULL);

	assert_true(fd >= 0);
	assert_int_equal(file_write(fd, text, strlen(text)), 0);
	close(fd);
}

static void check_text(const char *path, const char *expected)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_int_equal(file_read(&text, "file", path, NULL), 0);
	assert_string_equal(buf_string(&text), expected);
}

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(lstat(path, &st), 0);
	return st.st_mode & 07777;
}

static void refused(const char *path, const char *why)
{
	struct error err = { 0 };

	assert_int_equal(file_create("trace", path, false, &err), -1);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "cannot write the trace '"));
	assert_non_null(strstr(err.text, why));
	error_reset(&err);
}

static void is_private(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("private");
	CLEANUP(mem_free_ptr) char *closed = folder_path("closed");
	mode_t old = umask(0);

	(void)state;
	write_all(path, false, "first and long");
	assert_int_equal(mode_of(path), 0600);
	write_all(path, false, "second");
	check_text(path, "second");
	write_all(path, true, " third");
	check_text(path, "second third");
	umask(0277);
	write_all(closed, false, "x");
	assert_int_equal(mode_of(closed), 0400);
	umask(old);
	/* One that is there is the user's matter. */
	assert_int_equal(chmod(path, 0644), 0);
	write_all(path, false, "x");
	assert_int_equal(mode_of(path), 0644);
	refused("/nowhere/at/all", "No such file");
}

static void traps(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("trap");
	CLEANUP(mem_free_ptr) char *target = folder_path("target");

	(void)state;
	write_all(target, false, "precious");
	assert_int_equal(symlink(target, path), 0);
	share(true);
	refused(path, "it is a link, in a folder that others can write to");
	check_text(target, "precious");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(link(target, path), 0);
	refused(path, "it has a second name");
	check_text(target, "precious");
	assert_int_equal(unlink(path), 0);
	/* Ours, and made by us: both are fine there. */
	write_all(path, false, "new");
	write_all(path, false, "again");
	check_text(path, "again");
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 1), 0);
		refused(path, "it is another user's");
		check_text(path, "again");
	}
	assert_int_equal(unlink(path), 0);
	/* In a folder of one's own a link is what one wanted. */
	share(false);
	assert_int_equal(symlink(target, path), 0);
	write_all(path, false, "through");
	check_text(target, "through");
}

/* Of another user, with nobody who reads: opening it would wait for ever. */
static void pipes(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("pipe");
	char text[8] = "";
	int reader, fd;

	(void)state;
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_int_equal(chmod(folder, 0777), 0);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 1), 0);
		refused(path, "it is a pipe that nobody reads, in a folder");
		assert_int_equal(chown(path, 0, 0), 0);
	}
	reader = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(reader >= 0);
	fd = file_create("log", path, true, NULL);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & (O_NONBLOCK | O_APPEND),
			 O_APPEND);
	assert_int_equal(file_write(fd, "hello", 5), 0);
	assert_int_equal(read(reader, text, sizeof(text)), 5);
	assert_string_equal(text, "hello");
	close(fd);
	close(reader);
	share(false);
	assert_int_equal(unlink(path), 0);
}

static void devices(void **state)
{
	(void)state;
	write_all("/dev/null", false, "x");
	write_all("/dev/null", true, "x");
}

static void publishes(void **state)
{
	CLEANUP(mem_free_ptr) char *from = folder_path("part");
	CLEANUP(mem_free_ptr) char *to = folder_path("whole");

	(void)state;
	write_all(from, false, "one");
	assert_int_equal(file_publish(from, to), 0);
	check_text(to, "one");
	assert_int_equal(access(from, F_OK), -1);
	write_all(from, false, "two");
	assert_int_equal(file_publish(from, to), -1);
	assert_int_equal(errno, EEXIST);
	check_text(to, "one");
	check_text(from, "two");
	/* A link that leads nowhere is a name too. */
	assert_int_equal(unlink(to), 0);
	assert_int_equal(symlink("/nowhere", to), 0);
	assert_int_equal(file_publish(from, to), -1);
	assert_int_equal(errno, EEXIST);
}

static void locks(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("lock");
	int fd, other;

	(void)state;
	fd = file_lock(path, 0);
	assert_true(fd >= 0);
	assert_int_equal(file_lock(path, 20), -1);
	assert_int_equal(errno, EWOULDBLOCK);
	close(fd);
	other = file_lock(path, 0);
	assert_true(other >= 0);
	close(other);
	/* No lock of a file that a link leads to. */
	unlink(path);
	assert_int_equal(symlink("/dev/null", path), 0);
	assert_int_equal(file_lock(path, 0), -1);
	assert_int_equal(errno, ELOOP);
	unlink(path);
}

static void found(const char *folders, int mode, const char *expected)
{
	CLEANUP(mem_free_ptr) char *path = file_find(folders, "tool", mode);

	if (expected)
		assert_string_equal(path, expected);
	else
		assert_null(path);
}

static void finds(void **state)
{
	CLEANUP(mem_free_ptr) char *sub = folder_path("sub");
	CLEANUP(mem_free_ptr) char *tool = mem_printf("%s/tool", sub);
	CLEANUP(mem_free_ptr)
	char *both = mem_printf("/no/such:%s::%s", folder, sub);
	CLEANUP(mem_free_ptr) char *here = folder_path("tool");

	(void)state;
	assert_int_equal(mkdir(sub, 0700), 0);
	write_all(tool, false, "x");
	found(both, F_OK, tool);
	found(both, X_OK, NULL);
	assert_int_equal(chmod(tool, 0700), 0);
	found(both, X_OK, tool);
	/* A folder is no program. */
	assert_int_equal(mkdir(here, 0700), 0);
	found(both, X_OK, tool);
	found("", F_OK, NULL);
	/* Nor is a relative folder looked into. */
	assert_int_equal(chdir(sub), 0);
	found(".:", F_OK, NULL);
	assert_int_equal(chdir("/"), 0);
}

#define HOW \
	"give a file that this user can read, with the secret as its only line"

/* A file of those bytes is this secret, or is refused in these words. */
static void is_secret(const char *bytes, size_t len, const char *secret,
		      const char *refusal)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("secret");
	struct error err = { 0 };
	const bool too_long = len > SECRET_FILE_MAX;
	struct buf out;
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(secret_file_read(&out, "key file", path, &err),
			 refusal ? -1 : 0);
	assert_string_equal(buf_string(&out), secret);
	assert_int_equal(out.len, strlen(secret));
	if (refusal) {
		assert_int_equal(err.kind, ERR_USAGE);
		if (!strstr(err.text, refusal))
			fail_msg("'%s' does not say '%s'", err.text, refusal);
		assert_null(strstr(err.text, "hush"));
		assert_string_equal(err.hint, too_long ? HOW : "");
	}
	error_reset(&err);
	secret_wipe(&out);
}

static void secrets(void **state)
{
	char most[SECRET_FILE_MAX + 2];
	CLEANUP(mem_free_ptr) char *path = folder_path("secret");
	char *text;

	(void)state;
	is_secret("hush", 4, "hush", NULL);
	is_secret(" hush \r\n\n", 9, " hush ", NULL);
	is_secret("hu\nsh\n", 6, "hu\nsh", NULL);
	is_secret("", 0, "", "the key file '");
	is_secret("\r\n", 2, "", "' is empty");
	is_secret("hush\0", 5, "", "holds a NUL byte: it is no text");
	memset(most, 'x', sizeof(most));
	most[SECRET_FILE_MAX] = '\0';
	is_secret(most, SECRET_FILE_MAX, most, NULL);
	memset(most, 'x', sizeof(most));
	is_secret(most, SECRET_FILE_MAX + 1, "", "'");
	/* Without a file it is of the environment, where an empty one is none. */
	is_secret("hush\n", 5, "hush", NULL);
	setenv("MCPCTL_A_SECRET", "other", 1);
	assert_int_equal(
		secret_find(&text, "key file", path, "MCPCTL_A_SECRET", NULL),
		0);
	assert_string_equal(text, "hush");
	secret_free(text);
	assert_int_equal(
		secret_find(&text, "key file", NULL, "MCPCTL_A_SECRET", NULL),
		0);
	assert_string_equal(text, "other");
	secret_free(text);
	setenv("MCPCTL_A_SECRET", "", 1);
	assert_int_equal(
		secret_find(&text, "key file", NULL, "MCPCTL_A_SECRET", NULL),
		0);
	assert_null(text);
	secret_free(text);
	unsetenv("MCPCTL_A_SECRET");
	assert_int_equal(unlink(path), 0);
	assert_int_equal(
		secret_find(&text, "key file", path, "MCPCTL_A_SECRET", NULL),
		-1);
	assert_null(text);
	assert_true(secret_same("abc", 3, "abc", 3));
	assert_true(secret_same("", 0, "", 0));
	assert_false(secret_same("abc", 3, "abd", 3));
	assert_false(secret_same("xbc", 3, "abc", 3));
	assert_false(secret_same("abc", 3, "ab", 2));
	assert_false(secret_same("ab", 2, "abc", 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_private), cmocka_unit_test(traps),
		cmocka_unit_test(pipes),      cmocka_unit_test(devices),
		cmocka_unit_test(publishes),  cmocka_unit_test(locks),
		cmocka_unit_test(finds),      cmocka_unit_test(secrets),
	};

	return cmocka_run_group_tests_name("file", tests, folder_make,
					   folder_remove);
}
