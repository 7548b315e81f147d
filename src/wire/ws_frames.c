/* SPDX-License-Identifier: MIT */
/* RFC 6455, 5.2: heads, masks, messages of several frames. */
#include "wire/ws_frames.h"

#include <string.h>

#define IS_CONTROL(opcode) ((opcode) >= WS_CLOSE)

static uint64_t big_endian(const unsigned char *at, size_t bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static bool is_known(unsigned opcode)
{
	return opcode <= WS_BINARY || (opcode >= WS_CLOSE && opcode <= WS_PONG);
}

int ws_head_read(struct ws_head *h, const void *data, size_t len)
{
	const unsigned char *at = data;
	size_t extra, mask;

	if (len < 2)
		return 0;
	*h = (struct ws_head){ .fin = at[0] & 0x80,
			       .reserved = at[0] & 0x70,
			       .opcode = at[0] & 0x0f,
			       .masked = at[1] & 0x80,
			       .length = at[1] & 0x7f };
	if (!is_known(h->opcode) ||
	    (IS_CONTROL(h->opcode) && (!h->fin || h->length > WS_CONTROL_MAX)))
		return -1;
	extra = h->length == 126 ? 2 : h->length == 127 ? 8 : 0;
	mask = h->masked ? 4 : 0;
	h->size = 2 + extra + mask;
	if (len < h->size)
		return 0;
	if (extra)
		h->length = big_endian(at + 2, extra);
	memcpy(h->mask, at + 2 + extra, mask);
	return h->length > INT64_MAX ? -1 : (int)h->size;
}

size_t ws_head_write(const struct ws_head *h, unsigned char out[WS_HEAD_MAX])
{
	size_t extra = h->length > 0xffff ? 8 : h->length > 125 ? 2 : 0;
	unsigned first = extra == 8 ? 127 : extra ? 126 : (unsigned)h->length;

	out[0] = (unsigned char)((h->fin ? 0x80 : 0) | h->reserved | h->opcode);
	out[1] = (unsigned char)((h->masked ? 0x80 : 0) | first);
	for (size_t i = 0; i < extra; i++)
		out[2 + i] = (unsigned char)(h->length >> 8 * (extra - 1 - i));
	if (h->masked)
		memcpy(out + 2 + extra, h->mask, 4);
	return 2 + extra + (h->masked ? 4 : 0);
}

void ws_mask(char *data, size_t len, const unsigned char mask[4], uint64_t at)
{
	for (size_t i = 0; i < len; i++)
		data[i] = (char)(data[i] ^ mask[(at + i) & 3]);
}

void ws_frame(struct buf *out, enum ws_opcode opcode,
	      const unsigned char mask[4], const void *data, size_t len)
{
	struct ws_head h = { .fin = true,
			     .opcode = (unsigned char)opcode,
			     .masked = mask != NULL,
			     .length = len };
	unsigned char head[WS_HEAD_MAX];
	size_t from, size;

	if (mask)
		memcpy(h.mask, mask, 4);
	size = ws_head_write(&h, head);
	buf_add(out, head, size);
	from = out->len;
	if (!buf_add(out, data, len) && mask)
		ws_mask(out->data + from, len, mask, 0);
}

/* ---- one direction ---- */

static bool begins_wrong(const struct ws_reader *r)
{
	bool goes_on = r->frame.opcode == WS_CONTINUES;

	return r->frame.reserved ||
	       (!IS_CONTROL(r->frame.opcode) && goes_on != r->open);
}

static void begin_frame(struct ws_reader *r)
{
	r->in_frame = true;
	r->seen = 0;
	if (IS_CONTROL(r->frame.opcode))
		return;
	if (!r->open) {
		r->open = true;
		r->opcode = r->frame.opcode;
		r->masked = r->frame.masked;
		memcpy(r->mask, r->frame.mask, 4);
		r->size = 0;
		r->frames = 0;
		buf_reset(&r->kept);
	}
	r->frames++;
}

/* False: more bytes are needed, or it is broken. */
static bool take_head(struct ws_reader *r, const char **data, size_t *len)
{
	int size = 0;

	while (*len > 0 && size == 0) {
		r->head[r->head_len++] = (unsigned char)*(*data)++;
		--*len;
		size = ws_head_read(&r->frame, r->head, r->head_len);
	}
	if (size == 0)
		return false;
	r->head_len = 0;
	r->broken = size < 0 || begins_wrong(r);
	if (!r->broken)
		begin_frame(r);
	return !r->broken;
}

static void keep(struct ws_reader *r, const char *data, size_t len)
{
	size_t max = r->opcode == WS_TEXT ? r->keep : r->keep_binary;
	size_t room = max > r->kept.len ? max - r->kept.len : 0;
	size_t from = r->kept.len;

	r->size += len;
	if (len > room)
		len = room;
	buf_add(&r->kept, data, len);
	if (r->frame.masked && len)
		ws_mask(r->kept.data + from, len, r->frame.mask, r->seen);
}

static void keep_control(struct ws_reader *r, const char *data, size_t len)
{
	memcpy(r->control + r->seen, data, len);
	if (r->frame.masked)
		ws_mask((char *)r->control + r->seen, len, r->frame.mask,
			r->seen);
}

static void take_payload(struct ws_reader *r, const char **data, size_t *len)
{
	uint64_t left = r->frame.length - r->seen;
	size_t piece = left < *len ? (size_t)left : *len;

	if (IS_CONTROL(r->frame.opcode))
		keep_control(r, *data, piece);
	else
		keep(r, *data, piece);
	r->seen += piece;
	*data += piece;
	*len -= piece;
}

static enum ws_what end_control(const struct ws_reader *r, struct ws_item *item)
{
	*item = (struct ws_item){ .opcode = r->frame.opcode,
				  .data = (const char *)r->control,
				  .len = (size_t)r->frame.length,
				  .size = r->frame.length,
				  .frames = 1,
				  .masked = r->frame.masked };
	memcpy(item->mask, r->frame.mask, 4);
	if (item->opcode == WS_CLOSE && item->len >= 2)
		item->code = (int)big_endian(r->control, 2);
	return WS_CONTROL;
}

static enum ws_what end_message(struct ws_reader *r, struct ws_item *item)
{
	r->open = false;
	*item = (struct ws_item){ .opcode = r->opcode,
				  .data = buf_string(&r->kept),
				  .len = r->kept.len,
				  .size = r->size,
				  .frames = r->frames,
				  .masked = r->masked };
	memcpy(item->mask, r->mask, 4);
	return WS_MESSAGE;
}

enum ws_what ws_read(struct ws_reader *r, const char **data, size_t *len,
		     struct ws_item *item)
{
	if (r->broken)
		return WS_BROKEN;
	if (!r->in_frame && !take_head(r, data, len))
		return r->broken ? WS_BROKEN : WS_MORE;
	take_payload(r, data, len);
	if (r->seen < r->frame.length)
		return WS_MORE;
	r->in_frame = false;
	if (IS_CONTROL(r->frame.opcode))
		return end_control(r, item);
	/* The end of a frame that is not the last one: nothing is whole. */
	return r->frame.fin ? end_message(r, item) : WS_MORE;
}

bool ws_in_text(const struct ws_reader *r)
{
	return r->head_len > 0 || (r->open && r->opcode == WS_TEXT);
}

void ws_reader_done(struct ws_reader *r)
{
	buf_done(&r->kept);
	*r = (struct ws_reader){ 0 };
}
