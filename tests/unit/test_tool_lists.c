/* SPDX-License-Identifier: MIT */
/*
 * Tool lists shared by content; tools found by name in their text.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "mcp/tools.h"
#include "mcp/types.h"
#include "serve/tool_lists.h"

static void add_page(struct tool_list *out, const char *tools)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":"
				"{\"tools\":[%s]}}",
				tools);
	struct message m;
	struct error err = { 0 };

	assert_int_equal(message_decode(&m, text, strlen(text), &err), 0);
	assert_int_equal(tool_list_add_take(out, &m, NULL, &err), 0);
}

static struct shared_list *hold(struct tool_lists *b, const char *tools)
{
	struct tool_list list = { 0 };
	struct shared_list *held;

	add_page(&list, tools);
	held = tool_lists_hold(b, &list);
	tool_list_done(&list);
	return held;
}

static void assert_tool(const struct shared_list *list, const char *name,
			const char *text)
{
	struct span found;

	if (!shared_list_tool(list, name, &found))
		fail_msg("'%s' is not there", name);
	assert_int_equal(found.len, strlen(text));
	assert_memory_equal(found.text, text, found.len);
}

#define B "{\"name\":\"b\",\"description\":\"two  words\"}"
#define A "{\"name\":\"a\",\"annotations\":{\"audience\":[\"user\"]}}"

static void test_hold(void **state)
{
	struct tool_lists b = { 0 };
	struct shared_list *one, *same, *other;
	struct span found;

	(void)state;
	assert_null(tool_lists_find(&b, "0123456789abcdef"));
	/* White space between tokens does not make another list. */
	one = hold(&b, B "," A);
	same = hold(&b,
		    "{ \"name\": \"b\", \"description\": \"two  words\"}, " A);
	assert_ptr_equal(one, same);
	assert_int_equal(one->holders, 2);
	assert_int_equal(one->count, 2);
	assert_int_equal(one->user, 1);
	assert_int_equal(strlen(one->id), 16);
	assert_ptr_equal(tool_lists_find(&b, one->id), one);
	assert_tool(one, "a", A);
	assert_tool(one, "b", B);
	assert_false(shared_list_tool(one, "c", &found));
	assert_false(shared_list_tool(one, "", &found));
	other = hold(&b, B);
	assert_ptr_not_equal(other, one);
	assert_int_equal(b.lists.count, 2);
	tool_lists_release(&b, other);
	assert_int_equal(b.lists.count, 1);
	tool_lists_release(&b, one);
	assert_int_equal(b.lists.count, 1);
	tool_lists_release(&b, one);
	assert_int_equal(b.lists.count, 0);
	tool_lists_release(&b, NULL);
	tool_lists_done(&b);
}

static void test_odd_tools(void **state)
{
	struct tool_lists b = { 0 };
	struct shared_list *list;
	struct span found;

	(void)state;
	list = hold(&b, "{\"name\":\"x\",\"v\":1},{\"v\":2},7,"
			"{\"name\":\"x\",\"v\":3},{\"name\":5},"
			"{\"name\":\"q\\u00e9\\\"\",\"v\":4},"
			"{\"inner\":{\"name\":\"no\"},\"name\":\"y\"}");
	assert_int_equal(list->count, 6);
	assert_tool(list, "x", "{\"name\":\"x\",\"v\":1}");
	assert_tool(list, "q\xc3\xa9\"", "{\"name\":\"q\\u00e9\\\"\",\"v\":4}");
	assert_tool(list, "y", "{\"inner\":{\"name\":\"no\"},\"name\":\"y\"}");
	assert_false(shared_list_tool(list, "no", &found));
	tool_lists_release(&b, list);
	/* An empty list is one too. */
	list = hold(&b, "");
	assert_int_equal(list->count, 0);
	assert_false(shared_list_tool(list, "x", &found));
	assert_null(shared_list_nearest(list, "x"));
	tool_lists_release(&b, list);
	tool_lists_done(&b);
}

static void test_nearest(void **state)
{
	struct tool_lists b = { 0 };
	struct shared_list *list =
		hold(&b, "{\"name\":\"self.audio_speaker.set_volume\"},"
			 "{\"name\":\"self.reboot\"}");
	char *nearest;

	(void)state;
	nearest = shared_list_nearest(list, "set_volume");
	assert_string_equal(nearest, "self.audio_speaker.set_volume");
	mem_free(nearest);
	nearest = shared_list_nearest(list, "self.rebot");
	assert_string_equal(nearest, "self.reboot");
	mem_free(nearest);
	assert_null(shared_list_nearest(list, "zzzz"));
	tool_lists_release(&b, list);
	tool_lists_done(&b);
}

static void test_many_lists(void **state)
{
	struct tool_lists b = { 0 };
	struct shared_list *list[100];
	char tool[64];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(tool, sizeof(tool), "{\"name\":\"t%d\"}", i);
		list[i] = hold(&b, tool);
	}
	assert_int_equal(b.lists.count, 100);
	for (int i = 0; i < 100; i++)
		assert_ptr_equal(tool_lists_find(&b, list[i]->id), list[i]);
	for (int i = 0; i < 50; i++)
		tool_lists_release(&b, list[i]);
	assert_int_equal(b.lists.count, 50);
	/* The rest is released here. */
	tool_lists_done(&b);
}

#define SPEAKER "{\"name\":\"self.audio_speaker.set_volume\"}"
#define OTHER "{\"name\":\"self.bell.set_volume\"}"
#define LIGHT "{\"name\":\"self.light.on\"}"
#define REBOOT \
	"{\"name\":\"self.reboot\",\"annotations\":{\"audience\":[\"user\"]}}"

/* text NULL: none is meant. */
static void assert_meant(const struct shared_list *list, const char *word,
			 const char *text)
{
	struct span out = { "x", 1 };

	assert_int_equal(shared_list_meant(list, word, &out, NULL), 0);
	assert_int_equal(out.len, text ? strlen(text) : 0);
	if (text)
		assert_memory_equal(out.text, text, out.len);
	else
		assert_null(out.text);
}

static void assert_not_meant(const struct shared_list *list, const char *word,
			     const char *why)
{
	struct error err = { 0 };
	struct span out;

	assert_int_equal(shared_list_meant(list, word, &out, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, why);
	assert_null(out.text);
	error_reset(&err);
}

/* By the whole name, or by the end of one. */
static void test_meant(void **state)
{
	struct tool_lists b = { 0 };
	struct shared_list *list =
		hold(&b, SPEAKER "," LIGHT "," REBOOT "," OTHER);

	(void)state;
	assert_meant(list, "self.light.on", LIGHT);
	assert_meant(list, "light.on", LIGHT);
	assert_meant(list, "on", LIGHT);
	assert_meant(list, "bell.set_volume", OTHER);
	assert_meant(list, "self.reboot", REBOOT);
	assert_meant(list, "off", NULL);
	assert_not_meant(list, "set_volume",
			 "'set_volume' is ambiguous: 2 tools end so");
	assert_not_meant(
		list, "reboot",
		"'reboot' is short for 'self.reboot', which is for users only: it needs its whole name");
	tool_lists_release(&b, list);
	list = hold(&b, "");
	assert_meant(list, "on", NULL);
	tool_lists_release(&b, list);
	tool_lists_done(&b);
}

/* In the order of names; where one would stand. */
static void test_order(void **state)
{
	static const char *const texts[] = { OTHER, LIGHT, REBOOT };
	static const struct {
		const char *name;
		size_t at;
	} rows[] = {
		{ "", 0 },
		{ "self.bell.set_volume", 0 },
		{ "self.c", 1 },
		{ "self.light.on", 1 },
		{ "self.light.on2", 2 },
		{ "self.reboot", 2 },
		{ "self.z", 3 },
	};
	struct tool_lists b = { 0 };
	struct shared_list *list = hold(&b, REBOOT "," LIGHT "," OTHER);

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct span text = shared_list_text(list, i);

		assert_int_equal(text.len, strlen(texts[i]));
		assert_memory_equal(text.text, texts[i], text.len);
	}
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_int_equal(shared_list_find(list, rows[i].name),
				 rows[i].at);
	/* In another order it is the same list. */
	assert_ptr_equal(hold(&b, OTHER "," LIGHT "," REBOOT), list);
	assert_ptr_not_equal(hold(&b, OTHER "," LIGHT), list);
	assert_ptr_equal(hold(&b, LIGHT "," OTHER "," REBOOT), list);
	assert_int_equal(list->holders, 3);
	tool_lists_done(&b);
	assert_int_equal(b.lists.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_hold),
		cmocka_unit_test(test_odd_tools),
		cmocka_unit_test(test_nearest),
		cmocka_unit_test(test_many_lists),
		cmocka_unit_test(test_meant),
		cmocka_unit_test(test_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
