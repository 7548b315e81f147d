/* SPDX-License-Identifier: MIT */
/*
 * What backends make of a list of tools, as far as it can be known from the
 * pages that were seen.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/base.h"
#include "out/backends.h"

static struct tool tools[60];
static struct tool_list list;

/* `first` tools on page 1, the rest on page 2. */
static void pages(size_t first, size_t second)
{
	memset(tools, 0, sizeof(tools));
	list = (struct tool_list){ .tool = tools, .count = first + second };
	for (size_t i = 0; i < list.count; i++) {
		tools[i].name = "self.x";
		tools[i].page = i >= first;
	}
}

static bool has(size_t at, const char *part)
{
	CLEANUP(words_done) struct words notes = { 0 };
	bool found = false;

	backend_notes(&list, &tools[at], &notes);
	for (size_t i = 0; i < notes.count; i++)
		found |= strstr(notes.word[i], part) != NULL;
	return found;
}

static void test_page_dropped(void **state)
{
	size_t visible = 0;

	(void)state;
	pages(21, 20);
	assert_true(backend_visible(&list, &visible));
	assert_int_equal(visible, 21);
	assert_true(has(25, "see only the first 21"));
	assert_true(has(25, "it is on page 2"));
	/* On the page that is dropped they change nothing. */
	tools[40].user_only = true;
	assert_true(backend_visible(&list, &visible));
	assert_int_equal(visible, 21);
}

/* They would fill the first page up with others. */
static void test_user_only_on_page_one(void **state)
{
	size_t visible = 0;

	(void)state;
	pages(21, 20);
	tools[3].user_only = true;
	assert_false(backend_visible(&list, &visible));
	assert_false(has(25, "see only"));
	assert_false(has(25, "it is on page 2"));
	assert_true(has(40, "it is number 40: the MQTT gateway"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_page_dropped),
		cmocka_unit_test(test_user_only_on_page_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
