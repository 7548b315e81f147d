/* SPDX-License-Identifier: MIT */
/*
 * The cases of the Debian package json-schema-test-suite, draft 7, for the
 * keywords that schema.h names. Each file is a test; all its cases run.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/json.h"
#include "base/mem.h"
#include "mcp/schema.h"
#include "skip_for.h"

#define FOLDER "/usr/share/json-schema-test-suite/tests/draft7"

/* Groups that ask for what schema.h leaves out, each with its reason. */
static const struct {
	const char *file, *group, *reason;
} left_out[] = {
	{ "ref", "remote ref, containing refs itself",
	  "the schema must be fetched" },
	{ "ref", "Recursive references between schemas",
	  "$ref by $id, not by a local pointer" },
};

/* This group keeps schemas under names of its own, which are reported. */
static const char own_names[] = "escaped pointer ref";

static bool is_left_out(const char *file, const char *group)
{
	for (size_t i = 0; i < COUNT(left_out); i++)
		if (strcmp(left_out[i].file, file) == 0 &&
		    strcmp(left_out[i].group, group) == 0)
			return true;
	return false;
}

static cJSON *read_suite(const char *file)
{
	char *path = mem_printf("%s/%s.json", FOLDER, file);
	FILE *in = fopen(path, "r");
	struct buf text = { 0 };
	struct error err = { 0 };
	char part[4096];
	cJSON *suite;
	size_t got;

	if (!in)
		fail_msg("%s is not there", path);
	while ((got = fread(part, 1, sizeof(part), in)) > 0)
		buf_add(&text, part, got);
	fclose(in);
	mem_free(path);
	suite = json_parse(buf_string(&text), text.len, &err);
	if (!suite)
		fail_msg("%s: %s", file, err.text);
	buf_done(&text);
	return suite;
}

static size_t run_case(const char *file, const char *group, const cJSON *schema,
		       const cJSON *one)
{
	const cJSON *data = json_member(one, "data");
	struct schema_report report = { 0 };
	bool fits = schema_check(schema, data, &report);
	bool wanted = json_true(one, "valid");
	size_t wrong = fits != wanted || (report.ignored.count > 0 &&
					  strcmp(group, own_names) != 0);

	if (wrong)
		print_error("%s: %s: %s: %s, ignored %zu (%s); rule '%s'\n",
			    file, group, json_string(one, "description"),
			    fits ? "fits" : "does not fit",
			    report.ignored.count,
			    report.ignored.count ? report.ignored.word[0] : "",
			    buf_string(&report.rule));
	/* A mismatch says what and why, in words too. */
	if (!fits) {
		struct buf words = { 0 };

		schema_explain(&report, &words);
		wrong += report.rule.len == 0 || words.len == 0;
		buf_done(&words);
	}
	schema_report_done(&report);
	return wrong;
}

static size_t run_group(const char *file, const cJSON *group, size_t *cases)
{
	const char *name = json_string(group, "description");
	cJSON *schema = json_member(group, "schema");
	size_t wrong = 0;
	const cJSON *one;

	if (is_left_out(file, name))
		return 0;
	/* The files do not say of which draft they are; their folder does. */
	if (cJSON_IsObject(schema) && !json_member(schema, "$schema"))
		cJSON_AddStringToObject(
			schema, "$schema",
			"http://json-schema.org/draft-07/schema#");
	cJSON_ArrayForEach(one, json_array(group, "tests")) {
		wrong += run_case(file, name, schema, one);
		(*cases)++;
	}
	return wrong;
}

static void suite_file(void **state)
{
	const char *file = *state;
	const cJSON *group;
	size_t cases = 0;
	size_t wrong = 0;
	cJSON *suite;

	if (access(FOLDER, R_OK) < 0) {
		skip_for("the package json-schema-test-suite is not installed");
	}
	suite = read_suite(file);
	cJSON_ArrayForEach(group, suite) {
		wrong += run_group(file, group, &cases);
	}
	cJSON_Delete(suite);
	assert_int_equal(wrong, 0);
	assert_true(cases > 0);
}

/* A test of the suite's file of that name. */
#define FILE_TEST(name)                                                        \
	{                                                                      \
		"suite_" name, suite_file, NULL, NULL, (void *)(uintptr_t)name \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		FILE_TEST("additionalProperties"),
		FILE_TEST("allOf"),
		FILE_TEST("anyOf"),
		FILE_TEST("boolean_schema"),
		FILE_TEST("const"),
		FILE_TEST("default"),
		FILE_TEST("enum"),
		FILE_TEST("exclusiveMaximum"),
		FILE_TEST("exclusiveMinimum"),
		FILE_TEST("items"),
		FILE_TEST("maximum"),
		FILE_TEST("maxItems"),
		FILE_TEST("maxLength"),
		FILE_TEST("minimum"),
		FILE_TEST("minItems"),
		FILE_TEST("minLength"),
		FILE_TEST("multipleOf"),
		FILE_TEST("not"),
		FILE_TEST("oneOf"),
		FILE_TEST("pattern"),
		FILE_TEST("patternProperties"),
		FILE_TEST("properties"),
		FILE_TEST("ref"),
		FILE_TEST("required"),
		FILE_TEST("type"),
		FILE_TEST("uniqueItems"),
		FILE_TEST("optional/format/date"),
		FILE_TEST("optional/format/date-time"),
		FILE_TEST("optional/format/email"),
		FILE_TEST("optional/format/hostname"),
		FILE_TEST("optional/format/idn-email"),
		FILE_TEST("optional/format/ipv4"),
		FILE_TEST("optional/format/ipv6"),
		FILE_TEST("optional/format/iri"),
		FILE_TEST("optional/format/iri-reference"),
		FILE_TEST("optional/format/json-pointer"),
		FILE_TEST("optional/format/relative-json-pointer"),
		FILE_TEST("optional/format/time"),
		FILE_TEST("optional/format/uri"),
		FILE_TEST("optional/format/uri-reference"),
		FILE_TEST("optional/format/uri-template"),
	};

	mem_init();
	return cmocka_run_group_tests_name("schema suite", tests, NULL, NULL);
}
