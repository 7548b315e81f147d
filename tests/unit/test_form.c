/* SPDX-License-Identifier: MIT */
/*
 * Forms of servers: fields from a schema, values from what is typed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "cli/form.h"
#include "mcp/format.h"

static cJSON *schema;
static struct form form;
static struct error err;

static int clean(void **state)
{
	(void)state;
	form_done(&form);
	json_free_ptr(&schema);
	error_reset(&err);
	return 0;
}

static int read_schema(const char *text)
{
	clean(NULL);
	schema = json_parse(text, strlen(text), NULL);
	assert_non_null(schema);
	return form_read(&form, schema, &err);
}

/* A form of one field "x". */
static void one(const char *field)
{
	CLEANUP(mem_free_ptr)
	char *text = mem_printf(
		"{\"type\":\"object\",\"properties\":{\"x\":%s}}", field);

	assert_int_equal(read_schema(text), 0);
	assert_int_equal(form.count, 1);
}

static void becomes(const char *typed, const char *json)
{
	CLEANUP(json_free_ptr)
	cJSON *value = form_parse(&form, &form.field[0], typed, &err);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!value)
		fail_msg("'%s' was refused: %s", typed, err.text);
	json_print(&out, value);
	assert_string_equal(buf_string(&out), json);
}

static void refused(const char *typed, const char *says)
{
	assert_null(form_parse(&form, &form.field[0], typed, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, says);
}

static void expects(const char *words)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	form_expects(&form, &form.field[0], &out);
	assert_string_equal(buf_string(&out), words);
}

static void test_texts(void **state)
{
	(void)state;
	one("{\"type\":\"string\",\"minLength\":2,\"maxLength\":4,"
	    "\"title\":\"T\",\"description\":\"D\",\"default\":\"abc\"}");
	assert_string_equal(form.field[0].title, "T");
	assert_string_equal(form.field[0].description, "D");
	assert_string_equal(form.field[0].fallback->valuestring, "abc");
	becomes("ab", "\"ab\"");
	becomes("\xc3\xa9\xc3\xa9", "\"\xc3\xa9\xc3\xa9\"");
	refused("a", "\"a\" is shorter than 2 characters");
	refused("abcde", "\"abcde\" is longer than 4 characters");
	refused("\xff\xff", "this is no UTF-8 text");
	one("{\"type\":\"string\"}");
	becomes("\"\"", "\"\"");
	becomes(" d ", "\" d \"");
	one("{\"type\":\"string\",\"format\":\"email\"}");
	becomes("a@b", "\"a@b\"");
	refused("nobody", "'nobody' is no email address");
	expects("email address");
	one("{\"type\":[\"string\",\"null\"],\"pattern\":\"^a+$\"}");
	assert_int_equal(form.field[0].kind, FORM_TEXT);
}

static void test_numbers(void **state)
{
	(void)state;
	one("{\"type\":\"integer\",\"minimum\":18,\"maximum\":120,"
	    "\"default\":7}");
	/* A default that does not fit is none. */
	assert_null(form.field[0].fallback);
	becomes(" 42 ", "42");
	refused("17", "17 is below the minimum of 18");
	refused("1.5", "1.5 is not of type integer");
	refused("abc", "'abc' is no number");
	refused("\"42\"", "'\"42\"' is no number");
	one("{\"type\":\"number\"}");
	becomes("1.5", "1.5");
	becomes("-2e3", "-2000");
	one("{\"type\":\"boolean\",\"default\":false}");
	assert_true(cJSON_IsFalse(form.field[0].fallback));
	becomes("y", "true");
	becomes("No", "false");
	becomes("TRUE", "true");
	refused("maybe", "'maybe' is neither y nor n");
}

static void test_choices(void **state)
{
	(void)state;
	one("{\"type\":\"string\",\"enum\":[\"2\",\"red\",\"blue\"],"
	    "\"enumNames\":[\"Two\",\"Rot\"]}");
	assert_int_equal(form.field[0].kind, FORM_CHOICE);
	assert_int_equal(form.field[0].count, 3);
	assert_string_equal(form.field[0].choice[1].title, "Rot");
	assert_null(form.field[0].choice[2].title);
	expects("one of these");
	becomes("red", "\"red\"");
	becomes("rot", "\"red\"");
	becomes("3", "\"blue\"");
	/* A value counts before a number. */
	becomes("2", "\"2\"");
	refused("green", "'green' is none of the choices");
	refused("0", "'0' is none of the choices");
	refused("4", "'4' is none of the choices");
	one("{\"type\":\"string\",\"oneOf\":[{\"const\":\"#f00\",\"title\":"
	    "\"Red\"},{\"const\":null},{\"const\":\"#0f0\"}]}");
	assert_int_equal(form.field[0].count, 2);
	becomes("Red", "\"#f00\"");
	becomes("2", "\"#0f0\"");
}

static void test_many_choices(void **state)
{
	(void)state;
	one("{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,\"items\":{"
	    "\"type\":\"string\",\"enum\":[\"a\",\"b\",\"c\"]}}");
	assert_int_equal(form.field[0].kind, FORM_CHOICES);
	expects("some of these, with commas between");
	becomes("a", "[\"a\"]");
	becomes(" 1, c ,", "[\"a\",\"c\"]");
	refused("a,b,c", "[\"a\",\"b\",\"c\"] has more items than 2");
	refused("[]", "[] has fewer items than 1");
	refused("a,d", "'d' is none of the choices");
	one("{\"type\":\"array\",\"items\":{\"anyOf\":[{\"const\":\"x\","
	    "\"title\":\"Ex\"}]}}");
	becomes("[]", "[]");
	becomes("Ex", "[\"x\"]");
	one("{\"type\":\"array\",\"items\":{\"type\":\"integer\"}}");
	assert_int_equal(form.field[0].kind, FORM_JSON);
	becomes("[1,2]", "[1,2]");
	refused("1", "1 is not of type array");
	refused("[1", "'[1' is no JSON");
}

/* Which kind a field is of, and how many choices it has. */
static void test_kinds(void **state)
{
	static const struct {
		const char *schema;
		enum form_kind kind;
		size_t choices;
	} rows[] = {
		{ "{}", FORM_JSON, 0 },
		{ "{\"type\":\"object\"}", FORM_JSON, 0 },
		{ "{\"type\":[]}", FORM_JSON, 0 },
		{ "{\"type\":[\"null\"]}", FORM_JSON, 0 },
		{ "{\"type\":[\"null\",\"integer\"]}", FORM_NUMBER, 0 },
		{ "{\"type\":[7,\"boolean\",\"string\"]}", FORM_BOOLEAN, 0 },
		{ "{\"type\":\"number\"}", FORM_NUMBER, 0 },
		{ "{\"type\":\"string\",\"enum\":[]}", FORM_TEXT, 0 },
		{ "{\"enum\":[1,true,\"a\",null,{},[]]}", FORM_CHOICE, 3 },
		{ "{\"enum\":[null]}", FORM_JSON, 0 },
		{ "{\"oneOf\":[{\"const\":1}],\"anyOf\":[{\"const\":2}]}",
		  FORM_CHOICE, 1 },
		{ "{\"enum\":[1],\"oneOf\":[{\"const\":1}]}", FORM_CHOICE, 1 },
		{ "{\"anyOf\":[{\"const\":2},{\"const\":3}]}", FORM_CHOICE, 2 },
		{ "{\"type\":\"array\",\"enum\":[\"a\"]}", FORM_JSON, 0 },
		{ "{\"type\":\"array\",\"items\":{\"enum\":[1,2]}}",
		  FORM_CHOICES, 2 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		one(rows[i].schema);
		if (form.field[0].kind != rows[i].kind ||
		    form.field[0].count != rows[i].choices)
			fail_msg("%s: kind %d, %zu choices", rows[i].schema,
				 form.field[0].kind, form.field[0].count);
		assert_false(form.field[0].required);
		assert_null(form.field[0].fallback);
		assert_null(form.field[0].title);
	}
}

/* A value goes before a title, a title before a number. */
static void test_named_choices(void **state)
{
	(void)state;
	one("{\"enum\":[3,true,\"b\",\"5\"],"
	    "\"enumNames\":[\"b\",7,\"4\",\"True\"]}");
	assert_string_equal(form.field[0].choice[0].title, "b");
	assert_null(form.field[0].choice[1].title);
	assert_string_equal(form.field[0].choice[2].title, "4");
	becomes("b", "\"b\"");
	becomes("B", "3");
	becomes("3", "3");
	becomes("4", "\"b\"");
	becomes("true", "true");
	becomes("TRUE", "\"5\"");
	becomes(" 1\t", "3");
	becomes("2", "true");
	becomes("5", "\"5\"");
	refused("", "'' is none of the choices");
}

static void test_several(void **state)
{
	(void)state;
	one("{\"type\":\"array\",\"items\":{\"enum\":[\"a\",\"b\"]}}");
	becomes("", "[]");
	becomes(",", "[]");
	becomes("a,,b", "[\"a\",\"b\"]");
	becomes(",2", "[\"b\"]");
	becomes("b,b", "[\"b\",\"b\"]");
	refused("[],a", "'[]' is none of the choices");
	refused("3", "'3' is none of the choices");
}

static void test_booleans(void **state)
{
	static const char *const words[][2] = { { "n", "y" },
						{ "NO", "Yes" },
						{ "false", "true" },
						{ "0", "1" },
						{ " n ", "\ty" } };

	(void)state;
	one("{\"type\":\"boolean\"}");
	for (size_t i = 0; i < COUNT(words); i++) {
		becomes(words[i][0], "false");
		becomes(words[i][1], "true");
	}
	refused("ye", "'ye' is neither y nor n");
	refused("2", "'2' is neither y nor n");
	refused("", "'' is neither y nor n");
	expects("boolean");
}

static void test_typed_json(void **state)
{
	(void)state;
	one("{\"type\":\"number\"}");
	refused("true", "'true' is no number");
	refused("", "'' is no number");
	becomes("0", "0");
	one("{}");
	becomes(" true ", "true");
	becomes("\"a\"", "\"a\"");
	refused("a", "'a' is no JSON");
	one("{\"type\":\"string\"}");
	becomes("\"", "\"\\\"\"");
	becomes("\"\"\"", "\"\\\"\\\"\\\"\"");
	becomes("", "\"\"");
}

static void test_whole(void **state)
{
	CLEANUP(json_free_ptr) cJSON *values = NULL;
	CLEANUP(json_free_ptr) cJSON *content = NULL;
	CLEANUP(buf_done) struct buf missing = { 0 };

	(void)state;
	assert_int_equal(
		read_schema("{\"type\":\"object\",\"properties\":{"
			    "\"name\":{\"type\":\"string\"},"
			    "\"age\":{\"type\":\"integer\",\"default\":7},"
			    "\"mail\":{\"type\":\"string\",\"format\":"
			    "\"email\"},"
			    "\"name\":{\"type\":\"string\"}},"
			    "\"required\":[\"name\",\"mail\",9]}"),
		0);
	assert_int_equal(form.count, 3);
	assert_true(form.field[0].required);
	values = json_parse("{\"mail\":\"x\",\"other\":1}", 22, NULL);
	content = form_pick(&form, values);
	assert_null(json_member(content, "other"));
	form_complete(&form, content, &missing);
	assert_string_equal(buf_string(&missing), "name");
	assert_int_equal(form_check(&form, content, &err), -1);
	assert_string_equal(err.text, "mail: 'x' is no email address");
	cJSON_DeleteItemFromObjectCaseSensitive(content, "mail");
	assert_int_equal(form_check(&form, content, &err), -1);
	assert_non_null(strstr(err.text, "name"));
	cJSON_AddStringToObject(content, "mail", "a@b");
	cJSON_AddStringToObject(content, "name", "n");
	assert_int_equal(form_check(&form, content, &err), 0);
}

static int check(const char *values)
{
	CLEANUP(json_free_ptr)
	cJSON *content = json_parse(values, strlen(values), NULL);

	return form_check(&form, content, &err);
}

static void completes(const char *values, const char *expected,
		      const char *lacks)
{
	CLEANUP(json_free_ptr)
	cJSON *content = json_parse(values, strlen(values), NULL);
	CLEANUP(buf_done) struct buf missing = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	form_complete(&form, content, &missing);
	json_print(&out, content);
	assert_string_equal(buf_string(&out), expected);
	assert_string_equal(buf_string(&missing), lacks);
}

/* Defaults for what is not there; only what is required is missing. */
static void test_completed(void **state)
{
	(void)state;
	assert_int_equal(
		read_schema("{\"properties\":{\"a\":{},\"b\":{},\"c\":{},"
			    "\"d\":{\"default\":[1]}},"
			    "\"required\":[\"a\",\"c\"]}"),
		0);
	completes("{}", "{\"d\":[1]}", "a, c");
	completes("{\"a\":null,\"d\":2}", "{\"a\":null,\"d\":2}", "c");
	completes("{\"c\":0,\"a\":1}", "{\"c\":0,\"a\":1,\"d\":[1]}", "");
	assert_int_equal(check("{\"a\":1,\"c\":1,\"d\":1}"), 0);
	assert_int_equal(check("{\"b\":1}"), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "a: is required");
}

/* What no field is to blame for has no name in front. */
static void test_whole_checked(void **state)
{
	(void)state;
	assert_int_equal(read_schema("{\"const\":{\"a\":1}}"), 0);
	assert_int_equal(check("{\"a\":1}"), 0);
	assert_int_equal(check("{\"a\":2}"), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_string_equal(err.text, "{\"a\":2} is not {\"a\":1}");
}

/* Which field does not fit. */
static void test_field_checked(void **state)
{
	(void)state;
	assert_int_equal(
		read_schema("{\"properties\":{\"a\":{\"type\":\"object\","
			    "\"properties\":{\"b\":{\"type\":\"integer\"}}},"
			    "\"n\":{\"type\":\"integer\",\"format\":"
			    "\"email\"}}}"),
		0);
	assert_int_equal(check("{\"a\":{\"b\":2},\"n\":1}"), 0);
	assert_int_equal(check("{\"a\":{\"b\":\"x\"}}"), -1);
	assert_string_equal(err.text, "a: \"x\" is not of type integer");
}

/* What is typed there; a default is shown apart. */
static void test_expected(void **state)
{
	static const char values[] = "{\"x\":[1,[2]]}";
	CLEANUP(json_free_ptr)
	cJSON *all = json_parse(values, strlen(values), NULL);
	CLEANUP(json_free_ptr) cJSON *picked = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	one("{\"type\":\"integer\",\"minimum\":1,\"maximum\":9,"
	    "\"default\":5}");
	expects("integer 1..9");
	assert_int_equal(read_schema("{\"properties\":{\"x\":{\"type\":"
				     "\"string\",\"format\":\"date\"}},"
				     "\"required\":[\"x\"]}"),
			 0);
	expects("date as 2026-01-31, required");
	assert_int_equal(read_schema("{\"properties\":{\"x\":{\"enum\":[1]}},"
				     "\"required\":[\"y\",\"x\"]}"),
			 0);
	expects("one of these, required");
	one("{\"type\":\"string\",\"format\":\"colour\"}");
	expects("colour");
	one("{\"type\":\"string\"}");
	expects("string");
	one("{\"type\":\"integer\",\"format\":\"email\"}");
	expects("integer");
	one("{\"type\":\"array\"}");
	picked = form_pick(&form, all);
	json_print(&out, picked);
	assert_string_equal(buf_string(&out), values);
}

static void test_bounds(void **state)
{
	CLEANUP(buf_done) struct buf many = { 0 };

	(void)state;
	assert_int_equal(read_schema("[]"), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_string_equal(err.text,
			    "requestedSchema is no schema of an object");
	assert_int_equal(read_schema("{\"type\":\"string\"}"), -1);
	assert_int_equal(err.kind, ERR_PROTOCOL);
	assert_int_equal(read_schema("{\"type\":\"object\"}"), 0);
	assert_int_equal(form.count, 0);
	for (int i = 0; i < FORM_FIELDS_MAX; i++)
		buf_printf(&many, "%s\"f%d\":{}", i ? "," : "{\"properties\":{",
			   i);
	buf_text(&many, "}}");
	assert_int_equal(read_schema(many.data), 0);
	assert_int_equal(form.count, FORM_FIELDS_MAX);
	assert_string_equal(form.field[63].name, "f63");
	buf_reset(&many);
	buf_text(&many, "{\"properties\":{");
	for (int i = 0; i <= FORM_FIELDS_MAX; i++)
		buf_printf(&many, "%s\"f%d\":{}", i ? "," : "", i);
	buf_text(&many, "}}");
	assert_int_equal(read_schema(many.data), -1);
	assert_string_equal(err.text, "the form has 65 fields, more than 64");
	buf_reset(&many);
	buf_text(&many, "{\"enum\":[");
	for (int i = 0; i < 1000; i++)
		buf_printf(&many, "%s\"v%d\"", i ? "," : "", i);
	buf_text(&many, "]}");
	one(many.data);
	assert_int_equal(form.field[0].count, FORM_CHOICES_MAX);
	one("7");
	assert_int_equal(form.field[0].kind, FORM_JSON);
}

static void test_formats(void **state)
{
	static const struct {
		const char *format, *good, *bad;
	} rows[] = {
		{ "email", "a.b+c@d.example", "a b@c" },
		{ "email", "a@b", "@b" },
		{ "email", "a@b", "a@" },
		{ "uri", "https://x/", "x/y" },
		{ "uri", "urn:a", ":a" },
		{ "date", "2024-02-29", "2024-13-01" },
		{ "date", "2024-02-29", "2024-02-29x" },
		{ "date", "2024-02-29", "2024-2-9" },
		{ "date-time", "2024-02-29T12:00:00Z", "2024-02-29 12:00:00Z" },
		{ "date-time", "2024-02-29t12:00:00.5+02:00",
		  "2024-02-29T12:00:00" },
		{ "date-time", "2024-02-29T12:00:00-00:00",
		  "2024-02-29T12:00:00." },
		{ "date-time", "2024-02-29T12:00:00z", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		assert_true(format_fits(rows[i].format, rows[i].good));
		assert_false(format_fits(rows[i].format, rows[i].bad));
	}
	assert_true(format_fits("colour", "x"));
	assert_null(form_format_name(NULL));
	assert_string_equal(form_format_name("colour"), "colour");
	assert_string_equal(form_format_name("email"), "email address");
	assert_string_equal(form_format_name("uri"),
			    "URI as https://example.com/");
	assert_string_equal(form_format_name("date"), "date as 2026-01-31");
	assert_string_equal(form_format_name("date-time"),
			    "date and time as 2026-01-31T12:00:00Z");
}

#define TEST(name) cmocka_unit_test_teardown(name, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_texts),	  TEST(test_numbers),
		TEST(test_choices),	  TEST(test_many_choices),
		TEST(test_whole),	  TEST(test_bounds),
		TEST(test_formats),	  TEST(test_expected),
		TEST(test_kinds),	  TEST(test_named_choices),
		TEST(test_several),	  TEST(test_booleans),
		TEST(test_typed_json),	  TEST(test_completed),
		TEST(test_field_checked), TEST(test_whole_checked),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
