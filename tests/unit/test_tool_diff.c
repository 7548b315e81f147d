/* SPDX-License-Identifier: MIT */
/* mcp/tool_diff: lists of tools compared, and how that is shown. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/tool_diff.h"
#include "mcp/tools.h"
#include "rendered.h"

/* What two lists (the inside of "tools":[…]) differ in, as one form. */
static char *difference(const char *old, const char *new, const char *filter,
			enum output_form form)
{
	CLEANUP(tool_list_done) struct tool_list a = { 0 };
	CLEANUP(tool_list_done) struct tool_list b = { 0 };
	CLEANUP(tool_changes_done) struct tool_changes c = { 0 };
	struct rendered s;
	char *text;

	add_page(&a, old);
	add_page(&b, new);
	tool_changes_find(&c, &a, &b, filter);
	assert_int_equal(c.count, c.added + c.removed + c.changed);
	rendered_start(&s, form, false);
	for (size_t i = 0; i < c.count; i++)
		s.r.ops->change(&s.r, &c.item[i]);
	text = mem_strdup(rendered_out(&s));
	rendered_end(&s);
	return text;
}

static void assert_text(const char *old, const char *new, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *text = difference(old, new, NULL, OUTPUT_TEXT);

	assert_string_equal(text, expected);
}

/* Two tools "t" whose schemas have these properties (and what follows). */
static void assert_schemas(const char *old, const char *new,
			   const char *expected)
{
	static const char format[] =
		"{\"name\":\"t\",\"inputSchema\":{\"properties\":{%s}}}";
	CLEANUP(mem_free_ptr) char *a = mem_printf(format, old);
	CLEANUP(mem_free_ptr) char *b = mem_printf(format, new);
	CLEANUP(mem_free_ptr) char *whole = mem_printf("~ t\n%s", expected);

	assert_text(a, b, *expected ? whole : "");
}

static void order_counts_for_nothing(void **state)
{
	(void)state;
	assert_text("", "", "");
	assert_text(
		"{\"name\":\"a\",\"x\":{\"p\":1,\"q\":2}},{\"name\":\"b\"}",
		"{\"name\":\"b\"},{\"x\":{\"q\":2.0,\"p\":1},\"name\":\"a\"}",
		"");
	assert_text("{\"name\":\"a\",\"inputSchema\":{\"required\":[\"x\","
		    "\"y\"]}}",
		    "{\"name\":\"a\",\"inputSchema\":{\"required\":[\"y\","
		    "\"x\",\"x\"]}}",
		    "");
}

static void tools_come_and_go(void **state)
{
	(void)state;
	assert_text("{\"name\":\"b\"},{\"name\":\"a\"}",
		    "{\"name\":\"c\"},{\"name\":\"b\"},{\"description\":\"?\"}",
		    "+ (no name)\n- a\n+ c\n");
	assert_text("{\"name\":\"x\\u001b[1m\"}", "", "- x\\x1b[1m\n");
}

static void members_change(void **state)
{
	(void)state;
	assert_text("{\"name\":\"t\",\"description\":\"one\",\"annotations\":"
		    "{\"readOnlyHint\":true,\"x\":{\"y\":1}}}",
		    "{\"name\":\"t\",\"description\":\"two\",\"annotations\":"
		    "{\"audience\":[\"user\"],\"x\":{\"y\":2}}}",
		    "~ t\n"
		    "    annotations.audience (none) -> [\"user\"]\n"
		    "    annotations.readOnlyHint true -> (none)\n"
		    "    annotations.x.y 1 -> 2\n"
		    "    description \"one\" -> \"two\"\n");
	assert_text("{\"name\":\"t\",\"inputSchema\":true}",
		    "{\"name\":\"t\",\"outputSchema\":{}}",
		    "~ t\n    inputSchema true -> (none)\n"
		    "    outputSchema (none) -> {}\n");
	assert_text("{\"name\":\"t\",\"outputSchema\":{\"properties\":{\"a\":"
		    "{\"type\":\"string\"}}}}",
		    "{\"name\":\"t\",\"outputSchema\":{\"properties\":{\"a\":"
		    "{\"type\":\"null\"}},\"title\":\"T\"}}",
		    "~ t\n    result a: type \"string\" -> \"null\"\n"
		    "    result: title (none) -> \"T\"\n");
}

static void arguments_change(void **state)
{
	(void)state;
	assert_schemas(
		"\"v\":{\"type\":\"integer\",\"maximum\":100,"
		"\"default\":50,\"description\":\"a\"}",
		"\"v\":{\"type\":\"number\",\"maximum\":80,\"minimum\":0,"
		"\"description\":\"b\"}",
		"    argument v: default 50 -> (none)\n"
		"    argument v: description \"a\" -> \"b\"\n"
		"    argument v: maximum 100 -> 80\n"
		"    argument v: minimum (none) -> 0\n"
		"    argument v: type \"integer\" -> \"number\"\n");
	assert_schemas("\"a\":{\"type\":\"boolean\"}},\"required\":[\"a\"],"
		       "\"x\":{",
		       "\"b\":{\"type\":\"integer\",\"minimum\":1}},"
		       "\"required\":[\"b\"],\"x\":{",
		       "    argument a: removed, boolean, required\n"
		       "    argument b: added, integer >= 1, required\n");
	assert_schemas("\"a\":{},\"b\":{}},\"required\":[\"a\"],\"x\":{",
		       "\"a\":{},\"b\":{}},\"required\":[\"b\"],\"x\":{",
		       "    argument a: required -> optional\n"
		       "    argument b: optional -> required\n");
	assert_schemas("\"a\":true", "\"a\":false",
		       "    argument a true -> false\n");
	assert_schemas("\"a\":{}},\"properties2\":{", "\"a\":{}",
		       "    arguments: properties2 {} -> (none)\n");
}

static void nested_schemas_change(void **state)
{
	(void)state;
	assert_schemas(
		"\"l\":{\"items\":{\"properties\":{\"x\":{\"minimum\":1}}}}",
		"\"l\":{\"items\":{\"properties\":{\"x\":{\"minimum\":2},\"y\":"
		"{\"type\":\"null\"}},\"required\":[\"y\",\"z\"]}}",
		"    argument l[].x: minimum 1 -> 2\n"
		"    argument l[].y: added, null, required\n"
		"    argument l[].z: optional -> required\n");
	assert_schemas("\"e\":{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":1}"
		       "]},\"m\":{\"additionalProperties\":{\"a\":1}}",
		       "\"e\":{\"anyOf\":[{\"type\":\"string\"},{\"minimum\":2}"
		       "]},\"m\":{\"additionalProperties\":{\"a\":2}}",
		       "    argument e (anyOf 2): minimum 1 -> 2\n"
		       "    argument m.*: a 1 -> 2\n");
	assert_schemas("\"e\":{\"anyOf\":[1]}", "\"e\":{\"anyOf\":[1,2]}",
		       "    argument e: anyOf [1] -> [1,2]\n");
	assert_schemas("},\"$defs\":{\"n\":{\"type\":\"null\"}},\"x\":{",
		       "},\"$defs\":{\"n\":{\"type\":\"string\"}},\"x\":{",
		       "    definition n: type \"null\" -> \"string\"\n");
}

/* Of the wrong type: compared as they are. */
static void odd_schemas_are_compared(void **state)
{
	(void)state;
	assert_schemas("},\"required\":7,\"x\":{", "},\"required\":8,\"x\":{",
		       "    arguments: required 7 -> 8\n");
	assert_schemas("},\"required\":[1],\"x\":{",
		       "},\"required\":[2],\"x\":{",
		       "    arguments: required [1] -> [2]\n");
	assert_text("{\"name\":\"t\",\"inputSchema\":{\"properties\":1}}",
		    "{\"name\":\"t\",\"inputSchema\":{\"properties\":2}}",
		    "~ t\n    arguments: properties 1 -> 2\n");
	/* The first of two members counts. */
	assert_text("{\"name\":\"t\",\"a\":1,\"a\":2}",
		    "{\"name\":\"t\",\"a\":1,\"a\":3}", "");
}

static void long_values_have_lines_of_their_own(void **state)
{
	(void)state;
	assert_text("{\"name\":\"t\",\"description\":\"A sentence that is too "
		    "long for it.\"}",
		    "{\"name\":\"t\",\"description\":\"A sentence that\\nhas "
		    "changed a little.\"}",
		    "~ t\n    description\n"
		    "      - \"A sentence that is too long for it.\"\n"
		    "      + \"A sentence that\\nhas changed a little.\"\n");
}

static void names_that_stand_twice(void **state)
{
	(void)state;
	assert_text("{\"name\":\"t\",\"x\":1},{\"name\":\"t\",\"x\":2}",
		    "{\"name\":\"t\",\"x\":2},{\"name\":\"t\",\"x\":1}", "");
	assert_text("{\"name\":\"t\",\"x\":1},{\"name\":\"t\",\"x\":2}",
		    "{\"name\":\"t\",\"x\":2}", "- t\n");
	assert_text("{\"name\":\"t\",\"x\":1},{\"name\":\"t\",\"x\":2}",
		    "{\"name\":\"t\",\"x\":2},{\"name\":\"t\",\"x\":3},"
		    "{\"name\":\"t\",\"x\":4}",
		    "~ t\n    x 1 -> 3\n+ t\n");
}

static void only_what_matches(void **state)
{
	CLEANUP(mem_free_ptr)
	char *word = difference("{\"name\":\"a\",\"description\":\"loud\"},"
				"{\"name\":\"b\"}",
				"{\"name\":\"a\",\"description\":\"soft\"}",
				"loud", OUTPUT_TEXT);
	CLEANUP(mem_free_ptr)
	char *glob = difference("{\"name\":\"a\"},{\"name\":\"b\"}", "", "b*",
				OUTPUT_TEXT);

	(void)state;
	assert_string_equal(word,
			    "~ a\n    description \"loud\" -> \"soft\"\n");
	assert_string_equal(glob, "- b\n");
}

static void json_has_pointers(void **state)
{
	CLEANUP(mem_free_ptr)
	char *changed = difference(
		"{\"name\":\"t\",\"n\" : 1.50,\"inputSchema\":{\"properties\":{"
		"\"a/b~\":{\"default\":null}},\"required\":[\"a/b~\"]}}",
		"{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a/b~\":{"
		"\"enum\":[1]}}},\"n\":1.5}",
		NULL, OUTPUT_JSON);
	CLEANUP(mem_free_ptr)
	char *moved = difference("{\"name\":\"a\"}",
				 "{ \"name\":\"b\",\"n\":"
				 "1.50}",
				 NULL, OUTPUT_JSON);

	(void)state;
	assert_string_equal(
		changed,
		"{\"change\":\"changed\",\"name\":\"t\",\"old\":{\"name\":\"t\","
		"\"n\":1.50,\"inputSchema\":{\"properties\":{\"a/b~\":{"
		"\"default\":null}},\"required\":[\"a/b~\"]}},\"new\":{"
		"\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a/b~\":{"
		"\"enum\":[1]}}},\"n\":1.5},\"differences\":[{\"path\":"
		"\"/inputSchema/properties/a~1b~0/default\",\"what\":"
		"\"argument a/b~: default\",\"old\":null},{\"path\":"
		"\"/inputSchema/properties/a~1b~0/enum\",\"what\":"
		"\"argument a/b~: enum\",\"new\":[1]},{\"path\":"
		"\"/inputSchema/required\",\"what\":\"argument a/b~\","
		"\"old\":true,\"new\":false}]}\n");
	assert_string_equal(moved,
			    "{\"change\":\"removed\",\"name\":\"a\",\"tool\":"
			    "{\"name\":\"a\"}}\n{\"change\":\"added\",\"name\":"
			    "\"b\",\"tool\":{\"name\":\"b\",\"n\":1.50}}\n");
}

/* As deep as JSON may be, and many members: it ends, and soon. */
static void large_lists_end(void **state)
{
	CLEANUP(buf_done) struct buf old = { 0 };
	CLEANUP(buf_done) struct buf new = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	struct buf *side[] = { &old, &new };

	(void)state;
	for (int k = 0; k < 2; k++) {
		buf_text(side[k], "{\"name\":\"t\",\"inputSchema\":");
		for (int i = 0; i < 90; i++)
			buf_text(side[k], "{\"properties\":{\"a\":");
		buf_printf(side[k], "%d", k);
		for (int i = 0; i < 90; i++)
			buf_text(side[k], "}}");
		buf_char(side[k], '}');
		for (int i = 0; i < 20000; i++)
			buf_printf(side[k], ",{\"name\":\"t\",\"x\":%d}",
				   i + k);
		buf_text(side[k], ",{\"name\":\"w\",\"x\":{\"m\":0");
		for (int i = 0; i < 20000; i++)
			buf_printf(side[k], ",\"m%d\":%d", i * 7919 % 20000, k);
		buf_text(side[k], "}}");
	}
	text = difference(buf_string(&old), buf_string(&new), "w", OUTPUT_TEXT);
	assert_non_null(strstr(text, "    x.m19999 0 -> 1\n"));
	mem_free(text);
	text = difference(buf_string(&old), buf_string(&new), "t", OUTPUT_TEXT);
	assert_non_null(strstr(text, ".a.a.a 0 -> 1\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(order_counts_for_nothing),
		cmocka_unit_test(tools_come_and_go),
		cmocka_unit_test(members_change),
		cmocka_unit_test(arguments_change),
		cmocka_unit_test(nested_schemas_change),
		cmocka_unit_test(odd_schemas_are_compared),
		cmocka_unit_test(long_values_have_lines_of_their_own),
		cmocka_unit_test(names_that_stand_twice),
		cmocka_unit_test(only_what_matches),
		cmocka_unit_test(json_has_pointers),
		cmocka_unit_test(large_lists_end),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
