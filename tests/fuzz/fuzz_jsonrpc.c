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

static void decode(const char *text, size_t size)
{
	struct error err = { 0 };
	struct message m;

	if (message_decode_take(&m, NULL, text, size, &err) == 0) {
		assert(m.len == size && memcmp(m.text, text, size) == 0);
		assert(m.kind != MESSAGE_RESULT || (m.id && m.result));
		assert(m.kind != MESSAGE_ERROR || (m.id && m.error));
		assert(m.kind != MESSAGE_REQUEST || (m.id && m.method));
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
