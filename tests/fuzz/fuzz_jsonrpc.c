/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a JSON-RPC payload: classified if it is JSON, salvaged always.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/json_scan.h"
#include "wire/jsonrpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool same(const cJSON *tree, const char *name, struct span found)
{
	const cJSON *member = json_member(tree, name);
	CLEANUP(json_free_ptr) cJSON *read = NULL;

	if (!found.text)
		return !member;
	read = json_parse(found.text, found.len, NULL);
	return read && json_equal(read, member);
}

/* One pass finds what a tree has. */
static void compare(const struct message *m)
{
	CLEANUP(json_free_ptr) cJSON *tree = json_parse(m->text, m->len, NULL);
	const char *method = json_string(tree, "method");
	int64_t number;

	assert(tree);
	assert(same(tree, "id", m->id) && same(tree, "params", m->params));
	assert(same(tree, "result", m->result_text));
	assert(same(tree, "error", m->error_text));
	assert(method ? m->method && !strcmp(method, m->method) : !m->method);
	if (json_integer(tree, "id", &number) == 0)
		assert(m->has_number && m->number == number);
}

static void decode(const char *text, size_t size)
{
	struct error err = { 0 };
	struct message m;

	if (message_decode(&m, text, size, &err) == 0) {
		assert(m.len == size && memcmp(m.text, text, size) == 0);
		compare(&m);
		assert(m.kind != MESSAGE_RESULT || (m.id.text && m.result));
		assert(m.kind != MESSAGE_ERROR || (m.id.text && m.error));
		assert(m.kind != MESSAGE_REQUEST || (m.id.text && m.method));
	} else {
		assert(err.kind == ERR_PROTOCOL);
	}
	message_done(&m);
	error_reset(&err);
}

/* What is pasted into a message must come out as JSON again. */
static void encode(const char *text, size_t size)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	char word[64];

	size = size < sizeof(word) - 1 ? size : sizeof(word) - 1;
	memcpy(word, text, size);
	word[size] = '\0';
	jsonrpc_error(&out, "1", JSONRPC_METHOD_NOT_FOUND, word);
	assert(json_check(buf_string(&out), out.len, NULL) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data;
	struct salvage s;

	decode(text, size);
	encode(text, size);
	jsonrpc_salvage(text, size, &s);
	assert(!s.message || strlen(s.message) <= size);
	salvage_done(&s);
	return 0;
}
