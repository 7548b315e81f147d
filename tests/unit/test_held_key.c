/* SPDX-License-Identifier: MIT */
/*
 * By what a server that is kept open is known again: all that it was told
 * counts, where a command is typed does not. The file that says it is held.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/held_key.h"
#include "folder.h"
#include "net/head.h"

static struct endpoint e;
static struct error err;
static char first[HELD_KEY_SIZE];

static int clean(void **state)
{
	(void)state;
	endpoint_done(&e);
	error_reset(&err);
	return 0;
}

static void target(const char *text)
{
	endpoint_done(&e);
	assert_int_equal(endpoint_parse(&e, text, "x", &err), 0);
}

static void keep_first(const char *text)
{
	target(text);
	held_key(&e, first);
	assert_int_equal(strlen(first), HELD_KEY_SIZE - 1);
}

static bool is_first(void)
{
	char key[HELD_KEY_SIZE];

	held_key(&e, key);
	return strcmp(key, first) == 0;
}

static void test_fits(void **state)
{
	static const struct {
		const char *target;
		bool fits;
	} rows[] = {
		{ "stdio:cat", true },	   { "http://h/", true },
		{ "sse+http://h/", true }, { "wss://h/", true },
		{ "sim:", false },	   { "listen:", false },
		{ "attach:", false },	   { "mqtt://h/c", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		target(rows[i].target);
		assert_int_equal(held_fits(&e), rows[i].fits);
	}
}

static void test_programs(void **state)
{
	static const char *const passing[] = { "_",	  "COLUMNS", "OLDPWD",
					       "SHLVL",	  "TMUX",    "MCPCTL_X",
					       "WINDOWID" };

	(void)state;
	unsetenv("HELD_X");
	unsetenv("HELD_Y");
	keep_first("stdio:cat a b");
	assert_true(is_first());
	target("stdio:cat 'a b'");
	assert_false(is_first());
	target("stdio:cat a");
	assert_false(is_first());
	target("stdio:cat a b");
	words_add(&e.env, "A=1");
	assert_false(is_first());
	target("stdio:cat a b");
	e.cwd = mem_strdup("/");
	assert_false(is_first());
	/* What it would be told by the environment, whatever stands before it. */
	target("stdio:cat a b");
	setenv("HELD_X", "1", 1);
	assert_false(is_first());
	unsetenv("HELD_X");
	for (size_t i = 0; i < COUNT(passing); i++) {
		setenv(passing[i], "held", 1);
		assert_true(is_first());
		unsetenv(passing[i]);
		assert_true(is_first());
	}
	setenv("COLUMNS_X", "1", 1);
	assert_false(is_first());
	unsetenv("COLUMNS_X");
	setenv("HELD_X", "1", 1);
	setenv("HELD_Y", "2", 1);
	keep_first("stdio:cat");
	unsetenv("HELD_X");
	setenv("HELD_X", "1", 1);
	assert_true(is_first());
	setenv("HELD_Y", "3", 1);
	assert_false(is_first());
	unsetenv("HELD_X");
	unsetenv("HELD_Y");
}

/* The folder is one, however it is written. */
static void test_folder(void **state)
{
	char here[4096];

	(void)state;
	assert_non_null(getcwd(here, sizeof(here)));
	assert_int_equal(chdir(folder), 0);
	keep_first("stdio:cat");
	assert_int_equal(chdir("/"), 0);
	assert_false(is_first());
	e.cwd = mem_printf("%s/.", folder);
	assert_true(is_first());
	assert_int_equal(chdir(here), 0);
}

static void test_addresses(void **state)
{
	static const char url[] = "http://h:81/p";
	static const char *const others[] = {
		"https://h:81/p", "http://i:81/p",     "http://h:82/p",
		"http://h:81/q",  "sse+http://h:81/p", "ws://h:81/p"
	};
	static const char *const routes[] = { "http_proxy",  "https_proxy",
					      "HTTPS_PROXY", "all_proxy",
					      "ALL_PROXY",   "no_proxy",
					      "NO_PROXY" };

	(void)state;
	for (size_t i = 0; i < COUNT(routes); i++)
		unsetenv(routes[i]);
	keep_first(url);
	for (size_t i = 0; i < COUNT(others); i++) {
		target(others[i]);
		assert_false(is_first());
	}
	target(url);
	e.insecure = true;
	assert_false(is_first());
	target(url);
	e.envelope = DIALECT_DEVICE;
	assert_false(is_first());
	target(url);
	e.cacert = mem_strdup("/ca");
	assert_false(is_first());
	target(url);
	e.proxy = mem_strdup("none");
	assert_false(is_first());
	target(url);
	words_add(&e.resolve, "h:81:127.0.0.1");
	assert_false(is_first());
	target(url);
	headers_add(&e.headers, "A", "1");
	assert_false(is_first());
	held_key(&e, first);
	target(url);
	headers_add(&e.headers, "A", "2");
	assert_false(is_first());
	target(url);
	headers_add(&e.headers, "B", "1");
	assert_false(is_first());
	/* The way to it; a WebSocket has none of those. */
	for (size_t i = 0; i < COUNT(routes); i++) {
		keep_first(url);
		setenv(routes[i], "http://p", 1);
		assert_false(is_first());
		unsetenv(routes[i]);
		keep_first("ws://h/");
		setenv(routes[i], "http://p", 1);
		assert_true(is_first());
		unsetenv(routes[i]);
	}
	/* What a program would be told is nothing to it. */
	setenv("HELD_X", "1", 1);
	assert_true(is_first());
	unsetenv("HELD_X");
}

static void test_name(void **state)
{
	CLEANUP(mem_free_ptr) char *name = held_name("http://me:x@h/p?key=x");
	CLEANUP(mem_free_ptr) char *word = mem_printf("%0300d", 1);
	CLEANUP(mem_free_ptr) char *cut = held_name(word);

	(void)state;
	assert_string_equal(name, "http://h/p");
	assert_int_equal(strlen(cut), 200);
}

static void test_mark(void **state)
{
	CLEANUP(mem_free_ptr) char *socket = folder_path("s");
	CLEANUP(mem_free_ptr) char *path = held_mark_path(socket, "key");
	CLEANUP(mem_free_ptr) char *other = folder_path("other");
	CLEANUP(mem_free_ptr) char *none = folder_path("none/s");
	int fd;

	(void)state;
	assert_string_equal(path + strlen(socket), "-key");
	assert_int_equal(held_mark_look(path), 0);
	fd = held_mark_take(path, &err);
	assert_true(fd >= 0);
	assert_int_equal(held_mark_look(path), 1);
	assert_int_equal(held_mark_take(path, &err), -1);
	assert_int_equal(err.kind, ERR_CONNECT);
	assert_non_null(strstr(err.text, "cannot make and lock '"));
	assert_non_null(strstr(err.hint, "beside the control socket"));
	close(fd);
	/* Whoever held it was killed. */
	assert_int_equal(held_mark_look(path), -1);
	assert_int_equal(held_mark_look(path), -1);
	assert_int_equal(rename(path, other), 0);
	assert_int_equal(symlink(other, path), 0);
	assert_int_equal(held_mark_look(path), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(held_mark_look(path), 0);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(held_mark_take(none, &err), -1);
	assert_int_equal(err.code, ENOENT);
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_fits),      TEST(test_programs), TEST(test_folder),
		TEST(test_addresses), TEST(test_name),	   TEST(test_mark),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
