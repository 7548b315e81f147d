/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as frames of WebSocket: the same items in whatever pieces they
 * come, nothing above what is kept, and a head that was written is read alike.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/ws_frames.h"

#define KEEP 300

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void tell(struct buf *out, enum ws_what what, const struct ws_item *item)
{
	assert(item->len <= item->size);
	assert(what == WS_CONTROL ? item->len <= WS_CONTROL_MAX :
				    item->len <= KEEP);
	buf_printf(out, "%d:%d:%llu:%u:%d:%d[", (int)what, (int)item->opcode,
		   (unsigned long long)item->size, item->frames, item->masked,
		   item->code);
	buf_add(out, item->data, item->len);
	buf_text(out, "]");
}

static void read_all(struct buf *out, const uint8_t *data, size_t size,
		     size_t step)
{
	struct ws_reader r = { .keep = KEEP, .keep_binary = KEEP / 2 };

	for (size_t at = 0; at < size; at += step) {
		const char *from = (const char *)data + at;
		size_t len = size - at < step ? size - at : step;

		while (len > 0) {
			size_t before = len;
			struct ws_item item;
			enum ws_what what = ws_read(&r, &from, &len, &item);

			assert(len <= before);
			if (what == WS_BROKEN) {
				buf_text(out, "broken");
				ws_reader_done(&r);
				return;
			}
			assert(len < before);
			if (what != WS_MORE)
				tell(out, what, &item);
		}
	}
	ws_reader_done(&r);
}

static void head_again(const uint8_t *data, size_t size)
{
	unsigned char bytes[WS_HEAD_MAX];
	struct ws_head h, again;
	int len = ws_head_read(&h, data, size);

	if (len <= 0)
		return;
	assert(ws_head_write(&h, bytes) <= (size_t)len);
	assert(ws_head_read(&again, bytes, sizeof(bytes)) > 0);
	assert(again.length == h.length && again.opcode == h.opcode &&
	       again.fin == h.fin && again.masked == h.masked);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf whole = { 0 }, pieces = { 0 };

	head_again(data, size);
	read_all(&whole, data, size, size ? size : 1);
	for (size_t step = 1; step < 4; step++) {
		buf_reset(&pieces);
		read_all(&pieces, data, size, step);
		assert(whole.len == pieces.len);
		assert(!whole.len ||
		       memcmp(whole.data, pieces.data, whole.len) == 0);
	}
	buf_done(&whole);
	buf_done(&pieces);
	return 0;
}
