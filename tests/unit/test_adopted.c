/* SPDX-License-Identifier: MIT */
/* The addresses that boards had before: kept, found again, taken back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/stat.h>
#include <unistd.h>

#include "cli/adopted.h"
#include "folder.h"

static struct error err;
static cJSON *list;

static int make(void **state)
{
	if (folder_make(state) != 0)
		return -1;
	setenv("XDG_STATE_HOME", folder, 1);
	return 0;
}

static int fresh(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("mcpctl/adopted.json");

	(void)state;
	unlink(path);
	return 0;
}

static int clean(void **state)
{
	(void)state;
	json_free_ptr(&list);
	error_reset(&err);
	return 0;
}

static void read_list(void)
{
	json_free_ptr(&list);
	if (adopted_read(&list, &err) != 0)
		fail_msg("%s", err.text);
}

static void keep(const char *portal, const char *hardware, const char *before)
{
	const struct adopted a = { .portal = portal,
				   .hardware = hardware,
				   .before = before,
				   .now = "now",
				   .at = "2026-01-31T12:00:00Z" };

	assert_int_equal(adopted_keep(&a, &err), 0);
}

/* "PORTAL HARDWARE BEFORE" of each, the latest first. */
static void holds(const char *expected)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct adopted one;

	read_list();
	for (int i = 0; adopted_at(list, i, &one); i++) {
		buf_printf(&out, "%s %s %s\n", one.portal, one.hardware,
			   one.before);
		assert_string_equal(one.now, "now");
		assert_string_equal(one.at, "2026-01-31T12:00:00Z");
	}
	assert_string_equal(buf_string(&out), expected);
}

static void test_kept(void **state)
{
	CLEANUP(mem_free_ptr) char *path = folder_path("mcpctl/adopted.json");
	const struct adopted dated = {
		.portal = "p", .hardware = "", .before = "", .now = ""
	};
	struct adopted one;
	struct stat st;

	(void)state;
	holds("");
	keep("http://1", "aa", "one");
	keep("http://2", "", "two");
	holds("http://2  two\nhttp://1 aa one\n");
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* Without a time it is now. */
	assert_int_equal(adopted_keep(&dated, &err), 0);
	read_list();
	assert_true(adopted_at(list, 0, &one));
	assert_int_equal(strlen(one.at), strlen("2026-01-31T12:00:00.123Z"));
	assert_false(adopted_at(list, 3, &one));
	assert_string_equal(one.portal, "");
}

/* By its hardware, where that is known of both; else by where it was. */
static void test_found(void **state)
{
	static const struct {
		const char *portal, *hardware;
		int at;
	} rows[] = {
		{ "http://9", "aa", 1 }, { "http://1", "bb", 2 },
		{ "http://1", "", 1 },	 { "http://2", "zz", 0 },
		{ "http://3", "aa", 1 }, { "http://3", "", 2 },
		{ "http://9", "", -1 },	 { "http://1", "zz", -1 },
	};

	(void)state;
	keep("http://3", "bb", "three");
	keep("http://1", "aa", "one");
	keep("http://2", "", "two");
	read_list();
	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct adopted of = { .portal = rows[i].portal,
					    .hardware = rows[i].hardware };

		assert_int_equal(adopted_find(list, &of), rows[i].at);
	}
}

static void test_dropped(void **state)
{
	struct adopted of = { .portal = "http://1",
			      .hardware = "aa",
			      .before = "one",
			      .now = "now",
			      .at = "2026-01-31T12:00:00Z" };
	const char **const parts[] = { &of.portal, &of.hardware, &of.before,
				       &of.now, &of.at };

	(void)state;
	keep("http://1", "aa", "one");
	keep("http://2", "", "two");
	/* One that differs in a part is another. */
	for (size_t i = 0; i < COUNT(parts); i++) {
		const char *was = *parts[i];

		*parts[i] = "other";
		assert_int_equal(adopted_drop(&of, &err), 0);
		*parts[i] = was;
	}
	holds("http://2  two\nhttp://1 aa one\n");
	assert_int_equal(adopted_drop(&of, &err), 0);
	holds("http://2  two\n");
	assert_int_equal(adopted_drop(&of, &err), 0);
	holds("http://2  two\n");
}

static void test_bounded(void **state)
{
	(void)state;
	for (int i = 0; i < ADOPTED_MAX + 2; i++) {
		CLEANUP(mem_free_ptr) char *portal = mem_printf("%d", i);

		keep(portal, "", "");
	}
	read_list();
	assert_int_equal(cJSON_GetArraySize(list), ADOPTED_MAX);
	assert_int_equal(
		adopted_find(list, &(struct adopted){ .portal = "1",
						      .hardware = "" }),
		-1);
	assert_int_equal(
		adopted_find(list, &(struct adopted){ .portal = "2",
						      .hardware = "" }),
		ADOPTED_MAX - 1);
}

/* It has what nobody else has: a broken one is not begun anew. */
static void test_broken(void **state)
{
	static const char *const texts[] = { "", "{}", "[", "7" };
	const struct adopted a = {
		.portal = "p", .hardware = "", .before = "", .now = ""
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		mem_free(folder_write("mcpctl/adopted.json", texts[i],
				      strlen(texts[i])));
		assert_int_equal(adopted_read(&list, &err), -1);
		assert_null(list);
		assert_int_equal(err.kind, ERR_OUTPUT);
		assert_non_null(strstr(err.text, "it is no list of JSON"));
		assert_non_null(strstr(err.hint, "keep a copy"));
		assert_int_equal(adopted_keep(&a, &err), -1);
		assert_int_equal(adopted_drop(&a, &err), -1);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_kept),    TEST(test_found),  TEST(test_dropped),
		TEST(test_bounded), TEST(test_broken),
	};

	mem_init();
	return cmocka_run_group_tests(tests, make, folder_remove);
}
