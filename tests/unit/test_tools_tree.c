/* SPDX-License-Identifier: MIT */
/* out/tools_tree: names grouped by their parts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/tools.h"
#include "out/tools_tree.h"
#include "rendered.h"

static void add_names(struct tool_list *l, const char *const *names,
		      size_t count)
{
	CLEANUP(buf_done) struct buf tools = { 0 };

	for (size_t i = 0; i < count; i++) {
		buf_text(&tools, i ? ",{\"name\":" : "{\"name\":");
		buf_json_string(&tools, names[i], strlen(names[i]));
		buf_char(&tools, '}');
	}
	add_page(l, buf_string(&tools));
}

/* "depth:part" of each line, '*' behind those that are tools. */
static void assert_tree(const char *const *names, size_t count,
			const char *filter, const char *expected)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(tools_tree_done) struct tools_tree tree = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	add_names(&l, names, count);
	tools_tree_init(&tree, &l, filter);
	for (size_t i = 0; i < tree.count; i++)
		buf_printf(&text, "%s%zu:%.*s%s", i ? " " : "",
			   tree.line[i].depth, (int)tree.line[i].len,
			   tree.line[i].text, tree.line[i].tool ? "*" : "");
	assert_string_equal(buf_string(&text), expected);
}

#define TREE(filter, expected, ...)                                   \
	do {                                                          \
		static const char *const names_[] = { __VA_ARGS__ };  \
		assert_tree(names_, COUNT(names_), filter, expected); \
	} while (0)

static void parts_are_grouped(void **state)
{
	(void)state;
	TREE(NULL, "0:self 1:a.b* 1:screen 2:get* 2:set* 1:z*", "self.z",
	     "self.screen.set", "self.a.b", "self.screen.get");
	TREE(NULL, "0:a.b 1:c* 1:d* 0:x*", "x", "a.b.d", "a.b.c");
	TREE(NULL, "0:only.one.tool*", "only.one.tool");
	TREE("*.get", "0:self.screen.get*", "self.z", "self.screen.get");
	assert_tree(NULL, 0, NULL, "");
}

static void a_tool_may_be_a_group(void **state)
{
	(void)state;
	TREE(NULL, "0:a* 1:b* 2:c* 1:d*", "a.b.c", "a.d", "a", "a.b");
	/* A '-' comes before a '.', and yet they stand together. */
	TREE(NULL, "0:a* 1:b* 0:a-b*", "a-b", "a.b", "a");
	TREE(NULL, "0:a* 0:a* 1:b*", "a", "a.b", "a");
	TREE(NULL, "0:a.b* 0:a.b*", "a.b", "a.b");
}

static void odd_names_keep_their_dots(void **state)
{
	(void)state;
	TREE(NULL, "0:.* 1:a* 0:.a* 0:a.* 0:a..* 0:a..b*", ".", ".a", "..a",
	     "a.", "a..", "a..b");
	TREE(NULL, "0:* 0:灯 1:关* 1:开*", "灯.开", "灯.关", "");
}

/* A name of dots only is neither deep nor slow. */
static void deep_names_end(void **state)
{
	CLEANUP(buf_done) struct buf a = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(tools_tree_done) struct tools_tree tree = { 0 };
	const char *names[100];

	(void)state;
	for (int i = 0; i < 20000; i++) {
		buf_text(&a, i % 2 ? ".x" : ".y");
		buf_text(&b, i % 2 ? ".x" : ".y");
	}
	buf_text(&b, "z");
	for (size_t i = 0; i < COUNT(names); i++)
		names[i] = i % 2 ? buf_string(&a) : buf_string(&b);
	add_names(&l, names, COUNT(names));
	tools_tree_init(&tree, &l, NULL);
	assert_true(tree.count >= COUNT(names) && tree.count < 200);
}

/* Where it gets too deep each has a line of its own, with the rest of its name. */
static void deep_tools_are_all_there(void **state)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(tools_tree_done) struct tools_tree tree = { 0 };
	char *names[41];
	size_t tools = 0, whole = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++) {
		names[i] = mem_printf("%sy", buf_string(&name));
		buf_text(&name, "x.");
	}
	add_names(&l, (const char *const *)names, COUNT(names));
	tools_tree_init(&tree, &l, NULL);
	for (size_t i = 0; i < tree.count; i++) {
		const struct tree_line *line = &tree.line[i];

		tools += line->tool != NULL;
		whole += line->len > 1 && line->text[line->len - 1] == 'y';
		assert_true(line->depth <= 32);
	}
	assert_int_equal(tools, COUNT(names));
	assert_int_equal(whole, COUNT(names) - 33);
	for (size_t i = 0; i < COUNT(names); i++)
		mem_free(names[i]);
}

static void it_is_shown(void **state)
{
	struct rendered s;
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	const struct tools_record record = { .list = &l };

	(void)state;
	add_page(&l,
		 "{\"name\":\"self.screen.get_info\",\"description\":\"Tells"
		 "\\nmore\",\"annotations\":{\"audience\":[\"user\"]}},"
		 "{\"name\":\"self.screen.off\"},"
		 "{\"name\":\"self.x\\u001b\",\"title\":\"X\"}");
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->tree(&s.r, &record);
	assert_string_equal(rendered_out(&s),
			    "self\n"
			    "  screen\n"
			    "    get_info  [user-only] Tells\n"
			    "    off\n"
			    "  x\\x1b       X\n");
	rendered_end(&s);
}

static void ages_are_told(void **state)
{
	static const struct {
		int64_t age;
		const char *says;
	} ages[] = { { -5, "0 seconds" },    { 1, "1 second" },
		     { 119, "119 seconds" }, { 120, "2 minutes" },
		     { 7200, "2 hours" },    { 172799, "47 hours" },
		     { 172800, "2 days" } };
	CLEANUP(tool_list_done) struct tool_list l = { 0 };

	(void)state;
	add_page(&l, "{\"name\":\"a\",\"inputSchema\":{\"type\":\"object\"}}");
	for (size_t i = 0; i < COUNT(ages); i++) {
		const struct tools_record record = {
			.list = &l, .kept = "listen:", .age = ages[i].age
		};
		CLEANUP(mem_free_ptr)
		char *says = mem_printf("1 tool, listed %s ago from listen:\n",
					ages[i].says);
		struct rendered s;

		rendered_start(&s, OUTPUT_TEXT, false);
		s.r.ops->tools_end(&s.r, &record);
		assert_string_equal(rendered_err(&s), says);
		rendered_end(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_grouped),
		cmocka_unit_test(a_tool_may_be_a_group),
		cmocka_unit_test(odd_names_keep_their_dots),
		cmocka_unit_test(deep_names_end),
		cmocka_unit_test(deep_tools_are_all_there),
		cmocka_unit_test(it_is_shown),
		cmocka_unit_test(ages_are_told),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
