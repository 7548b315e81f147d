/* SPDX-License-Identifier: MIT */
/* Which tool decodes the backtraces of an ELF file, and where it is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <sys/stat.h>

#include "folder.h"
#include "net/addr2line.h"

#define XTENSA "xtensa-esp32s3-elf-addr2line"
#define RISCV "riscv32-esp-elf-addr2line"

static char *path_of(const char *name)
{
	return mem_printf("%s/%s", folder, name);
}

static void write_file(const char *path, const char *data, size_t len,
		       mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	fclose(f);
	chmod(path, mode);
}

/* order: 1 little, 2 big; yours. */
static char *elf(char order, const char *machine)
{
	char head[20] = "\x7f"
			"ELF";
	char *path = path_of("x.elf");

	head[5] = order;
	memcpy(head + 18, machine, 2);
	write_file(path, head, sizeof(head), 0600);
	return path;
}

static void wants(char order, const char *machine, const char *name)
{
	CLEANUP(mem_free_ptr) char *path = elf(order, machine);
	struct addr2line a;

	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_string_equal(a.wanted, name);
	assert_string_equal(a.elf, path);
	addr2line_done(&a);
}

static void knows_the_machine(void **state)
{
	(void)state;
	wants(1, "\x5e\0", XTENSA);
	wants(2, "\0\x5e", XTENSA);
	wants(1, "\xf3\0", RISCV);
	wants(2, "\0\xf3", RISCV);
	/* Any other is that of this machine. */
	wants(2, "\x5e\0", "addr2line");
	wants(1, "\x3e\0", "addr2line");
	wants(2, "\1\x73", "addr2line");
	wants(1, "\x73\1", "addr2line");
}

/* In PATH, else among the tools of ESP-IDF: the newest. */
static void finds_the_tool(void **state)
{
	static const char *const folders[] = { "bin",
					       "idf",
					       "idf/tools",
					       "idf/tools/a",
					       "idf/tools/a/1",
					       "idf/tools/a/2",
					       "idf/tools/a/1/a",
					       "idf/tools/a/2/a",
					       "idf/tools/a/1/a/bin",
					       "idf/tools/a/2/a/bin" };
	CLEANUP(mem_free_ptr) char *path = elf(1, "\x5e\0");
	CLEANUP(mem_free_ptr) char *bin = path_of("bin");
	CLEANUP(mem_free_ptr) char *idf = path_of("idf");
	CLEANUP(mem_free_ptr) char *home = path_of(".espressif");
	CLEANUP(mem_free_ptr)
	char *older = path_of("idf/tools/a/1/a/bin/" XTENSA);
	CLEANUP(mem_free_ptr)
	char *newer = path_of("idf/tools/a/2/a/bin/" XTENSA);
	CLEANUP(mem_free_ptr)
	char *first = path_of("bin/xtensa-esp32-elf-addr2line");
	struct addr2line a;
	struct panic_text none = { 0 };
	struct error err = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(folders); i++) {
		CLEANUP(mem_free_ptr) char *one = path_of(folders[i]);

		assert_int_equal(mkdir(one, 0700), 0);
	}
	setenv("PATH", bin, 1);
	setenv("IDF_TOOLS_PATH", idf, 1);
	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_null(a.tool);
	assert_int_equal(addr2line_ask(&a, NULL, &none, NULL, NULL, &err), -1);
	assert_string_equal(err.text, "'" XTENSA "', which decodes backtraces, "
				      "is not there");
	assert_non_null(strstr(err.hint, "IDF_TOOLS_PATH"));
	error_reset(&err);
	addr2line_done(&a);
	write_file(older, "", 0, 0700);
	write_file(newer, "", 0, 0700);
	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_string_equal(a.tool, newer);
	addr2line_done(&a);
	write_file(first, "", 0, 0700);
	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_string_equal(a.tool, first);
	assert_string_equal(a.wanted, XTENSA);
	addr2line_done(&a);
	/* Where nothing is said of it, ESP-IDF has them at home. */
	unlink(first);
	assert_int_equal(symlink(idf, home), 0);
	setenv("IDF_TOOLS_PATH", "", 1);
	setenv("HOME", folder, 1);
	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_non_null(a.tool);
	assert_non_null(strstr(a.tool, "/.espressif/tools/a/2/a/bin/" XTENSA));
	addr2line_done(&a);
	setenv("HOME", "", 1);
	assert_int_equal(addr2line_find(&a, path, NULL), 0);
	assert_null(a.tool);
	addr2line_done(&a);
}

static void is_none(const char *path, const char *text)
{
	struct addr2line a;
	struct error err = { 0 };

	assert_int_equal(addr2line_find(&a, path, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	if (!strstr(err.text, path) || !strstr(err.text, text))
		fail_msg("'%s' instead of '%s'", err.text, text);
	error_reset(&err);
}

static void says_what_is_no_elf_file(void **state)
{
	CLEANUP(mem_free_ptr) char *cut = path_of("cut");
	CLEANUP(mem_free_ptr) char *other = path_of("other");

	(void)state;
	write_file(cut,
		   "\x7f"
		   "ELF456789012345678",
		   19, 0600);
	write_file(other,
		   "\x7f"
		   "ELG4567890123456789",
		   20, 0600);
	is_none(cut, "is no ELF file");
	is_none(other, "is no ELF file");
	is_none(folder, "no regular file");
	is_none("/nowhere/x.elf", "No such file or directory");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(knows_the_machine),
		cmocka_unit_test(finds_the_tool),
		cmocka_unit_test(says_what_is_no_elf_file),
	};

	mem_init();
	return cmocka_run_group_tests_name("addr2line", tests, folder_make,
					   folder_remove);
}
