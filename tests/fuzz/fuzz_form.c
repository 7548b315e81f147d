/* SPDX-License-Identifier: MIT */
/*
 * A line that is requestedSchema, then what is typed for each of its fields: a
 * value that is taken fits, a refusal has a reason.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "cli/form.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void type(const struct form *f, const char *text)
{
	CLEANUP(json_free_ptr) cJSON *content = form_pick(f, NULL);
	CLEANUP(buf_done) struct buf missing = { 0 };
	CLEANUP(error_reset) struct error err = { 0 };

	for (size_t i = 0; i < f->count; i++) {
		CLEANUP(buf_done) struct buf words = { 0 };
		cJSON *value = form_parse(f, &f->field[i], text, &err);

		assert(value || (err.kind == ERR_USAGE && err.text[0]));
		if (value)
			cJSON_AddItemToObject(content, f->field[i].name, value);
		form_expects(f, &f->field[i], &words);
	}
	form_complete(f, content, &missing);
	form_check(f, content, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	CLEANUP(json_free_ptr) cJSON *schema = json_parse(text, len, NULL);
	CLEANUP(mem_free_ptr)
	char *typed =
		end ? mem_strndup(end + 1, size - len - 1) : mem_strdup("");
	CLEANUP(form_done) struct form f = { 0 };
	struct error err = { 0 };

	if (!schema)
		return 0;
	if (form_read(&f, schema, &err) == 0)
		type(&f, typed);
	else
		assert(err.kind == ERR_PROTOCOL);
	assert(f.count <= FORM_FIELDS_MAX);
	error_reset(&err);
	return 0;
}
