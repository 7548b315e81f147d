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
	const mode_t old = umask(0);
	int fd, other;

	(void)state;
	fd = file_lock(path, 0);
	umask(old);
	assert_true(fd >= 0);
	assert_int_equal(mode_of(path), 0600);
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

static void check_folder(const char *path, const char *name,
			 const char *expected)
{
	CLEANUP(mem_free_ptr) char *before = file_folder(path);

	assert_string_equal(file_name(path), name);
	assert_string_equal(before, expected);
}

static void names(void **state)
{
	CLEANUP(mem_free_ptr) char *program = file_program();

	(void)state;
	check_folder("a", "a", ".");
	check_folder("/a", "a", "/");
	check_folder("/", "", "/");
	check_folder("/a/b", "b", "/a");
	check_folder("a/b", "b", "a");
	check_folder("a/", "", "a");
	check_folder("", "", ".");
	assert_true(program && *program == '/');
}

static void temporary(void **state)
{
	const char *set = getenv("TMPDIR");
	CLEANUP(mem_free_ptr) char *before = mem_strdup(set);

	(void)state;
	setenv("TMPDIR", "/var/else", 1);
	assert_string_equal(file_temporary(), "/var/else");
	setenv("TMPDIR", "", 1);
	assert_string_equal(file_temporary(), "/tmp");
	unsetenv("TMPDIR");
	assert_string_equal(file_temporary(), "/tmp");
	if (before)
		setenv("TMPDIR", before, 1);
}

static void check_large(size_t max, const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct error err = { 0 };

	buf_init(&out, max);
	assert_int_equal(file_read(&out, "key", "/dev/zero", &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, expected);
}

static void too_large(void **state)
{
	(void)state;
	check_large(1024, "the key '/dev/zero' is larger than 1 kB");
	check_large(65535, "the key '/dev/zero' is larger than 63 kB");
	check_large(1048575, "the key '/dev/zero' is larger than 1023 kB");
	check_large(1048576, "the key '/dev/zero' is larger than 1 MB");
	check_large(3145728, "the key '/dev/zero' is larger than 3 MB");
}

typedef int reads(struct buf *out, const char *what, const char *path,
		  struct error *err);

/* Not read, as why says; what came before stays. */
static void unread(reads *fn, const char *path, const char *why)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("cannot read the key '%s': %s", path, why);
	CLEANUP(buf_done) struct buf out = { 0 };
	struct error err = { 0 };

	buf_text(&out, "before");
	assert_int_equal(fn(&out, "key", path, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, text);
	assert_string_equal(out.data, "before");
}

static void unreadable(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_write("there", "x\n", 2);
	CLEANUP(mem_free_ptr) char *pipe = folder_path("pipe");
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	assert_int_equal(mkfifo(pipe, 0600), 0);
	unread(file_read, "/nowhere/x", "No such file or directory");
	unread(file_read, folder, "Is a directory");
	unread(file_read_found, "/nowhere/x", "No such file or directory");
	unread(file_read_found, folder, "it is no regular file");
	unread(file_read_found, pipe, "it is no regular file");
	assert_int_equal(file_read_found(&out, "key", path, NULL), 0);
	assert_string_equal(out.data, "x\n");
	unlink(pipe);
}

static void no_regular(const char *path, int flags, int why)
{
	struct stat st;

	errno = 0;
	assert_int_equal(file_open_regular(path, flags, &st), -1);
	assert_int_equal(errno, why);
}

static void not_own(const char *path, size_t max, int why)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_init(&out, max);
	errno = 0;
	assert_int_equal(file_read_own(&out, path), -1);
	assert_int_equal(errno, why);
}

static void regular(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_write("mine", "hello", 5);
	CLEANUP(mem_free_ptr) char *other = folder_path("other");
	CLEANUP(buf_done) struct buf out = { 0 };
	struct stat st;
	int fd = file_open_regular(path, O_NOFOLLOW, &st);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(st.st_size, 5);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
	assert_int_equal(file_read_own(&out, path), 0);
	assert_string_equal(out.data, "hello");
	not_own(path, 4, EFBIG);
	not_own(folder, 0, EINVAL);
	not_own("/nowhere/x", 0, ENOENT);
	no_regular("/nowhere/x", 0, ENOENT);
	no_regular(folder, 0, EINVAL);
	no_regular("/dev/null", 0, EINVAL);
	assert_int_equal(mkfifo(other, 0600), 0);
	no_regular(other, 0, EINVAL);
	unlink(other);
	assert_int_equal(symlink(path, other), 0);
	no_regular(other, O_NOFOLLOW, ELOOP);
	not_own(other, 0, ELOOP);
	fd = file_open_regular(other, 0, &st);
	assert_true(fd >= 0);
	close(fd);
	if (geteuid() == 0) {
		assert_int_equal(chown(path, 1, 1), 0);
		not_own(path, 0, EPERM);
	}
	unlink(other);
}

static void replaces(void **state)
{
	CLEANUP(mem_free_ptr) char *own = folder_path("own");
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/file", own);
	CLEANUP(mem_free_ptr) char *target = folder_write("kept", "kept", 4);
	const mode_t old = umask(077);

	(void)state;
	assert_int_equal(mkdir(own, 0700), 0);
	assert_int_equal(file_replace(path, 0644, "first", 5), 0);
	check_text(path, "first");
	assert_int_equal(mode_of(path), 0644);
	assert_int_equal(file_replace(path, 0600, "", 0), 0);
	check_text(path, "");
	assert_int_equal(mode_of(path), 0600);
	umask(old);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(file_replace(path, 0600, "new", 3), 0);
	assert_true(file_is_regular(path, R_OK));
	check_text(path, "new");
	check_text(target, "kept");
	assert_int_equal(unlink(path), 0);
	/* Nor does a part stay where it fails. */
	assert_int_equal(mkdir(path, 0700), 0);
	errno = 0;
	assert_int_equal(file_replace(path, 0600, "x", 1), -1);
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(own), 0);
	assert_int_equal(file_replace(path, 0600, "x", 1), -1);
	assert_int_equal(errno, ENOENT);
}

static int opened_flags;

static int open_null(const char *path, int flags, unsigned mode)
{
	assert_string_equal(path, "/nowhere/x");
	opened_flags = flags;
	return open("/dev/null", O_RDONLY | O_CLOEXEC, mode);
}

static void opened_by_another(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	int fd;

	(void)state;
	file_open_by(open_null);
	assert_int_equal(file_read(&out, "key", "/nowhere/x", NULL), 0);
	assert_int_equal(opened_flags, O_RDONLY);
	assert_int_equal(out.len, 0);
	file_open_by(NULL);
	assert_int_equal(file_read(&out, "key", "/nowhere/x", NULL), -1);
	fd = file_open("/dev/null", O_RDONLY, 0);
	assert_int_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	close(fd);
}

static void unwritten(void **state)
{
	struct error err = { 0 };

	(void)state;
	assert_int_equal(file_write(-1, "", 0), 0);
	assert_int_equal(file_write(-1, "x", 1), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(file_create(NULL, "/nowhere/x", true, &err), -1);
	assert_string_equal(
		err.text,
		"cannot write '/nowhere/x': No such file or directory");
	assert_int_equal(err.code, ENOENT);
	assert_int_equal(file_create("log", "/nowhere/x", true, &err), -1);
	assert_string_equal(
		err.text,
		"cannot write the log '/nowhere/x': No such file or directory");
	assert_int_equal(file_lock("/nowhere/x", 0), -1);
	assert_int_equal(errno, ENOENT);
}

/* Which folders are others', too: by their modes and owners. */
static void shared_folders(void **state)
{
	CLEANUP(mem_free_ptr) char *target = folder_write("target2", "x", 1);
	CLEANUP(mem_free_ptr) char *path = folder_path("link");
	struct error err = { 0 };

	(void)state;
	assert_int_equal(symlink(target, path), 0);
	assert_int_equal(chmod(folder, 0770), 0);
	if (chown(folder, (uid_t)-1, getegid()) == 0)
		write_all(path, false, "of our group");
	if (geteuid() == 0) {
		assert_int_equal(chown(folder, 0, 1), 0);
		refused(path, "it is a link");
		assert_int_equal(chown(folder, 0, 0), 0);
	}
	assert_int_equal(chmod(folder, 0702), 0);
	assert_int_equal(file_create("trace", path, false, &err), -1);
	assert_int_equal(err.code, EPERM);
	assert_string_equal(
		err.hint,
		"give a file in a folder of your own, or remove that one first");
	share(false);
	unlink(path);
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

/* What two wrote to one file would be neither's. */
static void taken_by_one(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("taken");
	CLEANUP(error_reset) struct error err = { 0 };
	struct stat st;
	FILE *first, *second;

	(void)state;
	first = file_take_stream("report", path, NULL);
	assert_non_null(first);
	fputs("first", first);
	fflush(first);
	second = file_take_stream("report", path, &err);
	assert_null(second);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_non_null(strstr(err.text, "another program writes to '"));
	assert_string_equal(err.hint, "give this one a file of its own");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 5);
	fclose(first);
	second = file_take_stream("report", path, NULL);
	assert_non_null(second);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 0);
	fclose(second);
	unlink(path);
	/* Of what is no file there is enough for all. */
	first = file_take_stream("report", "/dev/null", NULL);
	second = file_take_stream("report", "/dev/null", NULL);
	assert_non_null(first);
	assert_non_null(second);
	fclose(first);
	fclose(second);
	assert_null(file_take_stream("report", "/nowhere/x", &err));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_private),
		cmocka_unit_test(traps),
		cmocka_unit_test(pipes),
		cmocka_unit_test(devices),
		cmocka_unit_test(publishes),
		cmocka_unit_test(locks),
		cmocka_unit_test(taken_by_one),
		cmocka_unit_test(finds),
		cmocka_unit_test(secrets),
		cmocka_unit_test(names),
		cmocka_unit_test(temporary),
		cmocka_unit_test(too_large),
		cmocka_unit_test(unreadable),
		cmocka_unit_test(regular),
		cmocka_unit_test(replaces),
		cmocka_unit_test(opened_by_another),
		cmocka_unit_test(unwritten),
		cmocka_unit_test(shared_folders),
	};

	return cmocka_run_group_tests_name("file", tests, folder_make,
					   folder_remove);
}
