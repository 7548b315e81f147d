/* SPDX-License-Identifier: MIT */
/*
 * describe: the rows of nested schemas, and examples that the validator
 * accepts, for tests/fixtures/schemas.jsonl and worse.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "mcp/arguments.h"
#include "mcp/tools.h"
#include "out/text_describe.h"
#include "rendered.h"

#define FIXTURE "tests/fixtures/schemas.jsonl"

/* ---- rows ---- */

static void add_row(struct buf *out, const struct argument_rows *rows, size_t i)
{
	const struct argument_row *row = &rows->row[i];

	buf_printf(out, "%s%zu:%s", i ? " " : "", row->depth, row->path);
	if (row->form)
		buf_printf(out, "#%d/%d", row->form, row->forms);
	if (row->required)
		buf_char(out, '!');
	if (row->also)
		buf_char(out, '&');
	if (row->same != SIZE_MAX)
		buf_printf(out, "=%s", rows->row[row->same].path);
}

/* Each row as "depth:path", '!' where it is required. */
static void assert_rows(const char *schema, const char *expected)
{
	CLEANUP(json_free_ptr)
	cJSON *tree = json_parse(schema, strlen(schema), NULL);
	CLEANUP(argument_rows_done) struct argument_rows rows = { 0 };
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_true(tree || !*schema);
	argument_rows_init(&rows, tree);
	for (size_t i = 0; i < rows.count; i++)
		add_row(&text, &rows, i);
	assert_false(rows.cut);
	assert_string_equal(buf_string(&text), expected);
}

static void rows_of_objects_and_arrays(void **state)
{
	(void)state;
	assert_rows("", "");
	assert_rows("true", "");
	assert_rows("7", "");
	assert_rows("{\"properties\":{\"a\":{},\"b\":{\"properties\":{\"c\":"
		    "true},\"required\":[\"c\",7]}},\"required\":[\"b\"]}",
		    "0:a 0:b! 1:b.c!");
	assert_rows("{\"properties\":{\"a\":{\"items\":{\"items\":{"
		    "\"properties\":{\"x\":{}}}}},\"n\":{\"items\":{\"type\":"
		    "\"integer\"}}}}",
		    "0:a 1:a[][].x 0:n");
	assert_rows(
		"{\"properties\":{\"a\":{\"prefixItems\":[{},{\"properties\""
		":{\"x\":{}}}]},\"b\":{\"items\":[{}]}}}",
		"0:a 1:a[0] 1:a[1] 2:a[1].x 0:b 1:b[0]");
	assert_rows("{\"items\":{\"properties\":{\"x\":{}}}}", "0:[].x");
	/* A choice of one is none. */
	assert_rows("{\"properties\":{\"a\":{\"items\":{\"anyOf\":[{"
		    "\"properties\":{\"x\":{}}}]}}}}",
		    "0:a 1:a[].x");
	assert_rows("{\"properties\":{\"a\":{\"items\":{\"oneOf\":[{"
		    "\"properties\":{\"x\":{}}}]}}}}",
		    "0:a 1:a[].x");
	assert_rows("{\"required\":[\"x\",\"y\"],\"properties\":{\"y\":{}},"
		    "\"patternProperties\":{\"^z\":{}},"
		    "\"additionalProperties\":{\"properties\":{\"q\":{}}}}",
		    "0:y! 0:x! 0:/^z/ 0:* 1:*.q");
}

static void rows_of_references(void **state)
{
	(void)state;
	assert_rows("{\"properties\":{\"a\":{\"$ref\":\"#/$defs/o\"},\"b\":"
		    "{\"$ref\":\"#/$defs/o\"},\"c\":{\"$ref\":\"#/nowhere\"}},"
		    "\"$defs\":{\"o\":{\"properties\":{\"x\":{}}}}}",
		    "0:a 1:a.x 0:b 1:b.x 0:c");
	assert_rows(
		"{\"$ref\":\"#/$defs/in\",\"$defs\":{\"in\":{\"properties\":"
		"{\"x\":{}},\"required\":[\"x\"]}}}",
		"0:x!");
	assert_rows(
		"{\"properties\":{\"n\":{\"$ref\":\"#/$defs/n\"}},\"$defs\":"
		"{\"n\":{\"properties\":{\"up\":{\"$ref\":\"#/$defs/n\"},"
		"\"kids\":{\"items\":{\"$ref\":\"#/$defs/n\"}}}}}}",
		"0:n 1:n.up=n 1:n.kids 2:n.kids[].up=n "
		"2:n.kids[].kids=n.kids");
	assert_rows("{\"$ref\":\"#\"}", "");
	assert_rows("{\"properties\":{\"a\":{\"$ref\":\"#\"}}}", "0:a 1:a.a=a");
	assert_rows("{\"properties\":{\"a\":{\"items\":{\"$ref\":"
		    "\"#/properties/a\"}}}}",
		    "0:a");
}

static void rows_of_choices(void **state)
{
	(void)state;
	assert_rows("{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"null\"},"
		    "{\"type\":\"string\"}]}}}",
		    "0:a");
	assert_rows("{\"properties\":{\"a\":{\"oneOf\":[{\"properties\":{\"x\":"
		    "{}},\"required\":[\"x\"]},{\"type\":\"null\"}]}}}",
		    "0:a 1:a#1/2 2:a.x! 1:a#2/2");
	assert_rows("{\"properties\":{\"l\":{\"items\":{\"anyOf\":[{"
		    "\"properties\":{\"x\":{}}},{\"properties\":{\"y\":{}}}]}}}"
		    "}",
		    "0:l 1:l[]#1/2 2:l[].x 1:l[]#2/2 2:l[].y");
	assert_rows("{\"allOf\":[{\"properties\":{\"a\":{\"minimum\":1}}},"
		    "{\"properties\":{\"a\":{\"maximum\":2},\"b\":{}},"
		    "\"required\":[\"a\"]}]}",
		    "0:a! 0:a!& 0:b");
	assert_rows(
		"{\"anyOf\":[{\"required\":[\"a\"]},{\"required\":[\"b\"]}],"
		"\"properties\":{\"a\":{},\"b\":{}}}",
		"0:a 0:b");
}

/* References that multiply, long names, depth: cut, not endless. */
static void hostile_schemas_are_cut(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };
	CLEANUP(buf_done) struct buf deep = { 0 };
	CLEANUP(buf_done) struct buf wide = { 0 };
	struct buf *all[] = { &many, &deep, &wide };

	(void)state;
	buf_text(&many, "{\"$ref\":\"#/$defs/d0\",\"$defs\":{");
	for (int i = 0; i < 30; i++)
		buf_printf(
			&many,
			"%s\"d%d\":{\"properties\":{\"a\":{\"$ref\":"
			"\"#/$defs/d%d\"},\"b\":{\"$ref\":\"#/$defs/d%d\"}}}",
			i ? "," : "", i, i + 1, i + 1);
	buf_text(&many, "}}");
	for (int i = 0; i < 60; i++) {
		buf_text(&deep, "{\"properties\":{\"");
		for (int k = 0; k < 100; k++)
			buf_text(&deep, "name");
		buf_text(&deep, "\":");
	}
	buf_text(&deep, "{}");
	for (int i = 0; i < 60; i++)
		buf_text(&deep, "}}");
	buf_text(&wide, "{\"properties\":{\"x\":{}");
	for (int i = 0; i < 5000; i++)
		buf_printf(&wide, ",\"p%d\":{}", i);
	buf_text(&wide, "}}");
	for (size_t i = 0; i < COUNT(all); i++) {
		CLEANUP(json_free_ptr)
		cJSON *tree = json_parse(all[i]->data, all[i]->len, NULL);
		CLEANUP(argument_rows_done) struct argument_rows rows = { 0 };

		assert_non_null(tree);
		argument_rows_init(&rows, tree);
		assert_true(rows.cut);
		assert_true(rows.count > 1 && rows.count <= 1000);
	}
}

/* ---- the sheet ---- */

static void assert_sheet(const char *tool, const char *expected)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	struct rendered s;

	add_page(&l, tool);
	rendered_start(&s, OUTPUT_TEXT, false);
	s.r.ops->describe(&s.r, &(struct describe_record){ .tool = &l.tool[0],
							   .list = &l });
	assert_string_equal(rendered_out(&s), expected);
	rendered_end(&s);
}

static void a_sheet_has_all(void **state)
{
	(void)state;
	assert_sheet(
		"{\"name\":\"t\",\"description\":\"Does.\",\"inputSchema\":{"
		"\"properties\":{\"l\":{\"type\":\"array\",\"minItems\":1,"
		"\"description\":\"All.\",\"items\":{\"$ref\":\"#/$defs/i\"},"
		"\"default\":[]}},\"$defs\":{\"i\":{\"properties\":{\"x\":{"
		"\"type\":\"integer\",\"title\":\"How\"}}}}},\"outputSchema\":{"
		"\"properties\":{\"ok\":{\"type\":\"boolean\"},\"why\":{\"type\":"
		"\"string\"}},\"required\":[\"ok\"]},\"annotations\":{"
		"\"destructiveHint\":false,\"x\":[1]}}",
		"t\n  Does.\n"
		"\nusage\n  call t [l:=<array>]\n"
		"\narguments\n"
		"  l      array of objects, at least 1 item, default []\n"
		"         All.\n"
		"  l[].x  integer, optional\n"
		"         How\n"
		"\nexample\n  call t\n"
		"\nresult\n"
		"  ok   boolean\n"
		"  why  string, optional\n"
		"\nannotations\n"
		"  destructiveHint: false (it only adds)\n"
		"  x: [1]\n");
}

static void a_sheet_says_what_it_cannot(void **state)
{
	(void)state;
	assert_sheet(
		"{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{},"
		"\"c\":{\"type\":\"string\",\"pattern\":\"(?=x)y\"}},"
		"\"required\":[\"a\",\"c\"]},\"outputSchema\":{\"type\":"
		"\"array\",\"items\":{\"type\":\"null\"}}}",
		"t\n  (no description)\n"
		"\nusage\n  call t a=<any> c=<string>\n"
		"\narguments\n"
		"  a  any, required\n"
		"  c  string, pattern (?=x)y, required\n"
		"\nexample\n"
		"  none was found that fits the schema: 'c' must be string, "
		"pattern (?=x)y\n"
		"\nresult\n  array of null\n");
}

/* ---- examples ---- */

/* What words_quote wrote, back into words; less "call NAME". */
static void assert_example(const struct tool *t, const char *line)
{
	const struct arguments_options options = { .tool = t };
	CLEANUP(words_done) struct words words = { 0 };
	CLEANUP(buf_done) struct buf built = { 0 };
	CLEANUP(buf_done) struct buf warnings = { 0 };
	struct error err = { 0 };

	assert_int_equal(words_split(&words, line, &err), 0);
	assert_true(words.count >= 2);
	assert_string_equal(words.word[1], t->name);
	if (arguments_build(&built, words.word + 2, words.count - 2, &options,
			    &warnings, &err) != 0)
		fail_msg("%s: %s", line, err.text);
}

static void assert_has_example(const struct tool *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (arguments_example(t, &line) != 0)
		fail_msg("no example for '%s'", t->name);
	assert_example(t, buf_string(&line));
}

static void examples_of_the_fixture_fit(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	char line[8192];
	FILE *in = fopen(FIXTURE, "re");

	(void)state;
	assert_non_null(in);
	while (fgets(line, sizeof(line), in))
		add_page(&l, line);
	fclose(in);
	assert_int_equal(l.count, 18);
	for (size_t i = 0; i < l.count; i++) {
		CLEANUP(buf_done) struct buf none = { 0 };

		if (strcmp(l.tool[i].name, "impossible") == 0)
			assert_int_equal(arguments_example(&l.tool[i], &none),
					 -1);
		else
			assert_has_example(&l.tool[i]);
	}
}

/* Of the argument "a", required. */
static void examples_of_nasty_schemas_fit(void **state)
{
	static const char *const schemas[] = {
		"{\"type\":\"string\",\"default\":\"a\\nb\\u001b\"}",
		"{\"type\":\"string\",\"enum\":[\"@file\",\"x\"]}",
		"{\"type\":\"string\",\"enum\":[\"{}\"]}",
		"{\"enum\":[\"1\"]}",
		"{\"enum\":[null]}",
		"{\"const\":\"null\"}",
		"{\"type\":\"number\",\"minimum\":1e-9,\"maximum\":2e-9}",
		"{\"type\":\"number\",\"multipleOf\":0.1,\"minimum\":0.25,"
		"\"maximum\":0.35}",
		"{\"type\":\"integer\",\"minimum\":-9007199254740992,"
		"\"maximum\":-9007199254740991}",
		"{\"type\":\"integer\",\"exclusiveMinimum\":2.5,"
		"\"exclusiveMaximum\":3.5}",
		"{\"type\":[\"null\",\"array\"],\"minItems\":2}",
		"{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{"
		"\"type\":\"integer\",\"multipleOf\":3},\"minItems\":2,"
		"\"uniqueItems\":true},\"minItems\":2,\"uniqueItems\":true}",
		"{\"type\":\"array\",\"items\":{\"type\":\"boolean\"},"
		"\"minItems\":2,\"uniqueItems\":true}",
		"{\"type\":\"array\",\"items\":{\"type\":\"integer\","
		"\"multipleOf\":100,\"minimum\":1,\"maximum\":300},\"minItems\":"
		"3,\"uniqueItems\":true}",
		"{\"type\":\"object\",\"minProperties\":0,\"required\":[\"q\"]}",
		"{\"allOf\":[{\"type\":\"object\",\"properties\":{\"x\":{"
		"\"type\":\"object\",\"required\":[\"p\"],\"properties\":{\"p\":"
		"{\"type\":\"integer\"}}}},\"required\":[\"x\"]},{"
		"\"properties\":{\"x\":{\"required\":[\"q\"],\"properties\":{"
		"\"q\":{\"type\":\"boolean\"}}}}}]}",
		"{\"allOf\":[{\"anyOf\":[{\"type\":\"string\"},{\"type\":"
		"\"integer\"}]},{\"minimum\":5},{\"not\":{\"type\":\"string\"}}"
		"]}",
		"{\"oneOf\":[{\"type\":\"integer\",\"multipleOf\":3},{\"type\":"
		"\"integer\",\"multipleOf\":5}],\"minimum\":1,\"maximum\":100}",
		"{\"not\":{\"type\":\"integer\"}}",
		"{\"type\":\"object\",\"properties\":{\"kind\":{\"const\":\"k\"},"
		"\"v\":{\"$ref\":\"#/properties/a/$defs/v\"}},\"required\":["
		"\"kind\",\"v\"],\"$defs\":{\"v\":{\"oneOf\":[{\"type\":"
		"\"null\"},{\"type\":\"integer\"}]}}}",
		"{\"type\":\"string\",\"pattern\":\"^[a-z]+(-[a-z]+)*$\","
		"\"minLength\":12,\"maxLength\":20}",
		"{\"type\":\"string\",\"pattern\":\"^\\\\+?[1-9]\\\\d{6,14}$\"}",
		"{\"type\":\"string\",\"pattern\":\"^[\\\\w.]+@[\\\\w.]+$\"}",
		"{\"type\":\"string\",\"pattern\":\"^#([0-9a-f]{6}|[0-9a-f]{3})"
		"$\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(schemas); i++) {
		CLEANUP(tool_list_done) struct tool_list l = { 0 };
		CLEANUP(mem_free_ptr)
		char *tool = mem_printf("{\"name\":\"t %zu\",\"inputSchema\":{"
					"\"type\":\"object\",\"properties\":{"
					"\"a\":%s},\"required\":[\"a\"]}}",
					i, schemas[i]);

		add_page(&l, tool);
		assert_has_example(&l.tool[0]);
	}
}

/* A text to copy: nothing in it is shown as something else. */
static void examples_are_copied_as_they_are(void **state)
{
	CLEANUP(tool_list_done) struct tool_list l = { 0 };
	CLEANUP(buf_done) struct buf line = { 0 };

	(void)state;
	add_page(&l,
		 "{\"name\":\"t\",\"inputSchema\":{\"properties\":{\"a\":{"
		 "\"type\":\"string\",\"default\":\"x\\ny\"}},\"required\":["
		 "\"a\"]}}");
	assert_int_equal(arguments_example(&l.tool[0], &line), 0);
	assert_string_equal(buf_string(&line), "call t 'a:=\"x\\ny\"'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_objects_and_arrays),
		cmocka_unit_test(rows_of_references),
		cmocka_unit_test(rows_of_choices),
		cmocka_unit_test(hostile_schemas_are_cut),
		cmocka_unit_test(a_sheet_has_all),
		cmocka_unit_test(a_sheet_says_what_it_cannot),
		cmocka_unit_test(examples_of_the_fixture_fit),
		cmocka_unit_test(examples_of_nasty_schemas_fit),
		cmocka_unit_test(examples_are_copied_as_they_are),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
