/* SPDX-License-Identifier: MIT */
/*
 * What a backend may send to the simulated device: WebSocket frames in slices
 * whose size the first byte gives, the same bytes as the reply to OTA or an
 * upload, as chunks, and as an address.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sim/board_http.h"
#include "sim/board_ws.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_frames(const char *data, size_t size, size_t slice)
{
	struct board_ws_reader r = { 0 };
	static volatile unsigned sum;

	while (size) {
		size_t len = slice < size ? slice : size;
		const char *text;
		size_t count;
		int code;

		board_ws_feed(&r, data, len);
		while (board_ws_next(&r, &text, &count, &code) != WIRE_NONE) {
			/* every byte that is lent can be read */
			while (count)
				sum = sum + (unsigned char)text[--count];
			if (code < 0 || code > 65535)
				abort();
		}
		data += len;
		size -= len;
	}
	board_ws_reader_done(&r);
}

static void read_reply(const char *data, size_t size, size_t slice)
{
	enum http_state state = HTTP_MORE;
	struct board_reply r;

	board_reply_init(&r);
	while (size && state == HTTP_MORE) {
		size_t len = slice < size ? slice : size;

		state = board_reply_feed(&r, data, len);
		data += len;
		size -= len;
	}
	if (state == HTTP_MORE)
		state = board_reply_end(&r);
	if (state == HTTP_WHOLE && r.body.len >= HTTP_HANG)
		abort();
	board_reply_done(&r);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct board_ws_url u;
	struct buf out;
	char *text;

	if (!size)
		return 0;
	read_frames((const char *)data + 1, size - 1, data[0] % 64 + 1u);
	read_reply((const char *)data + 1, size - 1, data[0] % 64 + 1u);
	buf_init(&out, 1 << 20);
	http_unchunk((const char *)data, size, &out);
	buf_done(&out);
	text = mem_strndup((const char *)data, size);
	if (!board_ws_url_parse(&u, text, NULL)) {
		if (!u.host || !*u.path || !u.port)
			abort();
		board_ws_url_done(&u);
	}
	mem_free(text);
	return 0;
}
