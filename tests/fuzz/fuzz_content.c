/* SPDX-License-Identifier: MIT */
/*
 * A reply to tools/call in the first line, what is expected of it in the
 * second: every content has a kind, and a difference is said in words.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "cli/expect.h"
#include "mcp/content.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_content(const struct content *c)
{
	assert(c->json && c->kind <= CONTENT_UNKNOWN);
	assert(!c->bad_data || c->data.len == 0);
	assert(c->kind != CONTENT_TEXT || c->text);
	assert(!c->inner || c->wrapped);
	assert(!c->wrapped || c->kind == CONTENT_IMAGE);
}

static void check_expectation(const cJSON *actual, const char *text, size_t len)
{
	CLEANUP(json_free_ptr) cJSON *expected = json_parse(text, len, NULL);
	CLEANUP(buf_done) struct buf words = { 0 };
	bool contains;

	if (!expected)
		return;
	contains = expect_contains(actual, expected, &words);
	assert(contains == (words.len == 0));
	assert(json_equal(actual, expected) <= contains);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	const char *end = size ? memchr(text, '\n', size) : NULL;
	size_t len = end ? (size_t)(end - text) : size;
	CLEANUP(result_done) struct result r = { 0 };
	struct message m;

	if (message_decode(&m, text, len, NULL) < 0)
		return 0;
	result_decode_take(&r, &m);
	for (size_t i = 0; i < r.count; i++)
		check_content(&r.content[i]);
	if (end && r.message.result)
		check_expectation(r.message.result, end + 1, size - len - 1);
	return 0;
}
