/* SPDX-License-Identifier: MIT */
/*
 * A line that is a schema, then a value: it ends, a mismatch has a reason, an
 * example fits, a description is one line.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "mcp/schema.h"
#include "mcp/schema_describe.h"
#include "mcp/schema_example.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_value(const cJSON *schema, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *value = json_parse(text, len, NULL);
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };
	bool fits;

	if (!value)
		return;
	fits = schema_check(schema, value, &report);
	schema_explain(&report, &words);
	assert(fits == (report.rule.len == 0));
	assert(fits == (words.len == 0));
	assert(report.value.len <= 204 && report.ignored.count <= 32);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	CLEANUP(json_free_ptr) cJSON *schema = json_parse(text, len, NULL);
	CLEANUP(json_free_ptr) cJSON *example = NULL;
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!schema)
		return 0;
	if (end)
		check_value(schema, end + 1, size - len - 1);
	example = schema_example(schema);
	assert(!example || schema_check(schema, example, NULL));
	schema_describe(schema, &line);
	assert(line.len > 0 && !strchr(line.data, '\n'));
	return 0;
}
