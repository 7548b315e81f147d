/* SPDX-License-Identifier: MIT */
/* mcp/schema_describe: a schema as one line for people. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/schema_describe.h"

static cJSON *parse(const char *text)
{
	struct error err = { 0 };
	cJSON *value = json_parse(text, strlen(text), &err);

	if (!value)
		fail_msg("%s: %s", text, err.text);
	return value;
}

static void describes(const char *schema_text, const char *words)
{
	cJSON *schema = parse(schema_text);
	struct buf out = { 0 };

	schema_describe(schema, &out);
	assert_string_equal(buf_string(&out), words);
	buf_done(&out);
	cJSON_Delete(schema);
}

static void descriptions(void **state)
{
	(void)state;
	describes("{\"type\":\"integer\",\"minimum\":0,\"maximum\":100}",
		  "integer 0..100");
	describes("{\"type\":\"number\",\"exclusiveMinimum\":0}", "number > 0");
	describes("{\"type\":\"integer\",\"minimum\":-5,\"multipleOf\":5}",
		  "integer >= -5, multiple of 5");
	describes("{\"type\":\"number\",\"minimum\":0,\"exclusiveMaximum\":1}",
		  "number >= 0, < 1");
	describes("{\"type\":\"number\",\"minimum\":0,\"maximum\":5,"
		  "\"exclusiveMaximum\":5}",
		  "number >= 0, <= 5, < 5");
	describes("{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":"
		  "\"number\",\"default\":3}}}",
		  "number, default 3");
	describes("{\"type\":\"string\"}", "string");
	describes("{\"type\":\"boolean\",\"default\":true}",
		  "boolean, default true");
	describes("{\"type\":\"string\",\"enum\":[\"a\",\"b\"]}",
		  "string, one of \"a\" \"b\"");
	describes("{\"enum\":[]}", "nothing: its enum is empty");
	describes("{\"enum\":[1,null]}", "one of 1 null");
	describes("{\"const\":\"x\"}", "always \"x\"");
	describes("{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
		  "\"minItems\":1,\"maxItems\":5}",
		  "array of integer, 1 to 5 items");
	describes("{\"type\":\"array\",\"maxItems\":1,\"uniqueItems\":true}",
		  "array, at most 1 item, no item twice");
	describes("{\"prefixItems\":[{\"type\":\"integer\"},{}]}",
		  "array [integer, any]");
	describes("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		  "\"integer\"},\"b\":{\"type\":\"string\"}},\"required\":"
		  "[\"a\"]}",
		  "object {a: integer, b?: string}");
	describes("{\"type\":\"object\",\"additionalProperties\":{\"type\":"
		  "\"number\"}}",
		  "object of number");
	describes("{\"type\":[\"integer\",\"null\"]}", "integer or null");
	describes("{\"anyOf\":[{\"type\":\"integer\",\"minimum\":1},{\"type\":"
		  "\"null\"}],\"default\":null}",
		  "integer >= 1 or null, default null");
	describes("{\"type\":\"string\",\"minLength\":3,\"maxLength\":10}",
		  "string, 3 to 10 characters");
	describes("{\"type\":\"string\",\"minLength\":1,\"format\":\"uri\"}",
		  "string, at least 1 character, format uri");
	describes("{\"type\":\"string\",\"pattern\":\"^a$\"}",
		  "string, pattern ^a$");
	describes("{\"$ref\":\"#/$defs/n\",\"$defs\":{\"n\":{\"type\":"
		  "\"number\"}}}",
		  "number");
	describes("{\"$ref\":\"http://x/schemas/Color\"}", "Color");
	describes("{\"$ref\":\"#/a/\"}", "#/a/");
	describes("{\"$ref\":\"\"}", "(no name)");
	describes("{\"type\":\"string\",\"minLength\":2,\"maxLength\":2}",
		  "string, 2 characters");
	describes("{\"type\":\"array\",\"minItems\":1,\"maxItems\":1}",
		  "array, 1 item");
	describes("{\"oneOf\":[{\"type\":\"null\"},{\"const\":1}]}",
		  "null or always 1");
	describes("{\"allOf\":[{\"type\":\"null\"},{\"const\":1}]}",
		  "null and always 1");
	describes("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12]}",
		  "one of 1 2 3 4 5 6 7 8 9 10 11 12");
	describes("{\"enum\":[1,2,3,4,5,6,7,8,9,10,11,12,13]}",
		  "one of 1 2 3 4 5 6 7 8 9 10 11 12 …");
	describes("{\"prefixItems\":[true,true,true,true,true,true,true,true,"
		  "true,true,true,true,true]}",
		  "array [any, any, any, any, any, any, any, any, any, any, "
		  "any, any, …]");
	describes("{\"properties\":{\"a\":1,\"b\":1,\"c\":1,\"d\":1,"
		  "\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,"
		  "\"k\":1,\"l\":1,\"m\":1},\"type\":\"object\"}",
		  "object {a?: any, b?: any, c?: any, d?: any, e?: any, "
		  "f?: any, g?: any, h?: any, i?: any, j?: any, k?: any, "
		  "l?: any, …}");
	describes("{\"type\":\"string\",\"pattern\":\"a\\nb\"}", "string");
	describes("{}", "any");
	describes("true", "any");
	describes("false", "nothing");
	describes("{\"type\":\"object\",\"properties\":{\"a b\\n\":true}}",
		  "object {\"a b\\n\"?: any}");
}

static void descriptions_end(void **state)
{
	cJSON *schema = parse("{\"type\":\"object\",\"properties\":{\"a\":{"
			      "\"$ref\":\"#\"},\"b\":{\"anyOf\":[{\"$ref\":"
			      "\"#\"},{\"$ref\":\"#\"}]}}}");
	struct buf out = { 0 };

	(void)state;
	schema_describe(schema, &out);
	assert_true(out.len < 2000);
	assert_null(strchr(buf_string(&out), '\n'));
	buf_reset(&out);
	schema_describe_in(schema,
			   json_member(json_member(schema, "properties"), "a"),
			   &out);
	assert_int_equal(strncmp(buf_string(&out), "object {a?: object {", 20),
			 0);
	buf_done(&out);
	cJSON_Delete(schema);
}

static void limits(void **state)
{
	(void)state;
	describes("{\"type\":\"string\",\"minLength\":0}",
		  "string, at least 0 characters");
	describes("{\"type\":\"string\",\"maxLength\":1.5}",
		  "string, at most 1.5 characters");
	describes("{\"type\":\"string\",\"minLength\":0,\"maxLength\":1}",
		  "string, 0 to 1 character");
	describes("{\"type\":\"string\",\"minLength\":2}",
		  "string, at least 2 characters");
	describes("{\"type\":\"array\",\"minItems\":2}",
		  "array, at least 2 items");
	describes("{\"type\":\"array\",\"uniqueItems\":false}", "array");
	describes("{\"type\":\"number\",\"exclusiveMinimum\":1,"
		  "\"maximum\":2}",
		  "number > 1, <= 2");
	describes("{\"type\":\"number\",\"minimum\":1,\"maximum\":2,"
		  "\"exclusiveMinimum\":1}",
		  "number >= 1, > 1, <= 2");
	describes("{\"type\":\"integer\",\"multipleOf\":3}",
		  "integer, multiple of 3");
	describes("{\"type\":[\"string\",\"integer\"],\"minimum\":1,"
		  "\"minLength\":2}",
		  "integer or string >= 1, at least 2 characters");
	/* What is no number is no limit. */
	describes("{\"type\":\"integer\",\"minimum\":\"1\",\"maximum\":true,"
		  "\"multipleOf\":null}",
		  "integer");
	describes("{\"type\":\"boolean\",\"minimum\":1,\"minLength\":2}",
		  "boolean");
	describes("{\"type\":\"string\",\"pattern\":\"a\\rb\",\"format\":7}",
		  "string");
}

#define L20 "aaaaaaaaaaaaaaaaaaaa"
#define L80 L20 L20 L20 L20

static void long_words(void **state)
{
	(void)state;
	describes("{\"type\":\"string\",\"pattern\":\"" L80 L20 "\"}",
		  "string, pattern " L80 L20);
	describes("{\"type\":\"string\",\"pattern\":\"" L80 L20 "a\"}",
		  "string");
	describes("{\"type\":\"object\",\"properties\":{\"" L80 "\":{},\"a" L80
		  "\":{},\"\":{}}}",
		  "object {" L80 "?: any, (a long name)?: any, "
		  "(no name)?: any}");
	describes("{\"$ref\":\"#/nowhere/" L80 "\"}", L80);
	describes("{\"$ref\":\"" L80 "a\"}", "(a long name)");
	describes("{\"$ref\":\"a\"}", "a");
}

/* What would read as a part of the line stands in quotes. */
static void odd_names(void **state)
{
	static const char *const odd[] = { "\\\"", "\\\\", "{", "}",   ":",
					   ",",	   "?",	   " ", "a b", "b," };

	(void)state;
	for (size_t i = 0; i < COUNT(odd); i++) {
		CLEANUP(mem_free_ptr)
		char *schema =
			mem_printf("{\"properties\":{\"%s\":{}}}", odd[i]);
		CLEANUP(mem_free_ptr)
		char *words = mem_printf("object {\"%s\"?: any}", odd[i]);

		describes(schema, words);
	}
	describes("{\"properties\":{\"a!b\":{},\"音\":{}}}",
		  "object {a!b?: any, 音?: any}");
}

/* What a schema without type seems to be about. */
static void guesses(void **state)
{
	static const char *const rows[][2] = {
		{ "{\"properties\":{}}", "object" },
		{ "{\"required\":[\"a\"]}", "object" },
		{ "{\"items\":{}}", "array of any" },
		{ "{\"items\":true}", "array" },
		{ "{\"items\":[true,false]}", "array [any, nothing]" },
		{ "{\"prefixItems\":[true],\"items\":false}", "array [any]" },
		{ "{\"minLength\":1}", "string, at least 1 character" },
		{ "{\"maxLength\":2}", "string, at most 2 characters" },
		{ "{\"pattern\":\"a\"}", "string, pattern a" },
		{ "{\"minimum\":1}", "number >= 1" },
		{ "{\"maximum\":1}", "number <= 1" },
		{ "{\"format\":\"date\"}", "any" },
		{ "{\"additionalProperties\":{}}", "any" },
		{ "{\"type\":\"object\",\"additionalProperties\":true}",
		  "object" },
		/* The first that says something. */
		{ "{\"anyOf\":[],\"minimum\":1}", "number >= 1" },
		{ "{\"anyOf\":[true],\"oneOf\":[false]}", "any" },
		{ "{\"oneOf\":[false],\"allOf\":[true]}", "nothing" },
		{ "{\"allOf\":[{\"type\":\"null\"}],\"minimum\":1}", "null" },
		{ "{\"type\":\"null\",\"anyOf\":[{\"type\":\"string\"}]}",
		  "null" },
		{ "{\"const\":1,\"enum\":[2],\"type\":\"integer\"}",
		  "always 1" },
		{ "{\"enum\":[\"a\",1]}", "one of \"a\" 1" },
		{ "{\"const\":null,\"default\":null}",
		  "always null, default null" },
		{ "{\"$ref\":\"#/$defs/n\",\"default\":1,\"$defs\":{\"n\":"
		  "{\"type\":\"null\",\"default\":2}}}",
		  "null, default 1" },
		{ "{\"properties\":{\"a\":{}},\"allOf\":[{\"required\":["
		  "\"a\"]}],\"type\":\"object\"}",
		  "object {a: any}" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		describes(rows[i][0], rows[i][1]);
}

/* Three deep is told; below that, what it is; then nothing. */
static void depth(void **state)
{
	(void)state;
	describes("{\"items\":{\"items\":{\"items\":{\"items\":{\"items\":"
		  "{}}}}}}",
		  "array of array of array of array");
	describes("{\"items\":{\"items\":{\"items\":{\"prefixItems\":[{}]}}}}",
		  "array of array of array of array");
	describes("{\"items\":{\"items\":{\"prefixItems\":[{}]}}}",
		  "array of array of array [any]");
	describes("{\"items\":{\"items\":{\"items\":{\"properties\":{\"a\":"
		  "{}}}}}}",
		  "array of array of array of object");
	describes("{\"items\":{\"items\":{\"properties\":{\"a\":{}}}}}",
		  "array of array of object {a?: any}");
	describes("{\"items\":{\"items\":{\"items\":{\"type\":\"object\","
		  "\"additionalProperties\":{}}}}}",
		  "array of array of array of object");
	describes("{\"items\":{\"items\":{\"type\":\"object\","
		  "\"additionalProperties\":{}}}}",
		  "array of array of object of any");
	describes("{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":"
		  "[{\"anyOf\":[true]}]}]}]}]}]}",
		  "…");
	describes("{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":[{\"anyOf\":"
		  "[true]}]}]}]}]}",
		  "any");
}

/* A list of texts of 198 letters, and what is done of it behind a prefix. */
static void cut_is(const char *schema_text, const char *before, const char *end)
{
	CLEANUP(json_free_ptr) cJSON *schema = parse(schema_text);
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, before);
	schema_describe(schema, &out);
	assert_memory_equal(out.data, before, strlen(before));
	assert_string_equal(out.data + out.len - strlen(end), end);
}

#define L160 L80 L80

/* The line ends behind its 1,000th byte. */
static void long_lines(void **state)
{
	static const char text[] = "\"" L160 "aaaa\"";
	static const char form[] = "{\"enum\":[%s,%s,%s,%s,%s,\"%.*s\",\"b\"]}";
	CLEANUP(mem_free_ptr) char *fits = NULL;
	CLEANUP(mem_free_ptr) char *more = NULL;
	/* "string, one of", five with their spaces, a space, quotes: 1000 */
	int left = 1000 - 14 - 5 * ((int)strlen(text) + 1) - 3;

	(void)state;
	fits = mem_printf(form, text, text, text, text, text, left - 1, L160);
	more = mem_printf(form, text, text, text, text, text, left, L160);
	cut_is(fits, "", "a\" \"b\"");
	cut_is(fits, "before", "a\" \"b\"");
	cut_is(more, "", "a\" …");
	cut_is(more, "before", "a\" …");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(descriptions),
		cmocka_unit_test(descriptions_end),
		cmocka_unit_test(limits),
		cmocka_unit_test(long_words),
		cmocka_unit_test(odd_names),
		cmocka_unit_test(guesses),
		cmocka_unit_test(depth),
		cmocka_unit_test(long_lines),
	};

	mem_init();
	return cmocka_run_group_tests_name("schema_describe", tests, NULL,
					   NULL);
}
