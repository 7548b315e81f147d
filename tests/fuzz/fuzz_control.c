/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as frames of serve's socket; what is JSON in them as an error.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/control_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void as_error(const struct control_frame *f)
{
	cJSON *tree = json_parse(f->data, f->len, NULL), *again;
	struct error first = { 0 }, second = { 0 };
	struct buf text = { 0 };

	control_error_decode(&first, tree);
	control_error_encode(&text, &first);
	again = json_parse(text.data, text.len, NULL);
	assert(again);
	control_error_decode(&second, again);
	assert(first.kind == second.kind && first.code == second.code);
	assert(!strcmp(first.text, second.text));
	assert(!strcmp(first.hint, second.hint));
	assert(!first.detail == !second.detail);
	error_reset(&first);
	error_reset(&second);
	buf_done(&text);
	cJSON_Delete(again);
	cJSON_Delete(tree);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data;
	struct control_frame f;
	struct buf copy = { 0 };

	while (control_decode(&f, at, size, NULL) > 0) {
		assert(f.size <= size && f.len + CONTROL_HEAD == f.size);
		assert(f.data == at + CONTROL_HEAD);
		buf_reset(&copy);
		control_encode(&copy, f.kind, f.data, f.len);
		assert(copy.len == f.size && !memcmp(copy.data, at, f.size));
		as_error(&f);
		at += f.size;
		size -= f.size;
	}
	buf_done(&copy);
	return 0;
}
