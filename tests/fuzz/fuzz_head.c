/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the head of a request: never read past the end, the verdict
 * does not change when more comes behind a whole head, and what may become a
 * WebSocket has nothing in it that a second parser could take otherwise.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "net/admit.h"
#include "net/head.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const struct head *h)
{
	static const char *const names[] = { "device-id", "token",
					     "authorization" };
	const struct admit_options nothing = { 0 };
	const char *reason;
	struct admit port;

	assert(!admit_open(&port, &nothing, "bench", NULL, NULL));
	if (!head_problem(&h->headers, h->target_host, h->http_1_0) &&
	    !h->http_1_0)
		assert(headers_get(&h->headers, "Host"));
	admit_judge(&port, &h->headers, true);
	assert(!admit_guest(&port, &h->headers));
	admit_done(&port);
	assert(h->method[0] && h->path);
	for (size_t i = 0; i < h->headers.count; i++) {
		assert(h->headers.item[i].name[0]);
		assert(!strpbrk(h->headers.item[i].name, " \r\n:"));
		assert(!strpbrk(h->headers.item[i].value, "\r\n"));
		head_is_host(h->headers.item[i].value);
	}
	for (size_t i = 0; i < COUNT(names); i++)
		mem_free(head_query_value(h->query, names[i]));
	if (head_upgrade(h, &reason) == HEAD_WEBSOCKET) {
		assert(!h->bare_newlines);
		assert(strlen(headers_get(&h->headers, "Sec-WebSocket-Key")) <=
		       64);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* Exactly as long, so that a byte too far is noticed. */
	char *text = mem_alloc(size ? size : 1);
	struct head head, again;

	memcpy(text, data, size);
	if (head_parse(&head, text, size) == HEAD_READY) {
		assert(head.length > 0 && head.length <= size);
		use(&head);
		assert(head_parse(&again, text, head.length) == HEAD_READY);
		assert(again.length == head.length);
		assert(again.headers.count == head.headers.count);
		head_done(&again);
		head_done(&head);
	} else {
		assert(!head.method && head.headers.count == 0);
	}
	mem_free(text);
	return 0;
}
