/* SPDX-License-Identifier: MIT */
/*
 * mcp/schema: what the suite does not cover. Reports, limits, references, broken
 * schemas, evil patterns, examples.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/schema.h"
#include "mcp/schema_example.h"
#include "mcp/schema_look.h"

static cJSON *parse(const char *text)
{
	struct error err = { 0 };
	cJSON *value = json_parse(text, strlen(text), &err);

	if (!value)
		fail_msg("%s: %s", text, err.text);
	return value;
}

static bool check(const char *schema_text, const char *value_text,
		  struct schema_report *report)
{
	cJSON *schema = parse(schema_text);
	cJSON *value = parse(value_text);
	bool fits = schema_check(schema, value, report);

	cJSON_Delete(schema);
	cJSON_Delete(value);
	return fits;
}

/* And all of it was checked. */
static void assert_fits(const char *schema, const char *value)
{
	struct schema_report report = { 0 };

	if (!check(schema, value, &report))
		fail_msg("%s does not fit %s: %s at '%s'", value, schema,
			 buf_string(&report.rule), buf_string(&report.path));
	assert_int_equal(report.ignored.count, 0);
	schema_report_done(&report);
}

static void assert_refused(const char *schema, const char *value,
			   const char *path, const char *rule)
{
	struct schema_report report = { 0 };

	assert_false(check(schema, value, &report));
	assert_string_equal(buf_string(&report.path), path);
	assert_string_equal(buf_string(&report.rule), rule);
	schema_report_done(&report);
}

static void assert_ignored(const char *schema, const char *value,
			   const char *keyword)
{
	struct schema_report report = { 0 };

	assert_true(check(schema, value, &report));
	assert_int_equal(report.ignored.count, 1);
	assert_string_equal(report.ignored.word[0], keyword);
	schema_report_done(&report);
}

static void reports_name_path_rule_value(void **state)
{
	struct schema_report report = { 0 };

	(void)state;
	assert_false(check("{\"properties\":{\"items\":{\"items\":{"
			   "\"properties\":{\"name\":{\"maxLength\":2}}}}}}",
			   "{\"items\":[{},{},{\"name\":\"abc\"}]}", &report));
	assert_string_equal(buf_string(&report.path), "items[2].name");
	assert_string_equal(buf_string(&report.rule), "maxLength 2");
	assert_string_equal(buf_string(&report.value), "\"abc\"");
	assert_string_equal(report.keyword, "maxLength");
	assert_string_equal(buf_string(&report.operand), "2");
	/* The same report again: nothing of before is left. */
	assert_true(check("true", "1", &report));
	assert_string_equal(buf_string(&report.path), "");
	assert_string_equal(buf_string(&report.rule), "");
	assert_null(report.keyword);
	schema_report_done(&report);
}

static void rules(void **state)
{
	(void)state;
	assert_refused("{\"type\":\"integer\"}", "1.5", "", "type integer");
	assert_refused("{\"type\":[\"integer\",\"null\"]}", "\"x\"", "",
		       "type integer or null");
	assert_refused("{\"maximum\":100}", "150", "", "maximum 100");
	assert_refused("{\"exclusiveMinimum\":0}", "0", "",
		       "exclusiveMinimum 0");
	assert_refused("{\"pattern\":\"^a\"}", "\"b\"", "", "pattern ^a");
	assert_refused("{\"enum\":[\"a\",1]}", "\"b\"", "", "enum [\"a\",1]");
	assert_refused("{\"const\":{\"a\":1}}", "2", "", "const {\"a\":1}");
	assert_refused("{\"required\":[\"a\",\"b\"]}", "{\"a\":1}", "b",
		       "required");
	assert_refused("{\"additionalProperties\":false}", "{\"x\":1}", "x",
		       "additionalProperties");
	assert_refused("{\"uniqueItems\":true}", "[1,[2],1.0]", "",
		       "uniqueItems");
	assert_refused("{\"not\":{\"type\":\"string\"}}", "\"x\"", "", "not");
	assert_refused("false", "1", "", "false");
	assert_fits("{\"format\":\"date\"}", "\"2024-02-29\"");
	assert_fits("{\"format\":\"unknown\"}", "\"\"");
}

static void explain(const char *schema, const char *value, const char *words)
{
	struct schema_report report = { 0 };
	struct buf out = { 0 };

	assert_false(check(schema, value, &report));
	schema_explain(&report, &out);
	assert_string_equal(buf_string(&out), words);
	buf_done(&out);
	schema_report_done(&report);
}

static void explanations(void **state)
{
	(void)state;
	explain("{\"maximum\":100}", "150", "150 is above the maximum of 100");
	explain("{\"minimum\":0}", "-1", "-1 is below the minimum of 0");
	explain("{\"type\":\"integer\"}", "\"loud\"",
		"\"loud\" is not of type integer");
	explain("{\"minLength\":3}", "\"ab\"",
		"\"ab\" is shorter than 3 characters");
	explain("{\"enum\":[\"a\",\"b\"]}", "\"c\"",
		"\"c\" is none of [\"a\",\"b\"]");
	explain("{\"required\":[\"a\"]}", "{}", "is required");
	explain("{\"anyOf\":[{\"type\":\"integer\"},{\"type\":\"null\"}]}",
		"\"x\"", "\"x\" fits none of: integer; null");
	explain("{\"oneOf\":[true,{},{\"type\":\"integer\"}]}", "1",
		"1 fits 3 of the alternatives, not one");
	explain("{\"const\":2}", "1", "1 is not 2");
	explain("{\"additionalProperties\":false}", "{\"x\":1}",
		"1 stands under a name that is not known");
	explain("{\"exclusiveMinimum\":1}", "1", "1 is not above 1");
	explain("{\"exclusiveMaximum\":1}", "1", "1 is not below 1");
	explain("{\"multipleOf\":2}", "1", "1 is no multiple of 2");
	explain("{\"maxLength\":1}", "\"ab\"",
		"\"ab\" is longer than 1 characters");
	explain("{\"pattern\":\"^b\"}", "\"a\"",
		"\"a\" does not match the pattern ^b");
	explain("{\"format\":\"date\"}", "\"a\"",
		"\"a\" is not of the format date");
	explain("{\"minItems\":2}", "[1]", "[1] has fewer items than 2");
	explain("{\"maxItems\":1}", "[1,2]", "[1,2] has more items than 1");
	explain("{\"uniqueItems\":true}", "[1,1]",
		"[1,1] holds the same item twice");
	explain("{\"not\":{}}", "1", "1 is what the schema excludes");
	explain("false", "1", "1 is not allowed here");
	explain("{\"$ref\":\"#\"}", "1", "1 or its schema is nested too deep");
}

static void long_values_are_cut(void **state)
{
	struct schema_report report = { 0 };
	struct buf value = { 0 };

	(void)state;
	/* 3 bytes each: 200 falls into the middle of a character. */
	buf_text(&value, "\"");
	for (int i = 0; i < 100; i++)
		buf_text(&value, "音");
	buf_text(&value, "\"");
	assert_false(check("{\"maxLength\":1}", buf_string(&value), &report));
	assert_int_equal(report.value.len, 199 + strlen("…"));
	assert_string_equal(report.value.data + 199, "…");
	buf_done(&value);
	schema_report_done(&report);
}

static void characters_are_counted(void **state)
{
	(void)state;
	assert_fits("{\"minLength\":2,\"maxLength\":2}", "\"音量\"");
	assert_refused("{\"maxLength\":1}", "\"音量\"", "", "maxLength 1");
}

/* Draft 7's suite has no prefixItems. */
static void prefix_items(void **state)
{
	static const char schema[] =
		"{\"prefixItems\":[{\"type\":\"integer\"},{\"type\":"
		"\"string\"}],\"items\":{\"type\":\"boolean\"}}";

	(void)state;
	assert_fits(schema, "[]");
	assert_fits(schema, "[1]");
	assert_fits(schema, "[1,\"a\"]");
	assert_fits(schema, "[1,\"a\",true,false]");
	assert_fits(schema, "{\"0\":\"x\"}");
	assert_refused(schema, "[\"a\"]", "[0]", "type integer");
	assert_refused(schema, "[1,2]", "[1]", "type string");
	assert_refused(schema, "[1,\"a\",3]", "[2]", "type boolean");
	assert_refused("{\"prefixItems\":[true],\"items\":false}", "[1,2]",
		       "[1]", "false");
}

static void large_numbers(void **state)
{
	(void)state;
	assert_fits("{\"type\":\"integer\"}", "1.0");
	assert_fits("{\"type\":\"integer\"}", "1e300");
	assert_fits("{\"type\":\"integer\"}", "-12345678901234567890");
	assert_fits("{\"multipleOf\":0.01}", "19.99");
	assert_fits("{\"multipleOf\":0.1}", "1e300");
	assert_fits("{\"multipleOf\":2}", "-1e300");
	assert_fits("{\"multipleOf\":1e999}", "0");
	assert_refused("{\"multipleOf\":7}", "1e300", "", "multipleOf 7");
	assert_refused("{\"multipleOf\":0.01}", "19.995", "",
		       "multipleOf 0.01");
	assert_refused("{\"multipleOf\":3}", "9007199254740992", "",
		       "multipleOf 3");
}

static void equal_items(void **state)
{
	(void)state;
	assert_fits("{\"uniqueItems\":true}", "[0,false,null,\"0\",[0]]");
	assert_refused("{\"uniqueItems\":true}", "[0,-0.0]", "", "uniqueItems");
	assert_refused("{\"uniqueItems\":true}",
		       "[{\"a\":1,\"b\":2},{\"b\":2,\"a\":1}]", "",
		       "uniqueItems");
}

static void references(void **state)
{
	static const char beside[] =
		"{\"$defs\":{\"n\":{\"type\":\"array\"}},\"properties\":{"
		"\"a\":{\"$ref\":\"#/$defs/n\",\"maxItems\":1}}}";
	static const char draft_7[] =
		"{\"$schema\":\"http://json-schema.org/draft-07/schema#\","
		"\"definitions\":{\"n\":{\"type\":\"array\"}},"
		"\"properties\":{\"a\":{\"$ref\":\"#/definitions/n\","
		"\"maxItems\":1}}}";

	(void)state;
	/* 2020-12: what stands beside $ref counts; draft 7: it does not. */
	assert_refused(beside, "{\"a\":[1,2]}", "a", "maxItems 1");
	assert_fits(draft_7, "{\"a\":[1,2]}");
	assert_refused(draft_7, "{\"a\":1}", "a", "type array");
	assert_ignored("{\"$ref\":\"http://x.y/z\"}", "1", "$ref");
	assert_ignored("{\"$ref\":\"#/nowhere\"}", "1", "$ref");
	assert_ignored("{\"$ref\":\"#anchor\"}", "1", "$ref");
	assert_ignored("{\"$ref\":7}", "1", "$ref");
	assert_ignored("{\"$ref\":\"#/%zz\"}", "1", "$ref");
}

static void recursion_ends(void **state)
{
	struct schema_report report = { 0 };
	struct buf deep = { 0 };

	(void)state;
	assert_refused("{\"$ref\":\"#\"}", "1", "", "depth");
	assert_refused("{\"not\":{\"$ref\":\"#\"}}", "1", "", "depth");
	assert_refused("{\"anyOf\":[{\"$ref\":\"#\"},true]}", "1", "", "depth");
	/* 4^19 ways to look. */
	assert_false(check("{\"items\":{\"oneOf\":[{\"$ref\":\"#\"},{\"$ref\":"
			   "\"#\"},{\"$ref\":\"#\"},{\"$ref\":\"#\"}]}}",
			   "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]",
			   &report));
	assert_string_equal(buf_string(&report.rule), "steps");
	schema_report_done(&report);
	for (int i = 0; i < 100; i++)
		buf_char(&deep, '[');
	for (int i = 0; i < 100; i++)
		buf_char(&deep, ']');
	assert_fits("{}", buf_string(&deep));
	assert_fits("{\"items\":{\"items\":{}}}", buf_string(&deep));
	buf_done(&deep);
}

/* 200,000 numbers are work, but no reason to give up. */
static void long_arrays_are_checked(void **state)
{
	struct buf value = { 0 };

	(void)state;
	buf_char(&value, '[');
	for (int i = 0; i < 200000; i++)
		buf_printf(&value, "%s%d", i ? "," : "", i);
	buf_char(&value, ']');
	assert_fits("{\"items\":{\"anyOf\":[{\"type\":\"string\"},{\"type\":"
		    "\"null\"},{\"maximum\":-1},{\"maximum\":-2},{\"maximum\":"
		    "-3},{\"maximum\":-4},{\"maximum\":-5},{\"maximum\":-6},"
		    "{\"maximum\":-7},{\"minimum\":0}]},\"uniqueItems\":true}",
		    buf_string(&value));
	buf_done(&value);
}

static void alternatives_blame_the_one_meant(void **state)
{
	static const char schema[] =
		"{\"properties\":{\"v\":{\"anyOf\":[{\"type\":\"integer\","
		"\"maximum\":100},{\"type\":\"null\"}]}}}";

	(void)state;
	assert_fits(schema, "{\"v\":null}");
	assert_refused(schema, "{\"v\":150}", "v", "maximum 100");
	assert_refused(schema, "{\"v\":\"x\"}", "v",
		       "anyOf integer <= 100; null");
	assert_refused("{\"oneOf\":[{\"type\":\"object\",\"required\":[\"a\"]},"
		       "{\"type\":\"string\"}]}",
		       "{}", "a", "required");
	assert_refused("{\"oneOf\":[true,true]}", "1", "", "oneOf 2");
	/* Two were meant: neither is blamed alone. */
	assert_refused("{\"anyOf\":[{\"maximum\":1},{\"minimum\":9}]}", "5", "",
		       "anyOf number <= 1; number >= 9");
}

static void broken_keywords_are_ignored(void **state)
{
	(void)state;
	assert_ignored("{\"minimum\":\"0\"}", "-1", "minimum");
	assert_ignored("{\"type\":\"float\"}", "1", "type");
	assert_ignored("{\"type\":[\"integer\",7]}", "\"\"", "type");
	assert_ignored("{\"required\":true}", "{}", "required");
	assert_ignored("{\"properties\":[]}", "{}", "properties");
	assert_ignored("{\"enum\":\"a\"}", "1", "enum");
	assert_ignored("{\"multipleOf\":0}", "1", "multipleOf");
	assert_ignored("{\"anyOf\":{}}", "1", "anyOf");
	assert_ignored("{\"oneOf\":{}}", "1", "oneOf");
	assert_ignored("{\"allOf\":{}}", "1", "allOf");
	assert_ignored("{\"not\":1}", "1", "not");
	assert_ignored("{\"prefixItems\":{}}", "[1]", "prefixItems");
	assert_ignored("{\"minItems\":\"2\"}", "[1]", "minItems");
	assert_ignored("{\"maxItems\":\"0\"}", "[1]", "maxItems");
	assert_ignored("{\"uniqueItems\":1}", "[1,1]", "uniqueItems");
	assert_ignored("{\"format\":1}", "\"x\"", "format");
	assert_ignored("{\"minLength\":\"2\"}", "\"x\"", "minLength");
	assert_ignored("{\"maxLength\":\"0\"}", "\"x\"", "maxLength");
	assert_ignored("{\"maximum\":\"0\"}", "1", "maximum");
	assert_ignored("{\"exclusiveMaximum\":\"0\"}", "1", "exclusiveMaximum");
	assert_ignored("{\"patternProperties\":[]}", "{\"a\":1}",
		       "patternProperties");
	assert_fits("{\"uniqueItems\":false}", "[1,1]");
	/* Of another kind of value nothing is said. */
	assert_fits("{\"format\":\"date\",\"minLength\":9,\"maxLength\":0,"
		    "\"pattern\":\"^x\"}",
		    "1");
	assert_fits("{\"minItems\":9,\"maxItems\":0,\"uniqueItems\":true,"
		    "\"items\":false,\"prefixItems\":[false]}",
		    "{\"a\":1}");
	assert_fits("{\"required\":[\"a\"],\"properties\":{\"a\":false},"
		    "\"patternProperties\":{\"a\":false},"
		    "\"additionalProperties\":false}",
		    "[1]");
	assert_fits("{\"minimum\":9,\"exclusiveMinimum\":9,\"maximum\":0,"
		    "\"exclusiveMaximum\":0,\"multipleOf\":7}",
		    "\"1\"");
	assert_ignored("{\"items\":5}", "[1]", "(a schema that is no object)");
	assert_ignored("[]", "1", "(a schema that is no object)");
}

static void other_keywords_are_reported_once(void **state)
{
	struct schema_report report = { 0 };

	(void)state;
	assert_true(check("{\"title\":\"t\",\"description\":\"d\",\"default\":"
			  "1,\"items\":{\"format\":\"color\",\"if\":true},"
			  "\"contains\":false}",
			  "[1,2,3]", &report));
	assert_int_equal(report.ignored.count, 2);
	assert_string_equal(report.ignored.word[0], "contains");
	assert_string_equal(report.ignored.word[1], "if");
	schema_report_done(&report);
	assert_true(check("{\"minimum\":1}", "\"x\"", NULL));
}

static void reports_stay_short(void **state)
{
	struct schema_report report = { 0 };
	struct buf schema = { 0 };

	(void)state;
	for (int i = 0; i < 100; i++)
		buf_printf(&schema, "%s\"x-%d\":1", i ? "," : "{", i);
	buf_char(&schema, '}');
	assert_true(check(buf_string(&schema), "1", &report));
	assert_int_equal(report.ignored.count, 32);
	schema_report_done(&report);
	buf_done(&schema);
}

/* Keys of cJSON's own lookup ignore case; ours must not. */
static void names_have_case(void **state)
{
	(void)state;
	assert_refused("{\"required\":[\"Volume\"]}", "{\"volume\":1}",
		       "Volume", "required");
	assert_fits("{\"properties\":{\"Volume\":false}}", "{\"volume\":1}");
	assert_ignored("{\"Type\":\"string\"}", "1", "Type");
}

static void draft_4_exclusive(void **state)
{
	(void)state;
	assert_refused("{\"minimum\":0,\"exclusiveMinimum\":true}", "0", "",
		       "exclusiveMinimum 0");
	assert_fits("{\"maximum\":0,\"exclusiveMaximum\":false}", "0");
	assert_refused("{\"maximum\":0,\"exclusiveMaximum\":true}", "0", "",
		       "exclusiveMaximum 0");
}

static void patterns(void **state)
{
	(void)state;
	assert_fits("{\"pattern\":\"^\\\\d{3}$\"}", "\"123\"");
	/* ECMA: $ is the very end, \\d only ASCII, \\uXXXX known. */
	assert_refused("{\"pattern\":\"^a$\"}", "\"a\\n\"", "", "pattern ^a$");
	assert_refused("{\"pattern\":\"^\\\\d$\"}", "\"٣\"", "",
		       "pattern ^\\d$");
	assert_fits("{\"pattern\":\"^\\\\u97f3.$\"}", "\"音量\"");
	assert_fits("{\"pattern\":\"^[^]$\"}", "\"x\"");
	assert_ignored("{\"pattern\":\"(\"}", "\"a\"", "pattern");
	assert_ignored("{\"pattern\":\"(*UCP)a\"}", "\"b\"", "pattern");
	assert_ignored("{\"pattern\":5}", "\"b\"", "pattern");
	assert_ignored("{\"patternProperties\":{\"(\":false}}", "{\"a\":1}",
		       "patternProperties");
	/* What cannot be told apart is not refused. */
	assert_ignored("{\"patternProperties\":{\"(\":false},"
		       "\"additionalProperties\":false}",
		       "{\"a\":1}", "patternProperties");
}

/* Each of these would run for years; thirty of them must not take long. */
static void evil_patterns_end(void **state)
{
	struct buf value = { 0 };

	(void)state;
	buf_char(&value, '[');
	for (int i = 0; i < 30; i++)
		buf_printf(&value,
			   "%s\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
			   "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa%d!\"",
			   i ? "," : "", i);
	buf_char(&value, ']');
	assert_ignored("{\"items\":{\"pattern\":\"^(([a-z0-9])+.)+[A-Z]([a-z0-9"
		       "])+$\"}}",
		       buf_string(&value), "pattern");
	assert_ignored("{\"items\":{\"pattern\":\"(a+)+$\"}}",
		       buf_string(&value), "pattern");
	assert_ignored("{\"items\":{\"pattern\":\"(x+x+)+y|(a|aa)+$\"}}",
		       buf_string(&value), "pattern");
	buf_done(&value);
}

static void example_is(const char *schema_text, const char *wanted)
{
	cJSON *schema = parse(schema_text);
	cJSON *example = schema_example(schema);
	struct buf out = { 0 };

	if (!wanted) {
		assert_null(example);
	} else {
		assert_non_null(example);
		json_print(&out, example);
		assert_string_equal(buf_string(&out), wanted);
		assert_true(schema_check(schema, example, NULL));
	}
	buf_done(&out);
	cJSON_Delete(example);
	cJSON_Delete(schema);
}

static void examples(void **state)
{
	(void)state;
	example_is("{\"type\":\"integer\",\"minimum\":0,\"maximum\":100}",
		   "50");
	example_is("{\"type\":\"integer\",\"minimum\":3}", "3");
	example_is("{\"type\":\"integer\",\"exclusiveMinimum\":3}", "4");
	example_is("{\"type\":\"integer\",\"maximum\":-3}", "-3");
	example_is("{\"type\":\"integer\",\"minimum\":7,\"multipleOf\":5}",
		   "10");
	example_is("{\"type\":\"number\",\"exclusiveMinimum\":0,"
		   "\"exclusiveMaximum\":1}",
		   "0.5");
	example_is("{\"type\":\"integer\",\"minimum\":5,\"default\":7}", "7");
	/* A default that does not fit is none. */
	example_is("{\"type\":\"integer\",\"minimum\":5,\"default\":1}", "5");
	example_is("{\"const\":[1]}", "[1]");
	example_is("{\"enum\":[\"b\",\"a\"]}", "\"b\"");
	example_is("{\"type\":\"string\",\"minLength\":6}", "\"textte\"");
	example_is("{\"type\":\"string\",\"maxLength\":2}", "\"te\"");
	example_is("{\"type\":\"string\",\"pattern\":\"^[A-Z]{3}$\"}",
		   "\"ABC\"");
	example_is("{\"type\":\"string\",\"pattern\":\"^v: \\\\d+\"}",
		   "\"v: 0\"");
	example_is("{\"type\":\"string\",\"format\":\"date\"}",
		   "\"2025-01-31\"");
	example_is("{\"type\":\"array\",\"items\":{\"type\":\"integer\"},"
		   "\"minItems\":3,\"uniqueItems\":true}",
		   "[1,2,3]");
	example_is("{\"type\":\"array\",\"maxItems\":0}", "[]");
	example_is("{\"prefixItems\":[{\"type\":\"integer\"},{\"type\":"
		   "\"boolean\"}],\"minItems\":2,\"items\":false}",
		   "[1,true]");
	example_is("{\"type\":\"object\",\"properties\":{\"url\":{\"type\":"
		   "\"string\"},\"n\":{\"type\":\"integer\"}},\"required\":"
		   "[\"url\"]}",
		   "{\"url\":\"http://example.com/\"}");
	example_is("{\"anyOf\":[{\"type\":\"integer\",\"minimum\":9},{\"type\":"
		   "\"null\"}]}",
		   "9");
	example_is("{\"type\":\"object\",\"properties\":{\"a\":{\"type\":"
		   "\"string\"}},\"oneOf\":[{\"required\":[\"a\"]},"
		   "{\"required\":[\"b\"]}]}",
		   "{\"a\":\"text\"}");
	example_is("{\"allOf\":[{\"properties\":{\"a\":{\"type\":\"integer\"}},"
		   "\"required\":[\"a\"]},{\"$ref\":\"#/$defs/b\"}],\"$defs\":"
		   "{\"b\":{\"required\":[\"b\"],\"properties\":{\"b\":"
		   "{\"type\":\"boolean\"}}}}}",
		   "{\"a\":1,\"b\":true}");
	example_is("{\"type\":\"array\",\"minItems\":1,\"allOf\":[{\"items\":"
		   "{\"type\":\"integer\",\"minimum\":7}},{\"items\":"
		   "{\"maximum\":9}}]}",
		   "[8]");
}

static void no_example(void **state)
{
	(void)state;
	example_is("false", NULL);
	example_is("{\"type\":\"integer\",\"minimum\":2,\"maximum\":1}", NULL);
	example_is("{\"type\":\"string\",\"pattern\":\"^(?!u)unlikely\"}",
		   NULL);
	example_is("{\"$ref\":\"#\"}", NULL);
	example_is(
		"{\"type\":\"object\",\"required\":[\"a\"],\"properties\":{\"a\":{\"$ref\":"
		"\"#\"}}}",
		NULL);
	example_is("{\"type\":\"string\",\"minLength\":1e12}", NULL);
	example_is("{\"type\":\"array\",\"minItems\":1e12}", NULL);
}

static void types_are_found(void **state)
{
	cJSON *schema = parse(
		"{\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"integer\"},"
		"{\"type\":\"null\"}]},\"b\":{\"$ref\":\"#/$defs/s\"},\"c\":{},"
		"\"d\":{\"enum\":[\"x\",1]}},\"allOf\":[{\"properties\":{\"e\":"
		"{\"type\":\"array\",\"items\":{\"type\":\"number\"}}},"
		"\"required\":[\"e\"]}],\"$defs\":{\"s\":{\"type\":"
		"\"string\"}}}");
	const char *names[8];

	(void)state;
	assert_int_equal(
		schema_types(schema, schema_property(schema, schema, "a")),
		SCHEMA_INTEGER | SCHEMA_NULL);
	assert_int_equal(
		schema_types(schema, schema_property(schema, schema, "b")),
		SCHEMA_STRING);
	assert_int_equal(
		schema_types(schema, schema_property(schema, schema, "c")), 0);
	assert_int_equal(
		schema_types(schema, schema_property(schema, schema, "d")),
		SCHEMA_INTEGER | SCHEMA_STRING);
	assert_non_null(schema_property(schema, schema, "e"));
	assert_null(schema_property(schema, schema, "f"));
	assert_true(schema_requires(schema, schema, "e"));
	assert_false(schema_requires(schema, schema, "a"));
	assert_int_equal(schema_property_names(schema, schema, names, 8), 5);
	assert_string_equal(names[4], "e");
	assert_int_equal(schema_property_names(schema, schema, names, 2), 2);
	cJSON_Delete(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_name_path_rule_value),
		cmocka_unit_test(rules),
		cmocka_unit_test(explanations),
		cmocka_unit_test(long_values_are_cut),
		cmocka_unit_test(characters_are_counted),
		cmocka_unit_test(prefix_items),
		cmocka_unit_test(large_numbers),
		cmocka_unit_test(equal_items),
		cmocka_unit_test(references),
		cmocka_unit_test(recursion_ends),
		cmocka_unit_test(long_arrays_are_checked),
		cmocka_unit_test(alternatives_blame_the_one_meant),
		cmocka_unit_test(broken_keywords_are_ignored),
		cmocka_unit_test(other_keywords_are_reported_once),
		cmocka_unit_test(reports_stay_short),
		cmocka_unit_test(names_have_case),
		cmocka_unit_test(draft_4_exclusive),
		cmocka_unit_test(patterns),
		cmocka_unit_test(evil_patterns_end),
		cmocka_unit_test(examples),
		cmocka_unit_test(no_example),
		cmocka_unit_test(types_are_found),
	};

	mem_init();
	return cmocka_run_group_tests_name("schema", tests, NULL, NULL);
}
