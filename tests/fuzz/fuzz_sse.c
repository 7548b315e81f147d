/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as an event stream: never read past the end, the same events in
 * whatever pieces they come, none above the limit, ids without line breaks.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/mem.h"
#include "wire/sse.h"

#define MAX 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void on_event(void *owner, const struct sse_event *e)
{
	assert(e->len <= MAX);
	assert(e->data[e->len] == '\0');
	assert(*e->type && !strpbrk(e->type, "\r\n"));
	assert(!strpbrk(e->id, "\r\n"));
	buf_printf(owner, "%s[%s]%d:", e->type, e->id, e->has_id);
	buf_add(owner, e->data, e->len);
}

static void on_retry(void *owner, int64_t ms)
{
	assert(ms >= 0);
	buf_printf(owner, "<%lld>", (long long)ms);
}

static void on_too_long(void *owner)
{
	buf_text(owner, "<too long>");
}

static const struct sse_events events = { on_event, on_retry, on_too_long };

static void feed(struct buf *out, const uint8_t *data, size_t size,
		 size_t piece)
{
	struct sse s = { .max = MAX };

	for (size_t at = 0; at < size; at += piece) {
		size_t part = piece < size - at ? piece : size - at;
		/* Exactly as long, so that a byte too far is noticed. */
		char *copy = mem_alloc(part);

		memcpy(copy, data + at, part);
		sse_feed(&s, copy, part, &events, out);
		mem_free(copy);
	}
	buf_printf(out, "%d", sse_is_amid(&s));
	sse_restart(&s);
	assert(!sse_is_amid(&s));
	sse_done(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 };
	const size_t pieces[] = { 1, 2, 3, 7, 64 };

	feed(&whole, data, size, size ? size : 1);
	for (size_t i = 0; i < COUNT(pieces); i++) {
		struct buf parts = { 0 };

		feed(&parts, data, size, pieces[i]);
		assert(parts.len == whole.len);
		assert(!memcmp(parts.data, whole.data, whole.len));
		buf_done(&parts);
	}
	buf_done(&whole);
	return 0;
}
