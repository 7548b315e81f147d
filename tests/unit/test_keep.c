/* SPDX-License-Identifier: MIT */
/* Folders and names of what boards make us keep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <sys/stat.h>

#include "folder.h"
#include "net/keep.h"

static unsigned mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	assert_true(S_ISDIR(st.st_mode));
	return st.st_mode & 0777;
}

static void makes_the_folder_that_is_named(void **state)
{
	CLEANUP(mem_free_ptr) char *above = mem_printf("%s/one/two", folder);
	CLEANUP(mem_free_ptr) char *path = mem_printf("%s/three", above);
	CLEANUP(mem_free_ptr) char *slash = mem_printf("%s/four//", above);
	mode_t before = umask(022);
	struct error err = { 0 };

	(void)state;
	assert_int_equal(keep_folder("--x", path, 0700, &err), 0);
	assert_int_equal(mode_of(path), 0700);
	assert_int_equal(mode_of(above), 0755);
	/* It is there already, and stays as it is. */
	assert_int_equal(keep_folder("--x", path, 0755, &err), 0);
	assert_int_equal(mode_of(path), 0700);
	/* As a shell completes it. */
	assert_int_equal(keep_folder("--x", slash, 0700, &err), 0);
	assert_int_equal(mode_of(slash), 0700);
	umask(before);
}

static void says_why_it_cannot(void **state)
{
	CLEANUP(mem_free_ptr) char *file = mem_printf("%s/file", folder);
	CLEANUP(mem_free_ptr) char *below = mem_printf("%s/more", file);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("--save-x: folder '%s': Not a directory", file);
	struct error err = { 0 };
	FILE *f = fopen(file, "w");

	(void)state;
	assert_non_null(f);
	fclose(f);
	assert_int_equal(keep_folder("--save-x", file, 0755, &err), -1);
	assert_string_equal(err.text, text);
	assert_int_equal(err.kind, ERR_OUTPUT);
	assert_int_equal(err.code, ENOTDIR);
	assert_string_equal(err.hint, "give a folder that can be written to");
	error_reset(&err);
	assert_int_equal(keep_folder("--save-x", below, 0755, &err), -1);
	assert_int_equal(err.code, ENOTDIR);
	error_reset(&err);
	assert_int_equal(keep_folder("--save-x", "", 0755, &err), -1);
	assert_int_equal(err.code, ENOENT);
	error_reset(&err);
}

/* What stands between the number and the suffix. */
static void named(const char *device, const char *tail)
{
	unsigned number = 7;
	CLEANUP(mem_free_ptr)
	char *path = keep_name("/f", &number, device, "jpg");
	const char *stamp = "/f/20YYMMDD-HHMMSS-007-";

	assert_int_equal(strlen(path), strlen(stamp) + strlen(tail));
	assert_memory_equal(path, "/f/20", 5);
	assert_int_equal(path[11], '-');
	assert_memory_equal(path + 18, "-007-", 5);
	assert_string_equal(path + strlen(stamp), tail);
	assert_int_equal(number, 8);
}

static void names_hold_nothing_of_a_path(void **state)
{
	(void)state;
	named("azAZ09_", "azAZ09_.jpg");
	named("`{@[/:. ~\xc3\xa9", "-----------.jpg");
	named("", ".jpg");
	named("0123456789012345678901234567890123456789"
	      "0123456789012345678901234567",
	      "0123456789012345678901234567890123456789"
	      "012345678901234567890123.jpg");
}

static void names_are_counted(void **state)
{
	unsigned number = 999;
	CLEANUP(mem_free_ptr) char *last = keep_name("f", &number, "x", "y");
	CLEANUP(mem_free_ptr) char *again = keep_name("f", &number, "x", "y");

	(void)state;
	assert_non_null(strstr(last, "-999-x.y"));
	assert_non_null(strstr(again, "-000-x.y"));
}

static void leaves_a_part_of_the_disk(void **state)
{
	const uint64_t most = UINT64_C(256) << 20;
	struct disk_space space = { .all = 1000 };

	(void)state;
	assert_int_equal(disk_reserve(&space), 100);
	space.all = most * 10 - 10;
	assert_int_equal(disk_reserve(&space), most - 1);
	space.all = most * 10 + 10;
	assert_int_equal(disk_reserve(&space), most);
	assert_int_equal(disk_space(folder, &space), 0);
	assert_true(space.all >= space.left);
	assert_true(space.all > 0);
	assert_int_equal(disk_space("/nowhere/at/all", &space), ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(makes_the_folder_that_is_named),
		cmocka_unit_test(says_why_it_cannot),
		cmocka_unit_test(names_hold_nothing_of_a_path),
		cmocka_unit_test(names_are_counted),
		cmocka_unit_test(leaves_a_part_of_the_disk),
	};

	mem_init();
	return cmocka_run_group_tests_name("keep", tests, folder_make,
					   folder_remove);
}
