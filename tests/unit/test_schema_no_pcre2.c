/* SPDX-License-Identifier: MIT */
/* mcp/schema on a machine without PCRE2: patterns are reported, not refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dlfcn.h>
#include <string.h>

#include "base/mem.h"
#include "mcp/schema.h"

static int asked;

/* In place of the C library's: nothing can be loaded. */
void *dlopen(const char *file, int mode)
{
	(void)mode;
	asked += strstr(file, "pcre2") != NULL;
	return NULL;
}

static void assert_unchecked(const char *schema_text, const char *value_text)
{
	cJSON *schema = json_parse(schema_text, strlen(schema_text), NULL);
	cJSON *value = json_parse(value_text, strlen(value_text), NULL);
	struct schema_report report = { 0 };

	assert_non_null(schema);
	assert_true(schema_check(schema, value, &report));
	assert_int_equal(report.ignored.count, 1);
	schema_report_done(&report);
	cJSON_Delete(schema);
	cJSON_Delete(value);
}

static void patterns_are_not_checked(void **state)
{
	(void)state;
	assert_unchecked("{\"pattern\":\"^a\"}", "\"b\"");
	assert_unchecked("{\"patternProperties\":{\"^a\":false}}", "{\"a\":1}");
	/* Many of them are no reason to give up. */
	assert_unchecked("{\"items\":{\"pattern\":\"^a\"}}",
			 "[\"b\",\"b\",\"b\",\"b\",\"b\",\"b\",\"b\",\"b\","
			 "\"b\",\"b\",\"b\",\"b\",\"b\",\"b\",\"b\",\"b\"]");
	/* It was tried once, and not again. */
	assert_int_equal(asked, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_are_not_checked),
	};

	mem_init();
	return cmocka_run_group_tests_name("schema without PCRE2", tests, NULL,
					   NULL);
}
