/* SPDX-License-Identifier: MIT */
/*
 * serve/aliases: the file of names for boards.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>

#include "folder.h"
#include "serve/aliases.h"

static int read_text(struct aliases *a, const char *text, struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *path = folder_write("devices.json", text, strlen(text));

	return aliases_read(a, path, err);
}

static void names(void **state)
{
	CLEANUP(aliases_done) struct aliases a = { 0 };

	(void)state;
	assert_null(aliases_name(&a, "x", NULL));
	assert_int_equal(read_text(&a,
				   "{\"kitchen\":\"AA:bb:cc:dd:ee:ff\","
				   "\"\xe5\x8e\xa8\xe6\x88\xbf\":\"GID@@@1\"}",
				   NULL),
			 0);
	assert_int_equal(a.count, 2);
	assert_string_equal(aliases_name(&a, "aa:BB:cc:dd:ee:ff", NULL),
			    "kitchen");
	assert_string_equal(aliases_name(&a, NULL, "gid@@@1"),
			    "\xe5\x8e\xa8\xe6\x88\xbf");
	/* A Client-Id is copied easily: beside a Device-Id it names nobody. */
	assert_null(aliases_name(&a, "other", "gid@@@1"));
	assert_null(aliases_name(&a, "other", "aa:bb:cc:dd:ee:ff"));
	assert_string_equal(aliases_id(&a, "Kitchen"), "AA:bb:cc:dd:ee:ff");
	assert_null(aliases_id(&a, "aa:bb:cc:dd:ee:ff"));
	assert_null(aliases_id(&a, NULL));
	const char *const words[][2] = { { "Kitchen", "aa:bb:cc:dd:ee:ff" },
					 { "AA:BB:CC:00:11:22",
					   "aa:bb:cc:00:11:22" },
					 { "", "" } };

	for (size_t i = 0; i < COUNT(words); i++) {
		char *id = aliases_device(&a, words[i][0]);

		assert_string_equal(id, words[i][1]);
		free(id);
	}
	assert_string_equal(aliases_find(&a, "KITCHEN")->name, "kitchen");
	assert_string_equal(aliases_find(&a, "aa:bb:cc:dd:ee:ff")->name,
			    "kitchen");
	assert_null(aliases_find(&a, "bath"));
	assert_null(aliases_name(&a, "other", "another"));
	assert_null(aliases_name(&a, NULL, NULL));
	assert_int_equal(read_text(&a, " {} ", NULL), 0);
	assert_int_equal(a.count, 0);
}

static void stays(struct aliases *a, const char *text)
{
	struct error err = { 0 };

	assert_int_equal(read_text(a, text, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "devices.json"));
	error_reset(&err);
	assert_string_equal(aliases_name(a, "1", NULL), "one");
}

static void refused(void **state)
{
	CLEANUP(aliases_done) struct aliases a = { 0 };
	CLEANUP(mem_free_ptr) char *missing = folder_path("missing");
	struct error err = { 0 };

	(void)state;
	assert_int_equal(read_text(&a, "{\"one\":\"1\"}", NULL), 0);
	stays(&a, "");
	stays(&a, "{\"a\":\"1\"");
	stays(&a, "[\"a\"]");
	stays(&a, "{\"a\":1}");
	stays(&a, "{\"a\":\"\"}");
	stays(&a, "{\"a\":{\"id\":\"1\"}}");
	stays(&a, "{\"\":\"1\"}");
	stays(&a, "{\"a*\":\"1\"}");
	stays(&a, "{\"a?\":\"1\"}");
	stays(&a, "{\"[a]\":\"1\"}");
	stays(&a, "{\"sim:\":\"1\"}");
	stays(&a, "{\"-a\":\"1\"}");
	stays(&a, "{\"a b\":\"1\"}");
	stays(&a, "{\"a\\u0007\":\"1\"}");
	stays(&a, "{\"a\":\"1\",\"A\":\"2\"}");
	assert_int_equal(aliases_read(&a, missing, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(aliases_read(&a, folder, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
	assert_int_equal(a.count, 1);
}

static void standard_place(void **state)
{
	CLEANUP(aliases_done) struct aliases a = { 0 };
	CLEANUP(mem_free_ptr) char *inside = folder_path("mcpctl");

	(void)state;
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
	assert_int_equal(mkdir(inside, 0700), 0);
	mem_free(folder_write("mcpctl/devices.json", "{\"a\":\"1\"}", 9));
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_string_equal(aliases_name(&a, "1", NULL), "a");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(refused),
		cmocka_unit_test(standard_place),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
