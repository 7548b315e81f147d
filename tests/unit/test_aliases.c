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

/* why: behind the name of the file. */
static void stays(struct aliases *a, const char *text, const char *why,
		  const char *hint)
{
	CLEANUP(error_reset) struct error err = { 0 };
	CLEANUP(mem_free_ptr)
	char *whole =
		mem_printf("alias file '%s/devices.json': %s", folder, why);

	assert_int_equal(read_text(a, text, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, whole);
	assert_string_equal(err.hint, hint);
	assert_string_equal(aliases_name(a, "1", NULL), "one");
}

#define OBJECT "it is an object such as {\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}"
#define FILE_OF                          \
	"the file is an object such as " \
	"{\"kitchen\":\"aa:bb:cc:dd:ee:ff\"}"
#define WORDS "names are words such as 'kitchen'"

static void what_is_wrong(void **state)
{
	static const char *const rows[][3] = {
		{ "[\"a\"]", "not a JSON object", OBJECT },
		{ "1", "not a JSON object", OBJECT },
		{ "{\"a\":1}", "'a' has no text for its device", FILE_OF },
		{ "{\"a\":\"\"}", "'a' has no text for its device", FILE_OF },
		{ "{\"a\":{\"id\":\"1\"}}", "'a' has no text for its device",
		  FILE_OF },
		{ "{\"\":\"1\"}", "the name '' is empty", WORDS },
		{ "{\"a*\":\"1\"}", "the name 'a*' could be taken for a glob",
		  WORDS },
		{ "{\"a?\":\"1\"}", "the name 'a?' could be taken for a glob",
		  WORDS },
		{ "{\"[a]\":\"1\"}", "the name '[a]' could be taken for a glob",
		  WORDS },
		{ "{\"sim:\":\"1\"}",
		  "the name 'sim:' could be taken for a target or an id",
		  WORDS },
		{ "{\"-a\":\"1\"}",
		  "the name '-a' could be taken for an option", WORDS },
		{ "{\"a b\":\"1\"}",
		  "the name 'a b' has a space or a control character", WORDS },
		{ "{\" \":\"1\"}",
		  "the name ' ' has a space or a control character", WORDS },
		{ "{\"a\\u007f\":\"1\"}",
		  "the name 'a\x7f' has a space or a control character",
		  WORDS },
		{ "{\"a\":\"1\",\"b\":\"2\",\"A\":\"3\"}",
		  "the name 'A' stands there twice", WORDS },
	};
	CLEANUP(aliases_done) struct aliases a = { 0 };

	(void)state;
	assert_int_equal(read_text(&a, "{\"one\":\"1\"}", NULL), 0);
	for (size_t i = 0; i < COUNT(rows); i++)
		stays(&a, rows[i][0], rows[i][1], rows[i][2]);
	assert_int_equal(a.count, 1);
	/* A '-' inside, and what stands around a space in ASCII. */
	assert_int_equal(read_text(&a, "{\"a-b\":\"1\",\"!~\":\"2\"}", NULL),
			 0);
	assert_int_equal(a.count, 2);
}

static void refused_text(struct aliases *a, const char *text)
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
	refused_text(&a, "");
	refused_text(&a, "{\"a\":\"1\"");
	assert_int_equal(aliases_read(&a, missing, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(aliases_read(&a, folder, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	error_reset(&err);
	assert_int_equal(a.count, 1);
}

static void make_folders(const char *outer, const char *inner)
{
	CLEANUP(mem_free_ptr) char *one = folder_path(outer);
	CLEANUP(mem_free_ptr) char *two = folder_path(inner);

	assert_int_equal(mkdir(one, 0700), 0);
	assert_int_equal(mkdir(two, 0700), 0);
}

static void standard_place(void **state)
{
	CLEANUP(aliases_done) struct aliases a = { 0 };
	CLEANUP(mem_free_ptr) char *inside = folder_path("mcpctl");
	CLEANUP(mem_free_ptr) char *path = NULL;

	(void)state;
	setenv("XDG_CONFIG_HOME", folder, 1);
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
	assert_int_equal(mkdir(inside, 0700), 0);
	mem_free(folder_write("mcpctl/devices.json", "{\"a\":\"1\"}", 9));
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_string_equal(aliases_name(&a, "1", NULL), "a");
	/* Below HOME, where that is unset or no whole path. */
	setenv("HOME", folder, 1);
	setenv("XDG_CONFIG_HOME", "mcpctl", 1);
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
	make_folders(".config", ".config/mcpctl");
	mem_free(folder_write(".config/mcpctl/devices.json", "{\"b\":\"2\"}",
			      9));
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_string_equal(aliases_name(&a, "2", NULL), "b");
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", "", 1);
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
	/* Nothing is below a file. */
	path = folder_write("file", "", 0);
	setenv("XDG_CONFIG_HOME", path, 1);
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_int_equal(aliases_read(&a, NULL, NULL), 0);
	assert_int_equal(a.count, 0);
}

/* The client id counts where there is no Device-Id, or where it names the same. */
static void whose_id(void **state)
{
	static const struct {
		bool is;
		const char *id, *device_id, *client_id;
	} rows[] = {
		{ true, "aa:01", "AA:01", NULL },
		{ true, "AA:01", "aa:01", "x" },
		{ false, "aa:01", "aa:02", "aa:01" },
		{ true, "x", NULL, "X" },
		{ true, "x", "", "x" },
		{ false, "x", "aa:01", "x" },
		{ false, "x", NULL, NULL },
		{ false, NULL, NULL, NULL },
		{ false, "", "", "" },
		{ false, NULL, "x", "x" },
		{ true, "GID_g@@@0A_1b_2c_3d_4e_5f@@@u", "0a:1b:2c:3d:4e:5f",
		  "GID_g@@@0A_1b_2c_3d_4e_5f@@@u" },
		{ false, "GID_g@@@0a_1b_2c_3d_4e_5f@@@u", "0a:1b:2c:3d:4e:50",
		  "GID_g@@@0a_1b_2c_3d_4e_5f@@@u" },
		{ false, "x", "0a:1b:2c:3d:4e:5f",
		  "GID_g@@@0a_1b_2c_3d_4e_5f@@@u" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(board_id_is(rows[i].id, rows[i].device_id,
					     rows[i].client_id),
				 rows[i].is);
}

static void form_of_a_mac(void **state)
{
	static const char *const others[] = {
		"",
		"aa:bb:cc:dd:ee",
		"aa:bb:cc:dd:ee:",
		"aa:bb:cc:dd:ee:f",
		"aa:bb:cc:dd:ee:ff:",
		"aa:bb:cc:dd:ee:ff:00",
		"aa-bb-cc-dd-ee-ff",
		"aa:bb:cc:dd:ee:fg",
		"a:abb:cc:dd:ee:ff",
		"aabb:cc:dd:ee:ff:",
	};

	(void)state;
	assert_true(board_id_is_mac("aa:bb:cc:dd:ee:ff"));
	assert_true(board_id_is_mac("09:AF:af:00:99:FF"));
	for (size_t i = 0; i < COUNT(others); i++)
		assert_false(board_id_is_mac(others[i]));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(refused),
		cmocka_unit_test(what_is_wrong),
		cmocka_unit_test(whose_id),
		cmocka_unit_test(form_of_a_mac),
		cmocka_unit_test(standard_place),
	};

	mem_init();
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
