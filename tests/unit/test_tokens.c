/* SPDX-License-Identifier: MIT */
/*
 * serve/tokens: which token opens the door to whom.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "folder.h"
#include "serve/tokens.h"

static bool tokens_fit(const struct tokens *t, const char *device_id,
		       const char *client_id, const char *given)
{
	return tokens_judge(t, device_id, client_id, given) == TOKEN_FITS;
}

static int read_bytes(struct tokens *t, const char *text, size_t len,
		      struct error *err)
{
	CLEANUP(mem_free_ptr) char *path = folder_write("tokens", text, len);

	return tokens_read(t, path, err);
}

static void none(void **state)
{
	CLEANUP(tokens_done) struct tokens t = { 0 };

	(void)state;
	unsetenv("MCPCTL_TOKEN");
	assert_int_equal(tokens_read(&t, NULL, NULL), 0);
	assert_true(tokens_fit(&t, "a", NULL, NULL));
	assert_true(tokens_fit(&t, NULL, NULL, "Bearer x"));
	assert_null(tokens_for(&t, "a", NULL));
}

static void environment(void **state)
{
	CLEANUP(tokens_done) struct tokens t = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	(void)state;
	setenv("MCPCTL_TOKEN", "se cret", 1);
	assert_int_equal(tokens_read(&t, NULL, NULL), 0);
	assert_true(tokens_fit(&t, "a", "b", "se cret"));
	assert_true(tokens_fit(&t, "a", "b", "Bearer se cret"));
	assert_false(tokens_fit(&t, "a", "b", "se"));
	assert_string_equal(tokens_for(&t, NULL, NULL), "se cret");
	setenv("MCPCTL_TOKEN", "se\ncret", 1);
	assert_int_equal(tokens_read(&t, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(
		err.text,
		"the token in MCPCTL_TOKEN holds a control character");
	assert_int_equal(t.count, 1);
	setenv("MCPCTL_TOKEN", "", 1);
	assert_int_equal(tokens_read(&t, NULL, NULL), 0);
	assert_int_equal(t.count, 0);
	unsetenv("MCPCTL_TOKEN");
}

static void file(void **state)
{
	static const char text[] = "# tokens\r\n"
				   "\n"
				   "  all-1 # for the rack\r\n"
				   "all#2\n"
				   "aa:bb:cc:dd:ee:ff\town\n"
				   "GID@@@1 Basic xyz\n"
				   "* Basic abc";
	CLEANUP(tokens_done) struct tokens t = { 0 };

	(void)state;
	assert_int_equal(read_bytes(&t, text, strlen(text), NULL), 0);
	assert_int_equal(t.count, 5);
	assert_true(tokens_fit(&t, "x", "y", "Bearer all-1"));
	assert_true(tokens_fit(&t, NULL, NULL, "bearer all#2"));
	assert_true(tokens_fit(&t, "x", NULL, "Basic abc"));
	assert_false(tokens_fit(&t, "x", NULL, NULL));
	assert_false(tokens_fit(&t, "x", NULL, ""));
	assert_false(tokens_fit(&t, "x", NULL, "Bearer "));
	assert_false(tokens_fit(&t, "x", NULL, "all-"));
	assert_false(tokens_fit(&t, "x", NULL, "all-11"));
	assert_false(tokens_fit(&t, "x", NULL, "own"));
	assert_string_equal(tokens_for(&t, "x", "y"), "all-1");

	assert_true(tokens_fit(&t, "AA:BB:CC:DD:EE:FF", NULL, "Bearer own"));
	assert_false(tokens_fit(&t, "AA:BB:CC:DD:EE:FF", NULL, "all-1"));
	assert_string_equal(tokens_for(&t, "aa:bb:cc:dd:ee:ff", NULL), "own");
	assert_true(tokens_fit(&t, NULL, "gid@@@1", "Basic xyz"));
	assert_string_equal(tokens_for(&t, "", "GID@@@1"), "Basic xyz");
}

/* Who has a token of its own comes as itself with it, and as nobody else. */
static void belongs_to_the_device(void **state)
{
	static const char text[] = "02:00:00:00:00:01 one\n"
				   "02:00:00:00:00:02 two\n"
				   "uuid-3 three\n";
	CLEANUP(tokens_done) struct tokens t = { 0 };

	(void)state;
	assert_int_equal(read_bytes(&t, text, strlen(text), NULL), 0);
	assert_int_equal(tokens_judge(&t, "02:00:00:00:00:01", "any", "one"),
			 TOKEN_FITS);
	assert_int_equal(tokens_judge(&t, "02:00:00:00:00:02",
				      "02:00:00:00:00:01", "one"),
			 TOKEN_OF_ANOTHER);
	assert_int_equal(
		tokens_judge(&t, "stranger", "02:00:00:00:00:01", "one"),
		TOKEN_OF_ANOTHER);
	assert_int_equal(tokens_judge(&t, "stranger", "uuid-3", "three"),
			 TOKEN_OF_ANOTHER);
	assert_int_equal(tokens_judge(&t, NULL, "uuid-3", "three"), TOKEN_FITS);
	assert_int_equal(tokens_judge(&t, "stranger", "uuid-3", NULL),
			 TOKEN_MISSING);
	assert_int_equal(tokens_judge(&t, "stranger", NULL, "four"),
			 TOKEN_WRONG);
	/* Nor is it told to who only copies a Client-Id. */
	assert_null(tokens_for(&t, "stranger", "uuid-3"));
	assert_null(tokens_for(&t, "stranger", "02:00:00:00:00:01"));
	/* The client id of MQTT that names the Device-Id is as good as it. */
	assert_int_equal(
		read_bytes(&t, "GID_x@@@02_00_00_00_00_01@@@u one\n", 34, NULL),
		0);
	assert_int_equal(tokens_judge(&t, "02:00:00:00:00:01",
				      "GID_x@@@02_00_00_00_00_01@@@u", "one"),
			 TOKEN_FITS);
	assert_int_equal(tokens_judge(&t, "02:00:00:00:00:02",
				      "GID_x@@@02_00_00_00_00_01@@@u", "one"),
			 TOKEN_OF_ANOTHER);
}

/* why: %s is the file. */
static void stays(struct tokens *t, const char *text, size_t len,
		  const char *before, const char *why)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr)
	char *whole = mem_printf("%s '%s/tokens'%s", before, folder, why);

	assert_int_equal(read_bytes(t, text, len, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, whole);
	assert_string_equal(tokens_for(t, NULL, NULL), "old");
	if (len > 1000)
		return;
	assert_string_equal(
		err.hint,
		"a line is TOKEN, for all devices, or DEVICE TOKEN, for one");
}

static void refused(void **state)
{
	CLEANUP(tokens_done) struct tokens t = { 0 };
	CLEANUP(mem_free_ptr) char *missing = folder_path("missing");
	CLEANUP(mem_free_ptr) char *large = mem_zalloc((1u << 20) + 1);

	(void)state;
	assert_int_equal(read_bytes(&t, "old\n", 4, NULL), 0);
	stays(&t, "", 0, "the token file", " holds no token");
	stays(&t, "# only\n\n", 8, "the token file", " holds no token");
	stays(&t, "a\n\n secret\x01\n", 12, "token file",
	      ", line 3: holds a control character");
	stays(&t, "a\x01 secret", 9, "token file",
	      ", line 1: holds a control character");
	stays(&t, "a\nb secret\x7f", 11, "token file",
	      ", line 2: holds a control character");
	stays(&t, "a\nsecret\0b\n", 11, "token file",
	      ", line 2: holds a NUL byte");
	stays(&t, "a\nsecret\0", 9, "token file", ", line 2: holds a NUL byte");
	memset(large, 'a', (1u << 20) + 1);
	stays(&t, large, (1u << 20) + 1, "the token file",
	      " is larger than 1 MB");
	assert_int_equal(tokens_read(&t, missing, NULL), -1);
	assert_int_equal(tokens_read(&t, folder, NULL), -1);
	assert_int_equal(t.count, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none),
		cmocka_unit_test(environment),
		cmocka_unit_test(file),
		cmocka_unit_test(belongs_to_the_device),
		cmocka_unit_test(refused),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
