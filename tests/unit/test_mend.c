/* SPDX-License-Identifier: MIT */
/* bridge/mend: what boards say, as hosts take it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "bridge/mend.h"
#include "bridge/mend_result.h"
#include "bridge/mend_schema.h"
#include "mcp/schema.h"

/* ---- descriptions ---- */

static void assert_prose(const char *text, const char *expected)
{
	CLEANUP(mem_free_ptr) char *mended = mend_description(text);

	assert_string_equal(mended, expected);
}

static void prose_is_folded(void **state)
{
	(void)state;
	assert_prose(NULL, "");
	assert_prose(" \n\t ", "");
	assert_prose("Set the volume.", "Set the volume.");
	assert_prose("  A tool                                that\tsets ",
		     "A tool that sets");
	assert_prose("Args:\r\n  \n   `q`: it\nReturn: x",
		     "Args:\n`q`: it\nReturn: x");
	assert_prose("设置音量　好", "设置音量　好");
}

static void prose_has_nothing_unseen(void **state)
{
	(void)state;
	assert_prose("a\x1b[31mb\x07\x7f", "a[31mb");
	assert_prose("safe\xe2\x80\xae txt\xe2\x81\xa6", "safe txt");
	/* zero-width space, soft hyphen, a tag */
	assert_prose("a\xe2\x80\x8b"
		     "b\xc2\xad"
		     "c\xf3\xa0\x81\x81",
		     "abc");
	/* what shapes an emoji stays */
	assert_prose("\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
		     "\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb");
	assert_prose("a\xff\xc3(b", "a(b");
}

static char *repeated(const char *text, size_t times)
{
	struct buf out = { 0 };

	while (times--)
		buf_text(&out, text);
	return buf_take(&out);
}

static void assert_long_prose(const char *one, size_t times)
{
	CLEANUP(mem_free_ptr) char *text = repeated(one, times);
	CLEANUP(mem_free_ptr) char *mended = mend_description(text);
	size_t characters = 0, len = strlen(mended);

	assert_true(text_is_utf8(mended, len));
	for (size_t i = 0; i < len; i++)
		characters += ((unsigned char)mended[i] & 0xc0) != 0x80;
	assert_int_equal(characters, MEND_TEXT_MAX);
	assert_string_equal(mended + len - 3, "…");
}

static void prose_is_capped(void **state)
{
	CLEANUP(mem_free_ptr) char *whole = repeated("音", MEND_TEXT_MAX);
	CLEANUP(mem_free_ptr) char *blanks = repeated(" ", 1 << 20);
	CLEANUP(mem_free_ptr) char *behind = mem_printf("a%sb", blanks);

	(void)state;
	assert_prose(whole, whole);
	assert_long_prose("音", MEND_TEXT_MAX + 1);
	assert_long_prose("a", 1 << 20);
	assert_long_prose("\xf0\x9f\x98\x80", 300000);
	/* What was not read is said to be missing. */
	assert_prose(behind, "a…");
}

/* ---- schemas ---- */

static void assert_schema(const char *from, const char *expected)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = json_parse(from, strlen(from), NULL);
	CLEANUP(json_free_ptr) cJSON *mended = mend_schema(schema);
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_non_null(schema);
	json_print(&text, mended);
	assert_string_equal(buf_string(&text), expected);
}

/* The same of one property "p". */
static void assert_property(const char *from, const char *expected)
{
	CLEANUP(mem_free_ptr)
	char *whole = mem_printf("{\"type\":\"object\",\"properties\":"
				 "{\"p\":%s}}",
				 from);
	CLEANUP(mem_free_ptr)
	char *mended = mem_printf("{\"type\":\"object\",\"properties\":"
				  "{\"p\":%s}}",
				  expected);

	assert_schema(whole, mended);
}

static void schemas_are_objects(void **state)
{
	static const char nothing[] = "{\"type\":\"object\",\"properties\":{}}";
	CLEANUP(json_free_ptr) cJSON *mended = mend_schema(NULL);
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	json_print(&text, mended);
	assert_string_equal(text.data, nothing);
	assert_schema("{}", nothing);
	assert_schema("[]", nothing);
	assert_schema("true", nothing);
	assert_schema("{\"type\":\"string\"}", nothing);
	assert_schema("{\"type\":\"object\",\"properties\":[1],"
		      "\"required\":\"p\"}",
		      nothing);
	assert_schema("{\"$schema\":\"http://x/\",\"type\":\"object\","
		      "\"properties\":{},\"$id\":\"x\",\"x-own\":1}",
		      nothing);
}

static void firmware_schema(void **state)
{
	(void)state;
	assert_schema(
		"{\"type\":\"object\",\"properties\":{\"volume\":{\"type\":"
		"\"integer\",\"minimum\":0,\"maximum\":100}},\"required\":["
		"\"volume\"]}",
		"{\"type\":\"object\",\"properties\":{\"volume\":{\"type\":"
		"\"integer\",\"minimum\":0,\"maximum\":100,\"description\":"
		"\"integer 0..100\"}},\"required\":[\"volume\"]}");
	assert_property("{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,"
			"\"default\":80}",
			"{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,"
			"\"default\":80,\"description\":\"integer 1..100, "
			"default 80\"}");
	assert_property("{\"type\":\"string\",\"description\":\"its  name\"}",
			"{\"type\":\"string\",\"description\":\"its name\"}");
}

static void required_names_are_known(void **state)
{
	(void)state;
	assert_schema("{\"properties\":{\"a\":{\"description\":\"x\"}},"
		      "\"required\":[\"b\",\"a\",1,\"a\",null]}",
		      "{\"type\":\"object\",\"properties\":{\"a\":{"
		      "\"description\":\"x\"}},\"required\":[\"a\"]}");
}

static void types_are_known(void **state)
{
	(void)state;
	assert_property("{\"type\":true}", "{\"type\":\"boolean\","
					   "\"description\":\"boolean\"}");
	assert_property("{\"type\":\"int\"}", "{}");
	assert_property("{\"type\":[\"string\",\"null\"]}",
			"{\"type\":[\"string\",\"null\"],\"description\":"
			"\"string or null\"}");
	assert_property("{\"type\":[\"string\",\"string\"]}",
			"{\"type\":\"string\",\"description\":\"string\"}");
	/* One of them may be what the device means. */
	assert_property("{\"type\":[\"string\",\"int\"]}", "{}");
	assert_property("{\"type\":7}", "{}");
}

static void arrays_have_items(void **state)
{
	static const char any[] = "{\"type\":\"array\",\"items\":{},"
				  "\"description\":\"array of any\"}";

	(void)state;
	assert_property("{\"type\":\"array\"}", any);
	assert_property("{\"type\":\"array\",\"items\":true}", any);
	assert_property("{\"type\":\"array\",\"items\":[{\"type\":"
			"\"string\"}]}",
			any);
	assert_property("{\"type\":\"array\",\"prefixItems\":[{}],\"items\":{"
			"\"type\":\"string\"}}",
			any);
	assert_property("{\"type\":\"array\",\"items\":{\"type\":\"array\"}}",
			"{\"type\":\"array\",\"items\":{\"type\":\"array\","
			"\"items\":{}},\"description\":\"array of array of "
			"any\"}");
}

static void defaults_fit(void **state)
{
	(void)state;
	/* upgrade_firmware of stock firmware */
	assert_property("{\"type\":\"integer\",\"default\":\"The URL\"}",
			"{\"type\":\"integer\",\"description\":\"integer\"}");
	assert_property("{\"type\":\"integer\",\"maximum\":9,\"default\":10}",
			"{\"type\":\"integer\",\"maximum\":9,\"description\":"
			"\"integer <= 9\"}");
	assert_property("{\"enum\":[\"a\",\"b\"],\"default\":\"c\","
			"\"description\":\"x\"}",
			"{\"enum\":[\"a\",\"b\"],\"description\":\"x\"}");
}

static void wrong_keywords_go(void **state)
{
	(void)state;
	assert_property("{\"type\":\"number\",\"minimum\":\"0\",\"maximum\":"
			"null,\"exclusiveMinimum\":true,\"multipleOf\":0,"
			"\"description\":\"x\"}",
			"{\"type\":\"number\",\"description\":\"x\"}");
	assert_property("{\"minLength\":-1,\"maxLength\":2.5,\"pattern\":1,"
			"\"format\":[],\"enum\":[],\"description\":\"x\"}",
			"{\"description\":\"x\"}");
	assert_property("{\"enum\":[1,1.0,\"1\"],\"description\":\"x\"}",
			"{\"enum\":[1,\"1\"],\"description\":\"x\"}");
	/* A choice that hides something: no choices. */
	assert_property("{\"enum\":[\"a\",\"a\\u200b\"],\"description\":\"x\"}",
			"{\"description\":\"x\"}");
	assert_property("false", "{}");
	assert_property("{\"not\":{\"type\":\"string\"},\"description\":\"x\"}",
			"{\"description\":\"x\"}");
}

/* What is of the right kind stays as it is. */
static void right_keywords_stay(void **state)
{
	static const char *const rows[] = {
		"{\"type\":\"number\",\"minimum\":0,\"maximum\":9,"
		"\"exclusiveMinimum\":-1,\"exclusiveMaximum\":9.5,"
		"\"multipleOf\":0.5,\"description\":\"x\"}",
		"{\"type\":\"string\",\"minLength\":0,\"maxLength\":4,"
		"\"pattern\":\"^a\",\"format\":\"uri\",\"title\":\"T\","
		"\"description\":\"x\"}",
		"{\"type\":\"array\",\"minItems\":1,\"maxItems\":2,"
		"\"uniqueItems\":true,\"description\":\"x\",\"items\":{}}",
		"{\"const\":[1],\"description\":\"x\"}",
		"{\"type\":\"object\",\"description\":\"x\","
		"\"properties\":{},\"additionalProperties\":{\"type\":"
		"\"integer\"}}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++)
		assert_property(rows[i], rows[i]);
	assert_property("{\"uniqueItems\":1,\"description\":\"x\"}",
			"{\"description\":\"x\"}");
}

static void references_are_followed(void **state)
{
	(void)state;
	assert_schema(
		"{\"type\":\"object\",\"properties\":{\"c\":{\"$ref\":"
		"\"#/$defs/rgb\",\"description\":\"colour\"}},\"$defs\":{"
		"\"rgb\":{\"type\":\"integer\",\"description\":\"24 bits\"}}}",
		"{\"type\":\"object\",\"properties\":{\"c\":{\"description\":"
		"\"colour\",\"type\":\"integer\"}}}");
	assert_schema("{\"$ref\":\"#/$defs/a\",\"$defs\":{\"a\":{"
		      "\"properties\":{\"x\":{\"type\":\"null\"}},"
		      "\"required\":[\"x\"]}}}",
		      "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":"
		      "\"null\",\"description\":\"null\"}},\"required\":["
		      "\"x\"]}");
	assert_property("{\"$ref\":\"http://x/y\"}", "{}");
}

static void alternatives(void **state)
{
	(void)state;
	assert_property("{\"oneOf\":[{\"type\":\"string\"},{\"type\":true}],"
			"\"description\":\"x\"}",
			"{\"description\":\"x\",\"anyOf\":[{\"type\":"
			"\"string\"},{\"type\":\"boolean\"}]}");
	/* On the first level models take none: the names of all parts. */
	assert_schema(
		"{\"allOf\":[{\"properties\":{\"a\":{\"description\":\"A\"}},"
		"\"required\":[\"a\"]},{\"properties\":{\"b\":{\"description\":"
		"\"B\"}}}],\"additionalProperties\":false}",
		"{\"type\":\"object\",\"properties\":{\"a\":{\"description\":"
		"\"A\"},\"b\":{\"description\":\"B\"}},\"required\":[\"a\"]}");
}

static void others_may_be_there(void **state)
{
	(void)state;
	assert_schema("{\"properties\":{},\"additionalProperties\":false}",
		      "{\"type\":\"object\",\"properties\":{},"
		      "\"additionalProperties\":false}");
	assert_schema("{\"properties\":{},\"patternProperties\":{\"^x\":{}},"
		      "\"additionalProperties\":false}",
		      "{\"type\":\"object\",\"properties\":{}}");
	/* A name that hides something is left out, so others must be let in. */
	assert_property("{\"properties\":{\"a\\u202e\":{},\"b\":{}},"
			"\"required\":[\"a\\u202e\"],"
			"\"additionalProperties\":false,\"description\":"
			"\"x\"}",
			"{\"description\":\"x\",\"properties\":{\"b\":{}}}");
	assert_schema("{\"properties\":{\"a\":{\"description\":\"1\"},\"a\":{"
		      "\"description\":\"2\"}}}",
		      "{\"type\":\"object\",\"properties\":{\"a\":{"
		      "\"description\":\"1\"}}}");
}

/* Models refuse all tools for one such name: it gets another, and has it back. */
static void names_of_arguments(void **state)
{
	static const char schema[] =
		"{\"type\":\"object\",\"properties\":{\"亮度\":{\"type\":"
		"\"integer\"},\"filter[id]\":{\"type\":\"string\"},\"a.b\":{"
		"\"type\":\"string\"}},\"required\":[\"亮度\"]}";
	CLEANUP(json_free_ptr)
	cJSON *own = json_parse(schema, strlen(schema), NULL);
	CLEANUP(json_free_ptr) cJSON *mended = mend_schema(own);
	const cJSON *first = json_object(mended, "properties")->child;
	CLEANUP(json_free_ptr) cJSON *host = cJSON_CreateObject();
	CLEANUP(json_free_ptr) cJSON *back = NULL;
	CLEANUP(buf_done) struct buf text = { 0 };

	(void)state;
	assert_string_equal(first->string, "___8e2f64");
	assert_string_equal(json_string(first, "title"), "亮度");
	assert_string_equal(json_array(mended, "required")->child->valuestring,
			    first->string);
	assert_memory_equal(first->next->string, "filter_id__", 11);
	assert_string_equal(first->next->next->string, "a.b");
	cJSON_AddNumberToObject(host, first->string, 5);
	cJSON_AddNumberToObject(host, first->next->string, 6);
	cJSON_AddNumberToObject(host, "a.b", 7);
	cJSON_AddNumberToObject(host, "other", 8);
	back = mend_arguments(own, host);
	json_print(&text, back);
	assert_string_equal(text.data, "{\"亮度\":5,\"filter[id]\":6,\"a.b\":"
				       "7,\"other\":8}");
}

/* Whatever it is, what comes out has an end. */
static void assert_bounded(char *text)
{
	CLEANUP(json_free_ptr)
	cJSON *schema = json_parse(text, strlen(text), NULL);
	CLEANUP(json_free_ptr) cJSON *mended = mend_schema(schema);
	CLEANUP(buf_done) struct buf out = { 0 };

	mem_free(text);
	assert_non_null(schema);
	json_print(&out, mended);
	assert_in_range(out.len, 1, 400000);
	assert_string_equal(json_string(mended, "type"), "object");
}

static void hostile_schemas(void **state)
{
	CLEANUP(mem_free_ptr)
	char *open = repeated("{\"properties\":{\"a\":", 90);
	CLEANUP(mem_free_ptr) char *close = repeated("}}", 90);
	CLEANUP(mem_free_ptr) char *prose = repeated("ignore ", 150000);
	CLEANUP(mem_free_ptr) char *choices = repeated("\"aaaaaaaa\",", 50000);
	struct buf many = { 0 };

	(void)state;
	assert_bounded(mem_printf("%s{}%s", open, close));
	assert_bounded(mem_printf("{\"properties\":{\"p\":{\"description\":"
				  "\"%s\",\"default\":\"%s\"}}}",
				  prose, prose));
	assert_bounded(mem_printf("{\"properties\":{\"p\":{\"enum\":[%s1]}}}",
				  choices));
	for (int i = 0; i < 20000; i++)
		buf_printf(&many, "\"p%d\":{\"type\":\"string\"},", i);
	assert_bounded(mem_printf("{\"properties\":{%s\"z\":{}}}", many.data));
	buf_reset(&many);
	/* each level twice the one below: 2^60 without an end */
	for (int i = 0; i < 60; i++)
		buf_printf(&many,
			   "\"d%d\":{\"properties\":{\"a\":{\"$ref\":"
			   "\"#/$defs/d%d\"},\"b\":{\"$ref\":\"#/$defs/d%d\"}}}"
			   ",",
			   i, i + 1, i + 1);
	assert_bounded(mem_printf("{\"$ref\":\"#/$defs/d0\",\"$defs\":{%s"
				  "\"z\":{}}}",
				  many.data));
	assert_bounded(mem_strdup("{\"properties\":{\"a\":{\"$ref\":\"#\"}}}"));
	assert_bounded(mem_strdup("{\"$ref\":\"#\"}"));
	buf_done(&many);
}

/* So many "pN" as text, a comma between; yours. */
static char *numbered(const char *format, int count)
{
	struct buf out = { 0 };

	for (int i = 0; i < count; i++) {
		buf_text(&out, i ? "," : "");
		for (const char *at = format; *at; at++) {
			if (*at == '#')
				buf_printf(&out, "%d", i);
			else
				buf_char(&out, *at);
		}
	}
	return buf_take(&out);
}

/* "BEFORE" "INSIDE" "BEHIND" of a property, with which these go in. */
static void assert_kept(const char *before, const char *inside,
			const char *behind, bool kept)
{
	CLEANUP(mem_free_ptr)
	char *from = mem_printf("{%s%s%s,\"description\":\"x\"}", before,
				inside, behind);

	assert_property(from, kept ? from : "{\"description\":\"x\"}");
}

/* What a model can be shown has an end: at it, and one above it. */
static void values_have_an_end(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		/* 512 bytes, quotes and all */
		CLEANUP(mem_free_ptr)
		char *text = repeated("a", 510 + (size_t)i);
		CLEANUP(mem_free_ptr) char *many = numbered("#", 200 + i);

		assert_kept("\"pattern\":\"", text, "\"", i == 0);
		assert_kept("\"const\":\"", text, "\"", i == 0);
		assert_kept("\"enum\":[1,\"", text, "\"]", i == 0);
		assert_kept("\"enum\":[", many, "]", i == 0);
	}
	assert_property("{\"type\":\"string\",\"pattern\":\"a\\u200b\","
			"\"const\":\"\\u202e\","
			"\"default\":\"\\u200b\",\"description\":\"x\"}",
			"{\"type\":\"string\",\"description\":\"x\"}");
	/* Its description is short, its title shorter. */
	for (int i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr)
		char *title = repeated("音", 128 + (size_t)i);
		CLEANUP(mem_free_ptr) char *cut = repeated("音", 127);
		CLEANUP(mem_free_ptr)
		char *from = mem_printf(
			"{\"title\":\"%s\",\"description\":\"x\"}", title);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf(
			"{\"title\":\"%s…\",\"description\":\"x\"}", cut);

		assert_property(from, i ? to : from);
	}
}

static void numbers_are_of_their_kind(void **state)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{ "\"multipleOf\":0.001", "\"multipleOf\":0.001," },
		{ "\"multipleOf\":-1", "" },
		{ "\"multipleOf\":\"1\"", "" },
		{ "\"minLength\":0", "\"minLength\":0," },
		{ "\"minLength\":0.5", "" },
		{ "\"maxLength\":-1", "" },
		{ "\"maxItems\":\"1\"", "" },
		{ "\"minItems\":null", "" },
		{ "\"exclusiveMaximum\":false", "" },
		{ "\"format\":1", "" },
		{ "\"uniqueItems\":false", "\"uniqueItems\":false," },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *from =
			mem_printf("{%s,\"description\":\"x\"}", rows[i].from);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{%s\"description\":\"x\"}", rows[i].to);

		assert_property(from, to);
	}
}

/* A default is what its own schema takes, whatever kind that is. */
static void any_default_that_fits(void **state)
{
	static const char *const kept[] = {
		"{\"type\":[\"string\",\"null\"],\"description\":\"x\","
		"\"default\":null}",
		"{\"type\":\"array\",\"maxItems\":1,\"description\":\"x\","
		"\"items\":{},\"default\":[1]}",
		"{\"description\":\"x\",\"anyOf\":[{\"type\":\"integer\"},{"
		"\"type\":\"null\"}],\"default\":7}",
		"{\"const\":2,\"description\":\"x\",\"default\":2}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(kept); i++)
		assert_property(kept[i], kept[i]);
	assert_property("{\"type\":\"array\",\"maxItems\":1,\"description\":"
			"\"x\",\"default\":[1,2]}",
			"{\"type\":\"array\",\"maxItems\":1,\"description\":"
			"\"x\",\"items\":{}}");
	assert_property(
		"{\"anyOf\":[{\"type\":\"integer\"}],\"default\":\"a\"}",
		"{\"anyOf\":[{\"type\":\"integer\"}]}");
}

/* What needs no words has none; what has parts is told by these. */
static void words_of_properties(void **state)
{
	(void)state;
	assert_property("{\"allOf\":[{\"type\":\"integer\"}]}",
			"{\"allOf\":[{\"type\":\"integer\"}]}");
	assert_property("{\"type\":\"object\"}",
			"{\"type\":\"object\",\"properties\":{}}");
	assert_property("{\"type\":[\"null\",\"object\"],\"title\":\"T\"}",
			"{\"type\":[\"null\",\"object\"],\"title\":\"T\","
			"\"properties\":{}}");
	assert_property("{\"description\":\" \",\"type\":\"null\"}",
			"{\"type\":\"null\",\"description\":\"null\"}");
	assert_property("{\"type\":\"boolean\",\"title\":\"\\u200b\"}",
			"{\"type\":\"boolean\",\"description\":\"boolean\"}");
}

/* ARRAY of ARRAY of …, so many; yours. */
static char *nested(size_t depth, const char *inmost)
{
	CLEANUP(mem_free_ptr)
	char *open = repeated("{\"type\":\"array\",\"items\":", depth);
	CLEANUP(mem_free_ptr) char *close = repeated("}", depth);

	return mem_printf("%s%s%s", open, inmost, close);
}

/* Twelve levels with that of the whole; below that anything goes. */
static void levels_of_schemas(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr)
		char *deep = nested(9 + i, "{\"type\":\"null\"}");
		CLEANUP(mem_free_ptr)
		char *mended = nested(9 + i, i ? "{}" : "{\"type\":\"null\"}");
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"type\":\"array\",\"description\":"
					"\"x\",\"items\":%s}",
					deep);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"type\":\"array\",\"description\":"
				      "\"x\",\"items\":%s}",
				      mended);

		assert_property(from, to);
	}
}

/* One that means another, that means another: so many, one inside the other. */
static void references_have_an_end(void **state)
{
	static const char all[] =
		"{\"properties\":{\"p\":{\"$ref\":\"#/$defs/a\","
		"\"description\":\"P\"}},\"$defs\":{\"a\":{\"type\":\"object\","
		"\"properties\":{\"n\":{\"$ref\":\"#/$defs/a\"},\"m\":{"
		"\"description\":\"M\"}}}}}";
	static const char level[] = "{\"type\":\"object\",\"properties\":{"
				    "\"n\":";
	CLEANUP(buf_done) struct buf to = { 0 };

	(void)state;
	buf_text(&to, "{\"type\":\"object\",\"properties\":{\"p\":{"
		      "\"description\":\"P\",\"type\":\"object\","
		      "\"properties\":{\"n\":");
	for (int i = 0; i < 3; i++)
		buf_text(&to, level);
	buf_text(&to, "{}");
	for (int i = 0; i < 4; i++)
		buf_text(&to, ",\"m\":{\"description\":\"M\"}}}");
	buf_text(&to, "}}");
	assert_schema(all, buf_string(&to));
	/* What stands beside each of them is not one inside the other. */
	assert_schema("{\"properties\":{\"p\":{\"anyOf\":[{\"$ref\":\"#/d\"},{"
		      "\"$ref\":\"#/d\"},{\"$ref\":\"#/d\"},{\"$ref\":"
		      "\"#/d\"},{\"$ref\":\"#/d\"}]}},\"d\":{\"type\":"
		      "\"null\"}}",
		      "{\"type\":\"object\",\"properties\":{\"p\":{\"anyOf\":[{"
		      "\"type\":\"null\"},{\"type\":\"null\"},{\"type\":"
		      "\"null\"},{\"type\":\"null\"},{\"type\":\"null\"}]}}}");
}

/* So many properties; where some had to go, others may be there. */
static void so_many_properties(void **state)
{
	for (int i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr)
		char *inner = numbered("\"p#\":{}", 200 + i);
		CLEANUP(mem_free_ptr)
		char *root = numbered("\"p#\":{}", 199 + i);
		CLEANUP(mem_free_ptr) char *kept = numbered("\"p#\":{}", 200);
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"description\":\"x\",\"properties\":"
					"{%s},\"additionalProperties\":false}",
					inner);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"description\":\"x\",\"properties\":{"
				      "%s}}",
				      kept);
		CLEANUP(mem_free_ptr)
		char *whole = mem_printf("{\"type\":\"object\",\"properties\":{"
					 "%s},\"additionalProperties\":false}",
					 root);
		CLEANUP(mem_free_ptr)
		char *open = mem_printf("{\"type\":\"object\",\"properties\":{"
					"%s}}",
					root);

		assert_property(from, i ? to : from);
		assert_schema(whole, i ? open : whole);
	}
	(void)state;
}

/* One has so many schemas, and so many bytes of names and words. */
static void schemas_have_an_end(void **state)
{
	CLEANUP(mem_free_ptr)
	char *parts = numbered("{\"type\":\"null\"}", 199);
	CLEANUP(buf_done) struct buf from = { 0 };
	CLEANUP(json_free_ptr) cJSON *schema = NULL;
	CLEANUP(json_free_ptr) cJSON *mended = NULL;
	const cJSON *last;

	(void)state;
	buf_text(&from, "{\"properties\":{");
	for (int i = 0; i < 10; i++)
		buf_printf(&from, "\"p%d\":{\"anyOf\":[%s]},", i, parts);
	buf_text(&from, "\"last\":{\"type\":\"null\"}}}");
	schema = json_parse(from.data, from.len, NULL);
	mended = mend_schema(schema);
	last = json_object(json_object(mended, "properties"), "p9");
	last = json_array(last, "anyOf");
	assert_int_equal(cJSON_GetArraySize(last), 199);
	assert_string_equal(json_string(cJSON_GetArrayItem(last, 198), "type"),
			    "null");
	last = json_object(json_object(mended, "properties"), "last");
	assert_non_null(last);
	assert_null(last->child);
}

/* Of so many alternatives none is told. */
static void so_many_parts(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr)
		char *parts = numbered("{\"type\":\"null\"}", 200 + i);
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"description\":\"x\",\"allOf\":["
					"%s]}",
					parts);

		assert_property(from, i ? "{\"description\":\"x\"}" : from);
	}
	assert_property("{\"description\":\"x\",\"anyOf\":[],\"oneOf\":[{"
			"\"type\":\"null\"}]}",
			"{\"description\":\"x\",\"anyOf\":[{\"type\":"
			"\"null\"}]}");
	assert_property("{\"description\":\"x\",\"anyOf\":[{\"type\":"
			"\"null\"}],\"oneOf\":[{}]}",
			"{\"description\":\"x\",\"anyOf\":[{\"type\":"
			"\"null\"}]}");
}

/* What all parts ask for is required; others are not told of. */
static void roots_of_parts(void **state)
{
	static const struct {
		const char *from, *required;
	} rows[] = {
		{ "{\"anyOf\":[{\"properties\":{\"a\":{\"description\":\"A\"}"
		  "}}],\"required\":[\"a\"],\"additionalProperties\":false}",
		  ",\"required\":[\"a\"]" },
		{ "{\"oneOf\":[{\"properties\":{\"a\":{\"description\":\"A\"}"
		  "}}],\"additionalProperties\":false}",
		  "" },
		{ "{\"properties\":{\"a\":{\"description\":\"A\"}},"
		  "\"additionalProperties\":true}",
		  ",\"additionalProperties\":true" },
		{ "{\"properties\":{\"a\":{\"description\":\"A\"}},"
		  "\"additionalProperties\":{\"type\":\"null\"}}",
		  ",\"additionalProperties\":{\"type\":\"null\"}" },
		{ "{\"properties\":{\"a\":{\"description\":\"A\"}},"
		  "\"additionalProperties\":1}",
		  "" },
		{ "{\"properties\":{\"a\":{\"description\":\"A\"},\"\":{}},"
		  "\"additionalProperties\":false}",
		  NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"type\":\"object\",\"properties\":{"
				      "\"a\":{\"description\":\"A\"}%s}%s}",
				      rows[i].required ? "" : ",\"_e3b0c4\":{}",
				      rows[i].required ?
					      rows[i].required :
					      ",\"additionalProperties\":"
					      "false");

		assert_schema(rows[i].from, to);
	}
}

/* What a model calls an argument has 64 bytes; inside it may have 128. */
static void lengths_of_names(void **state)
{
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr) char *key = repeated("k", 64 + i);
		CLEANUP(mem_free_ptr) char *name = repeated("n", 128 + i);
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"properties\":{\"%s\":{}}}", key);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"type\":\"object\",\"properties\":{"
				      "\"%s\":{}}}",
				      key);
		CLEANUP(mem_free_ptr)
		char *kept = mem_printf("{\"description\":\"x\","
					"\"properties\":{\"%s\":{}}}",
					name);

		if (i == 0)
			assert_schema(from, to);
		assert_property(kept, i ? "{\"description\":\"x\","
					  "\"properties\":{}}" :
					  kept);
	}
	(void)state;
	assert_schema(
		"{\"properties\":{"
		"\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
		"kkkkkkkkkk\":{}}}",
		"{\"type\":\"object\",\"properties\":{"
		"\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
		"kk_f39cdc\":{\"title\":"
		"\"kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk"
		"kkkkkkkkkkkk\"}}}");
}

/* ---- results ---- */

static void assert_result_by(const struct mend_rules *rules, const char *from,
			     const char *expected)
{
	CLEANUP(json_free_ptr)
	cJSON *result = json_parse(from, strlen(from), NULL);
	CLEANUP(buf_done) struct buf text = { 0 };

	assert_non_null(result);
	mend_result(&text, result, rules, NULL);
	assert_string_equal(buf_string(&text), expected);
}

static void assert_result(const char *from, const char *expected)
{
	assert_result_by(&(struct mend_rules){ 0 }, from, expected);
}

static void results_have_the_shape(void **state)
{
	(void)state;
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"true\"}],"
		      "\"isError\":false}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"true\"}],"
		      "\"isError\":false}");
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":"
		      "1}\"}]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":"
		      "1}\"}],\"isError\":false}");
	assert_result("{\"content\":[],\"isError\":\"true\"}",
		      "{\"content\":[],\"isError\":true}");
	assert_result("{\"volume\":5}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\""
		      "volume\\\":5}\"}],\"isError\":false}");
	assert_result("null", "{\"content\":[{\"type\":\"text\",\"text\":"
			      "\"null\"}],\"isError\":false}");
	assert_result("\"on\"", "{\"content\":[{\"type\":\"text\",\"text\":"
				"\"on\"}],\"isError\":false}");
	assert_result("{\"content\":\"on\"}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"on\"}],"
		      "\"isError\":false}");
	assert_result("{\"content\":[],\"structuredContent\":[1,2]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"[1,2]\"}],"
		      "\"isError\":false}");
	assert_result("{\"content\":[],\"structuredContent\":null}",
		      "{\"content\":[],\"isError\":false}");
	assert_result("{\"structuredContent\":{\"t\":1},\"_meta\":{\"k\":2}}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"t\\\":"
		      "1}\"}],\"isError\":false,\"structuredContent\":{\"t\":1}"
		      ",\"_meta\":{\"k\":2}}");
}

/* For a host that makes structuredContent of a text. */
static void json_texts_are_objects(void **state)
{
	static const struct mend_rules rules = { .reads_json = true };
	static const char *const same[] = {
		"{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":1}\"}],"
		"\"isError\":false}",
		"{\"content\":[{\"type\":\"text\",\"text\":\"Yes.\"}],"
		"\"isError\":true}",
		"{\"content\":[{\"type\":\"text\",\"text\":\"7\"}],\"isError\":"
		"false,\"structuredContent\":{\"n\":7}}",
		"{\"content\":[],\"isError\":false}",
	};
	static const char *const odd[] = { "true", "7", "null", "[1,2]",
					   "\\\"on\\\"" };
	static const char *const made[] = { "true", "7", "null", "[1,2]",
					    "\"on\"" };

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++)
		assert_result_by(&rules, same[i], same[i]);
	for (size_t i = 0; i < COUNT(odd); i++) {
		CLEANUP(buf_done) struct buf from = { 0 }, to = { 0 };

		buf_printf(&from,
			   "{\"content\":[{\"type\":\"text\",\"text\":\"%s\"}],"
			   "\"isError\":false",
			   odd[i]);
		buf_printf(&to, "%s,\"structuredContent\":{\"result\":%s}}",
			   buf_string(&from), made[i]);
		buf_char(&from, '}');
		assert_result_by(&rules, buf_string(&from), buf_string(&to));
		assert_result(buf_string(&from), buf_string(&from));
	}
}

static void pictures_are_unwrapped(void **state)
{
	static const char whole[] =
		"{\"content\":[{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\","
		"\"mimeType\":\"image/png\"}],\"isError\":false}";

	(void)state;
	assert_result(whole, whole);
	assert_result("{\"content\":[{\"type\":\"image\",\"image\":\"{\\\"type"
		      "\\\":\\\"image\\\",\\\"mimeType\\\":\\\"image/png\\\","
		      "\\\"data\\\":\\\"iVBORw0KGgo=\\\"}\"}],\"isError\":"
		      "false}",
		      whole);
	/* It does not say what it is, its bytes do. */
	assert_result("{\"content\":[{\"type\":\"image\",\"data\":"
		      "\"iVBORw0KGgo=\"}]}",
		      whole);
	assert_result("{\"content\":[{\"type\":\"image\",\"image\":\"?\"}]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"[mcpctl: "
		      "the device sent an image whose data is no base64]\"}],"
		      "\"isError\":false}");
}

static void other_contents(void **state)
{
	static const char link[] =
		"{\"content\":[{\"type\":\"resource_link\",\"uri\":\"f:/x\","
		"\"name\":\"x\"}],\"isError\":false}";

	(void)state;
	assert_result(link, link);
	assert_result("{\"content\":[{\"type\":\"audio\",\"data\":\"AAAA\","
		      "\"mimeType\":\"audio/wav\"},{\"type\":\"audio\","
		      "\"data\":\"AAAA\"},{\"type\":\"audio\",\"data\":"
		      "\"?\"}]}",
		      "{\"content\":[{\"type\":\"audio\",\"data\":\"AAAA\","
		      "\"mimeType\":\"audio/wav\"},{\"type\":\"audio\","
		      "\"data\":\"AAAA\",\"mimeType\":"
		      "\"application/octet-stream\"},{\"type\":\"text\","
		      "\"text\":\"[mcpctl: the device sent an audio whose data "
		      "is no base64]\"}],\"isError\":false}");
	assert_result("{\"content\":[{\"type\":\"video\",\"a\":1},7,{\"type\":"
		      "\"resource\"}]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"type"
		      "\\\":\\\"video\\\",\\\"a\\\":1}\"},{\"type\":\"text\","
		      "\"text\":\"7\"},{\"type\":\"text\",\"text\":\"{\\\"type"
		      "\\\":\\\"resource\\\"}\"}],\"isError\":false}");
}

static void results_are_cleaned(void **state)
{
	(void)state;
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"a\\u001b[0m"
		      "\\u202eb\\nc\"}],\"_meta\":{\"k\\u200b\":\"\\u0007v\"}}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"a[0mb\\nc\"}"
		      "],\"isError\":false,\"_meta\":{\"k\":\"v\"}}");
}

static void false_may_be_a_failure(void **state)
{
	static const struct mend_rules strict = { .false_is_error = true };

	(void)state;
	assert_result("{\"content\":[{\"type\":\"text\",\"text\":\"false\"}]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"false\"}],"
		      "\"isError\":false}");
	assert_result_by(
		&strict,
		"{\"content\":[{\"type\":\"text\",\"text\":\"false\"}]}",
		"{\"content\":[{\"type\":\"text\",\"text\":\"false\"}]"
		",\"isError\":true}");
	assert_result_by(
		&strict,
		"{\"content\":[{\"type\":\"text\",\"text\":\"False\"}]}",
		"{\"content\":[{\"type\":\"text\",\"text\":\"False\"}]"
		",\"isError\":false}");
}

static cJSON *result_of(const char *text)
{
	cJSON *json = json_parse(text, strlen(text), NULL);

	assert_non_null(json);
	return json;
}

/* "{…,"content":[TEXT,PHOTO],…" by which item. */
static void assert_photo(const char *data, const char *why, const char *item)
{
	const struct mend_photo photo = { data, why };
	CLEANUP(json_free_ptr)
	cJSON *result = result_of(
		"{\"content\":[{\"type\":\"text\",\"text\":\"seen\"}]}");
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(mem_free_ptr)
	char *wanted = mem_printf(
		"{\"content\":[{\"type\":\"text\",\"text\":\"seen\"}%s],\"isError\":false}",
		item);

	mend_result(&out, result, &(struct mend_rules){ 0 }, &photo);
	assert_string_equal(buf_string(&out), wanted);
}

static void photos(void **state)
{
	(void)state;
	/* Its type is that of its bytes. */
	assert_photo(
		"/9j/4AAQSkZJRg==", NULL,
		",{\"type\":\"image\",\"data\":\"/9j/4AAQSkZJRg==\",\"mimeType\":\"image/jpeg\"}");
	assert_photo(
		"iVBORw0KGgo=", "not said",
		",{\"type\":\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}");
	for (size_t i = 0; i < 3; i++) {
		/* A GIF, a text, no base64. */
		static const char *const none[] = { "R0lGODlhAQABAA==",
						    "aGVsbG8gd29ybGQ=", "\"}" };

		assert_photo(
			none[i], NULL,
			",{\"type\":\"text\",\"text\":\"[mcpctl: no picture: its bytes are no JPEG and no PNG]\"}");
	}
	assert_photo(
		NULL, "none came",
		",{\"type\":\"text\",\"text\":\"[mcpctl: no picture: none came]\"}");
	assert_photo(NULL, NULL, "");
}

/* What asks for one takes care that it fits; if it does not, that is said. */
static void photos_are_bounded(void **state)
{
	CLEANUP(mem_free_ptr) char *data = repeated("AAAA", 4000);
	CLEANUP(json_free_ptr) cJSON *result = result_of("{\"content\":[]}");
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	memcpy(data, "/9j/", 4);
	mend_result(&out, result, &(struct mend_rules){ .most = 8192 },
		    &(struct mend_photo){ .data = data });
	assert_in_range(out.len, 50, 512);
	assert_non_null(strstr(buf_string(&out), "the result is too long"));
	assert_in_range(MEND_PHOTO_MAX / 3 * 4 + 200, 1, MEND_RESULT_MAX);
}

/* A result with this text many times, within so many bytes; yours. */
static cJSON *mended_long(const char *one, size_t times, size_t most)
{
	CLEANUP(mem_free_ptr) char *text = repeated(one, times);
	CLEANUP(json_free_ptr) cJSON *result = cJSON_CreateObject();
	cJSON *item = cJSON_CreateObject();
	CLEANUP(buf_done) struct buf out = { 0 };
	cJSON *mended;

	cJSON_AddItemToArray(cJSON_AddArrayToObject(result, "content"), item);
	cJSON_AddStringToObject(item, "type", "text");
	cJSON_AddStringToObject(item, "text", text);
	mend_result(&out, result, &(struct mend_rules){ .most = most }, NULL);
	assert_in_range(out.len, most / 2, most);
	mended = json_parse(out.data, out.len, NULL);
	assert_non_null(mended);
	return mended;
}

static void long_results_are_cut(void **state)
{
	static const char *const texts[] = { "a", "\"", "\n", "音",
					     "\xf0\x9f\x98\x80" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		CLEANUP(json_free_ptr)
		cJSON *mended = mended_long(texts[i], 20000, 8192);
		const char *text = json_string(
			json_array(mended, "content")->child, "text");

		assert_int_equal(
			cJSON_GetArraySize(json_array(mended, "content")), 1);
		assert_true(text_is_utf8(text, strlen(text)));
		assert_non_null(strstr(text, "bytes are left out]"));
		assert_memory_equal(text, texts[i], strlen(texts[i]));
	}
}

/* Each takes room, though there is nothing in it. */
/* A member that does not fit is left out, and that is said. */
static void long_members_are_left_out(void **state)
{
	CLEANUP(mem_free_ptr) char *text = repeated("a", 2000);
	CLEANUP(mem_free_ptr)
	char *json = mem_printf(
		"{\"content\":[],\"structuredContent\":{\"a\":\"%s\"},\"_meta\":{\"k\":1}}",
		text);
	CLEANUP(json_free_ptr) cJSON *result = result_of(json);
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	mend_result(&out, result, &(struct mend_rules){ .most = 1024 }, NULL);
	/* ,"structuredContent":{"a":"…"} */
	assert_string_equal(
		buf_string(&out),
		"{\"content\":[{\"type\":\"text\",\"text\":\"[mcpctl: the result is too long, 2029 bytes of it are left out]\"}],\"isError\":false,\"_meta\":{\"k\":1}}");
	buf_reset(&out);
	/* No rule asks for less than there is room for a word. */
	mend_result(&out, result, &(struct mend_rules){ .most = 1 }, NULL);
	assert_non_null(strstr(buf_string(&out), "2029 bytes"));
	assert_non_null(strstr(buf_string(&out), "\"_meta\":{\"k\":1}"));
}

static void many_empty_texts(void **state)
{
	CLEANUP(mem_free_ptr)
	char *items = repeated("{\"type\":\"text\",\"text\":\"\"},", 1000);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"content\":[%s7]}", items);
	CLEANUP(json_free_ptr)
	cJSON *result = json_parse(text, strlen(text), NULL);
	CLEANUP(buf_done) struct buf out = { 0 };
	const char *note;

	(void)state;
	mend_result(&out, result, &(struct mend_rules){ .most = 4096 }, NULL);
	assert_in_range(out.len, 3000, 4096);
	note = strstr(out.data, "too long, ");
	assert_non_null(note);
	assert_in_range(strtoul(note + strlen("too long, "), NULL, 10), 21000,
			27000);
}

static void large_pictures_are_left_out(void **state)
{
	CLEANUP(mem_free_ptr) char *data = repeated("AAAA", 5000);
	CLEANUP(mem_free_ptr)
	char *text = mem_printf("{\"content\":[{\"type\":\"image\",\"data\":"
				"\"%s\",\"mimeType\":\"image/png\"},{\"type\":"
				"\"text\",\"text\":\"seen\"}]}",
				data);

	(void)state;
	assert_result_by(&(struct mend_rules){ .most = 8192 }, text,
			 "{\"content\":[{\"type\":\"text\",\"text\":\"seen\"},{"
			 "\"type\":\"text\",\"text\":\"[mcpctl: the result is "
			 "too long, 20049 bytes of it are left out]\"}],"
			 "\"isError\":false}");
}

/* A result with this text within so many bytes: what it becomes. */
static void assert_cut(const char *one, size_t times, size_t most, size_t kept)
{
	CLEANUP(mem_free_ptr) char *text = repeated(one, times);
	CLEANUP(mem_free_ptr) char *left = repeated(one, kept);
	CLEANUP(json_free_ptr) cJSON *result = cJSON_CreateString(text);
	CLEANUP(mem_free_ptr)
	char *note =
		mem_printf("\n[mcpctl: cut, %zu of %zu bytes are left out]",
			   (times - kept) * strlen(one), times * strlen(one));
	CLEANUP(mem_free_ptr)
	char *whole = mem_printf("%s%s", left, kept < times ? note : "");
	CLEANUP(buf_done) struct buf out = { 0 }, wanted = { 0 };

	mend_result(&out, result, &(struct mend_rules){ .most = most }, NULL);
	buf_text(&wanted, "{\"content\":[{\"type\":\"text\",\"text\":");
	buf_json_string(&wanted, whole, strlen(whole));
	buf_text(&wanted, "}],\"isError\":false}");
	assert_string_equal(buf_string(&out), buf_string(&wanted));
}

/* All that fits, and not a byte more; what is escaped takes two. */
static void as_much_as_fits(void **state)
{
	(void)state;
	assert_cut("a", 729, 1024, 729);
	assert_cut("a", 730, 1024, 729);
	assert_cut("a", 5000, 1024, 729);
	assert_cut("\"", 364, 1024, 364);
	assert_cut("\"", 365, 1024, 364);
	assert_cut("\\", 365, 1024, 364);
	assert_cut("\n", 365, 1024, 364);
	assert_cut("\t", 365, 1024, 364);
	assert_cut("音", 243, 1024, 243);
	assert_cut("音", 244, 1024, 243);
	/* The least there is room for, and what there is without a rule. */
	assert_cut("a", 217, MEND_RESULT_LEAST, 217);
	assert_cut("a", 218, MEND_RESULT_LEAST, 217);
	assert_cut("a", 218, 1, 217);
	assert_cut("a", 218, MEND_RESULT_LEAST + 1, 218);
	assert_cut("a", MEND_RESULT_MAX - 295, 0, MEND_RESULT_MAX - 295);
	assert_cut("a", MEND_RESULT_MAX - 294, 0, MEND_RESULT_MAX - 295);
}

/* What stands in front of it is no part of it. */
static void behind_other_text(void **state)
{
	CLEANUP(mem_free_ptr) char *text = repeated("a", 400);
	CLEANUP(json_free_ptr) cJSON *result = cJSON_CreateString(text);
	CLEANUP(buf_done) struct buf out = { 0 }, alone = { 0 };
	const struct mend_rules rules = { .most = 512, .reads_json = true };

	(void)state;
	mend_result(&alone, result, &rules, NULL);
	buf_text(&out, text);
	mend_result(&out, result, &rules, NULL);
	assert_memory_equal(out.data, text, 400);
	assert_string_equal(out.data + 400, alone.data);
	/* A text that is JSON, too. */
	cJSON_SetValuestring(result, "[7]");
	buf_cut(&out, 400);
	mend_result(&out, result, &rules, NULL);
	assert_string_equal(out.data + 400,
			    "{\"content\":[{\"type\":\"text\",\"text\":\"[7]\"}"
			    "],\"isError\":false,\"structuredContent\":{"
			    "\"result\":[7]}}");
}

/* What cannot be said twice is said once. */
static void json_texts_have_room(void **state)
{
	static const struct mend_rules rules = { .most = 1024,
						 .reads_json = true };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		CLEANUP(mem_free_ptr) char *text = repeated("a", 353 + i);
		CLEANUP(mem_free_ptr) char *from = mem_printf("\"%s\"", text);
		CLEANUP(json_free_ptr) cJSON *result = cJSON_CreateString(from);
		CLEANUP(mem_free_ptr)
		char *said = mem_printf(",\"structuredContent\":{\"result\":"
					"\"%s\"}",
					text);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"content\":[{\"type\":\"text\","
				      "\"text\":\"\\\"%s\\\"\"}],\"isError\":"
				      "false%s}",
				      text, i ? "" : said);
		CLEANUP(buf_done) struct buf out = { 0 };

		mend_result(&out, result, &rules, NULL);
		assert_string_equal(buf_string(&out), to);
	}
}

/* By what a result is a failure, and that a rule does not take back. */
static void what_fails(void **state)
{
	static const struct mend_rules strict = { .false_is_error = true };
	static const struct {
		const char *content, *says;
		bool fails;
	} rows[] = {
		{ "{\"type\":\"text\",\"text\":\"false\"}", "", true },
		{ "{\"type\":\"text\",\"text\":\"false\"}",
		  ",\"isError\":false", true },
		{ "{\"type\":\"text\",\"text\":\"no\"}", ",\"isError\":true",
		  true },
		{ "{\"type\":\"text\",\"text\":\"false\"},{\"type\":\"text\","
		  "\"text\":\"false\"}",
		  "", false },
		{ "{\"type\":\"text\",\"text\":\"false \"}", "", false },
		{ "{\"type\":\"text\",\"text\":\"\"}", "", false },
		{ "{\"type\":\"image\",\"data\":\"AAAA\",\"mimeType\":\"a/b\"}",
		  "", false },
		{ "", "", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"content\":[%s]%s}", rows[i].content,
					rows[i].says);
		CLEANUP(mem_free_ptr)
		char *to = mem_printf("{\"content\":[%s],\"isError\":%s}",
				      rows[i].content,
				      rows[i].fails ? "true" : "false");

		assert_result_by(&strict, from, to);
	}
}

/* A resource stays what it is, if it can be read as one. */
static void resources(void **state)
{
	static const char *const same[] = {
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\","
		"\"text\":\"t\"}}",
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\","
		"\"blob\":\"AAAA\"}}",
	};
	static const char *const texts[] = {
		"{\"type\":\"resource\",\"resource\":{\"uri\":\"a:b\","
		"\"blob\":\"?\"}}",
		"{\"type\":\"resource_link\",\"name\":\"x\"}",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(same); i++) {
		CLEANUP(mem_free_ptr)
		char *text = mem_printf("{\"content\":[%s],\"isError\":false}",
					same[i]);

		assert_result(text, text);
	}
	for (size_t i = 0; i < COUNT(texts); i++) {
		CLEANUP(mem_free_ptr)
		char *from = mem_printf("{\"content\":[%s]}", texts[i]);
		CLEANUP(buf_done) struct buf to = { 0 };

		buf_text(&to, "{\"content\":[{\"type\":\"text\",\"text\":");
		buf_json_string(&to, texts[i], strlen(texts[i]));
		buf_text(&to, "}],\"isError\":false}");
		assert_result(from, buf_string(&to));
	}
	/* Its own word for what it is stays. */
	assert_result("{\"content\":[{\"type\":\"image\",\"data\":"
		      "\"iVBORw0KGgo=\",\"mimeType\":\"image/x\"},{\"type\":"
		      "\"image\",\"data\":\"AAAA\"},{\"type\":\"image\"}]}",
		      "{\"content\":[{\"type\":\"image\",\"data\":"
		      "\"iVBORw0KGgo=\",\"mimeType\":\"image/x\"},{\"type\":"
		      "\"image\",\"data\":\"AAAA\",\"mimeType\":"
		      "\"application/octet-stream\"},{\"type\":\"text\","
		      "\"text\":\"[mcpctl: the device sent an image whose data "
		      "is no base64]\"}],\"isError\":false}");
}

static void no_result_at_all(void **state)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	(void)state;
	mend_result(&out, NULL, &(struct mend_rules){ 0 }, NULL);
	assert_string_equal(buf_string(&out),
			    "{\"content\":[{\"type\":\"text\",\"text\":"
			    "\"null\"}],\"isError\":false}");
	/* Prose that is none is what it is. */
	assert_result("{\"content\":{\"a\":1},\"structuredContent\":[1]}",
		      "{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"content"
		      "\\\":{\\\"a\\\":1},\\\"structuredContent\\\":[1]}\"}],"
		      "\"isError\":false}");
}

/* ---- failures ---- */

static void failures_say_what_to_do(void **state)
{
	CLEANUP(json_free_ptr)
	cJSON *error = json_parse("{\"code\":-32603,\"message\":\"x\",\"data\":"
				  "{\"a\":\"b\\u0007\"}}",
				  52, NULL);
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error err = { 0 };

	(void)state;
	assert_non_null(error);
	error_set(&err, ERR_TIMEOUT, "kitchen is asleep");
	error_hint(&err, "say its wake word");
	mend_failure(&text, &err, NULL);
	assert_string_equal(text.data,
			    "{\"content\":[{\"type\":\"text\",\"text\":"
			    "\"kitchen is asleep; say its wake word\"}],"
			    "\"isError\":true,\"_meta\":{\"mcpctl/failure\":"
			    "\"timeout\"}}");
	buf_reset(&text);
	error_set(&err, ERR_PEER, "bad\x1b[0m\n\nnews");
	mend_failure(&text, &err, error);
	assert_string_equal(
		text.data, "{\"content\":[{\"type\":\"text\",\"text\":"
			   "\"bad[0m\\nnews\"}],\"isError\":true,\"_meta\":{"
			   "\"mcpctl/failure\":\"peer\",\"mcpctl/code\":-32603,"
			   "\"mcpctl/data\":{\"a\":\"b\"}}}");
	error_reset(&err);
}

/* What the peer said beside its words, as far as it is not too much. */
static void what_peers_said(void **state)
{
	CLEANUP(mem_free_ptr) char *most = repeated("a", 4094);
	CLEANUP(mem_free_ptr)
	char *fits = mem_printf("{\"data\":\"%s\"}", most);
	CLEANUP(mem_free_ptr)
	char *above = mem_printf("{\"code\":1,\"data\":\"%sa\"}", most);
	CLEANUP(mem_free_ptr)
	char *said = mem_printf(",\"mcpctl/data\":\"%s\"", most);
	const struct {
		const char *error, *meta;
	} rows[] = {
		{ "{}", "" },
		{ "{\"code\":\"7\"}", "" },
		{ "{\"code\":7}", ",\"mcpctl/code\":7" },
		{ "{\"data\":null}", ",\"mcpctl/data\":null" },
		{ fits, said },
		{ above, ",\"mcpctl/code\":1" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		CLEANUP(json_free_ptr) cJSON *error = result_of(rows[i].error);
		CLEANUP(error_reset) struct error err = { 0 };
		CLEANUP(buf_done) struct buf text = { 0 };
		CLEANUP(mem_free_ptr)
		char *wanted = mem_printf(
			"{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],"
			"\"isError\":true,\"_meta\":{\"mcpctl/failure\":"
			"\"peer\"%s}}",
			rows[i].meta);

		error_set(&err, ERR_PEER, "no");
		mend_failure(&text, &err, error);
		assert_string_equal(buf_string(&text), wanted);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(prose_is_folded),
		cmocka_unit_test(prose_has_nothing_unseen),
		cmocka_unit_test(prose_is_capped),
		cmocka_unit_test(schemas_are_objects),
		cmocka_unit_test(firmware_schema),
		cmocka_unit_test(required_names_are_known),
		cmocka_unit_test(types_are_known),
		cmocka_unit_test(arrays_have_items),
		cmocka_unit_test(defaults_fit),
		cmocka_unit_test(wrong_keywords_go),
		cmocka_unit_test(right_keywords_stay),
		cmocka_unit_test(references_are_followed),
		cmocka_unit_test(alternatives),
		cmocka_unit_test(others_may_be_there),
		cmocka_unit_test(names_of_arguments),
		cmocka_unit_test(hostile_schemas),
		cmocka_unit_test(results_have_the_shape),
		cmocka_unit_test(json_texts_are_objects),
		cmocka_unit_test(pictures_are_unwrapped),
		cmocka_unit_test(other_contents),
		cmocka_unit_test(results_are_cleaned),
		cmocka_unit_test(false_may_be_a_failure),
		cmocka_unit_test(long_results_are_cut),
		cmocka_unit_test(long_members_are_left_out),
		cmocka_unit_test(many_empty_texts),
		cmocka_unit_test(large_pictures_are_left_out),
		cmocka_unit_test(photos),
		cmocka_unit_test(photos_are_bounded),
		cmocka_unit_test(failures_say_what_to_do),
		cmocka_unit_test(values_have_an_end),
		cmocka_unit_test(numbers_are_of_their_kind),
		cmocka_unit_test(any_default_that_fits),
		cmocka_unit_test(words_of_properties),
		cmocka_unit_test(levels_of_schemas),
		cmocka_unit_test(references_have_an_end),
		cmocka_unit_test(so_many_properties),
		cmocka_unit_test(schemas_have_an_end),
		cmocka_unit_test(so_many_parts),
		cmocka_unit_test(roots_of_parts),
		cmocka_unit_test(lengths_of_names),
		cmocka_unit_test(as_much_as_fits),
		cmocka_unit_test(behind_other_text),
		cmocka_unit_test(json_texts_have_room),
		cmocka_unit_test(what_fails),
		cmocka_unit_test(resources),
		cmocka_unit_test(no_result_at_all),
		cmocka_unit_test(what_peers_said),
	};

	mem_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
