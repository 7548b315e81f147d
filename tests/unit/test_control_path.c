/* SPDX-License-Identifier: MIT */
/*
 * net/control_client: which place, and which places are not trusted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "folder.h"
#include "net/control_client.h"
#include "skip_for.h"

#define OTHER_USER 65534

static void expect_path(const char *given, bool create, const char *expected)
{
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct error err = { 0 };

	if (control_path(&path, given, create, &err))
		fail_msg("%s", err.text);
	assert_string_equal(path, expected);
}

static void refuse_path(const char *given, bool create, enum error_kind kind)
{
	struct error err = { 0 };
	char *path;

	assert_int_equal(control_path(&path, given, create, &err), -1);
	assert_null(path);
	assert_int_equal(err.kind, kind);
	assert_true(err.text[0] && err.hint[0]);
	error_reset(&err);
}

static void given_path(void **state)
{
	char longest[108 + 1];

	(void)state;
	expect_path("some.sock", true, "some.sock");
	memset(longest, 'a', sizeof(longest));
	longest[107] = '\0';
	expect_path(longest, false, longest);
	longest[107] = 'a';
	longest[108] = '\0';
	refuse_path(longest, false, ERR_USAGE);
}

static void runtime_folder(void **state)
{
	CLEANUP(mem_free_ptr) char *expected = folder_path("mcpctl/serve.sock");
	CLEANUP(mem_free_ptr) char *made = folder_path("mcpctl");
	struct stat st;

	(void)state;
	setenv("XDG_RUNTIME_DIR", folder, 1);
	expect_path(NULL, false, expected);
	assert_int_equal(access(made, F_OK), -1);
	expect_path(NULL, true, expected);
	assert_int_equal(stat(made, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	expect_path("", true, expected);

	chmod(made, 0750);
	refuse_path(NULL, true, ERR_CONNECT);
	refuse_path(NULL, false, ERR_CONNECT);
	rmdir(made);
	assert_int_equal(symlink(folder, made), 0);
	refuse_path(NULL, true, ERR_CONNECT);
	unlink(made);
	mem_free(folder_write("mcpctl", "", 0));
	refuse_path(NULL, true, ERR_CONNECT);
	unlink(made);
	setenv("TMPDIR", folder, 1);
	mem_free(TAKE(expected));
	expected = mem_printf("%s/mcpctl-%u/serve.sock", folder,
			      (unsigned)geteuid());
	setenv("XDG_RUNTIME_DIR", made, 1); /* names no folder */
	expect_path(NULL, true, expected);
	setenv("XDG_RUNTIME_DIR", "relative", 1);
	expect_path(NULL, true, expected);
	unsetenv("XDG_RUNTIME_DIR");
	expect_path(NULL, true, expected);
}

/* After su the variable names the folder of the one who was here before. */
static void foreign_runtime_folder(void **state)
{
	CLEANUP(mem_free_ptr) char *other = NULL, *expected = NULL;

	(void)state;
	needs_root();
	other = folder_path("other");
	expected = mem_printf("%s/mcpctl-%u/serve.sock", folder,
			      (unsigned)geteuid());
	setenv("TMPDIR", folder, 1);
	setenv("XDG_RUNTIME_DIR", other, 1);
	assert_int_equal(mkdir(other, 0700), 0);
	assert_int_equal(chown(other, OTHER_USER, OTHER_USER), 0);
	expect_path(NULL, false, expected);
	rmdir(other);
}

static void make_socket(const char *path);

/* A serve that was started without the variable is found with it. */
static void other_place(void **state)
{
	CLEANUP(mem_free_ptr) char *here = folder_path("mcpctl/serve.sock");
	CLEANUP(mem_free_ptr)
	char *there = mem_printf("%s/mcpctl-%u", folder, (unsigned)geteuid());
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/serve.sock", there);

	(void)state;
	setenv("TMPDIR", folder, 1);
	unsetenv("XDG_RUNTIME_DIR");
	expect_path(NULL, true, path);
	make_socket(path);
	setenv("XDG_RUNTIME_DIR", folder, 1);
	expect_path(NULL, false, path);
	expect_path(NULL, true, here);
	make_socket(here);
	expect_path(NULL, false, here);
	unlink(here);
	chmod(there, 0755);
	expect_path(NULL, false, here);
	unlink(path);
	rmdir(there);
	mem_free(TAKE(path));
	path = folder_path("mcpctl");
	rmdir(path);
}

static void foreign_folder(void **state)
{
	CLEANUP(mem_free_ptr) char *made = NULL;

	(void)state;
	needs_root();
	made = folder_path("mcpctl");
	setenv("XDG_RUNTIME_DIR", folder, 1);
	assert_int_equal(mkdir(made, 0700), 0);
	assert_int_equal(chown(made, OTHER_USER, OTHER_USER), 0);
	refuse_path(NULL, true, ERR_CONNECT);
	refuse_path(NULL, false, ERR_CONNECT);
	rmdir(made);
}

static void make_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0);
	close(fd);
}

static void check_refused(const char *path, const char *what)
{
	struct error err = { 0 };
	bool exists = true;

	assert_int_equal(control_path_check(path, &exists, &err), -1);
	assert_false(exists);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, what));
	error_reset(&err);
}

static void sockets(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("s.sock");
	CLEANUP(mem_free_ptr) char *link = folder_path("link");
	CLEANUP(mem_free_ptr) char *file = folder_write("file", "", 0);
	bool exists = true;

	(void)state;
	assert_int_equal(control_path_check(path, &exists, NULL), 0);
	assert_false(exists);
	make_socket(path);
	assert_int_equal(control_path_check(path, &exists, NULL), 0);
	assert_true(exists);
	check_refused(file, "is no socket");
	assert_int_equal(symlink(path, link), 0);
	check_refused(link, "is no socket");
	if (geteuid() != 0)
		return;
	assert_int_equal(chown(path, OTHER_USER, OTHER_USER), 0);
	check_refused(path, "another user");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(given_path),
		cmocka_unit_test(runtime_folder),
		cmocka_unit_test(foreign_runtime_folder),
		cmocka_unit_test(other_place),
		cmocka_unit_test(foreign_folder),
		cmocka_unit_test(sockets),
	};

	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
