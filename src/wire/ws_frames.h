/* SPDX-License-Identifier: MIT */
/*
 * Frames of WebSocket (RFC 6455, 5.2), read beside a stream that somebody else
 * relays: where one begins and ends, what the message is, and no opinion of it.
 * Pure.
 */
#ifndef WIRE_WS_FRAMES_H
#define WIRE_WS_FRAMES_H

#include "base/buf.h"

#define WS_HEAD_MAX 14
#define WS_CONTROL_MAX 125

enum ws_opcode {
	WS_CONTINUES = 0,
	WS_TEXT = 1,
	WS_BINARY = 2,
	WS_CLOSE = 8,
	WS_PING = 9,
	WS_PONG = 10
};

struct ws_head {
	bool fin, masked;
	unsigned char reserved; /* RSV1 to RSV3, as in the first byte */
	unsigned char opcode;
	unsigned char mask[4];
	uint64_t length; /* of the payload */
	size_t size; /* of the head */
};

/* Its size; 0: more bytes are needed; -1: no frame can begin so. */
int ws_head_read(struct ws_head *h, const void *data, size_t len);
/* As short as can be; size is not looked at. Returns its size. */
size_t ws_head_write(const struct ws_head *h, unsigned char out[WS_HEAD_MAX]);
/* The payload from its byte `at` on, masked or unmasked in place. */
void ws_mask(char *data, size_t len, const unsigned char mask[4], uint64_t at);
/* One whole frame, appended; mask NULL: without. */
void ws_frame(struct buf *out, enum ws_opcode opcode,
	      const unsigned char mask[4], const void *data, size_t len);

enum ws_what {
	WS_MORE, /* all is read; the frame goes on */
	WS_MESSAGE, /* a text or binary message is whole */
	WS_CONTROL, /* a Ping, Pong or Close is whole */
	WS_BROKEN /* no frames: nothing is read any more */
};

/* One direction. */
struct ws_reader {
	size_t keep, keep_binary; /* bytes of a message that are kept */
	unsigned char head[WS_HEAD_MAX];
	size_t head_len;
	struct ws_head frame; /* the one that is read */
	bool in_frame, broken;
	uint64_t seen; /* of its payload */
	/* the message that is open */
	bool open;
	unsigned char opcode;
	bool masked;
	unsigned char mask[4]; /* of its first frame */
	uint64_t size;
	unsigned frames;
	struct buf kept; /* unmasked, as far as it is kept */
	unsigned char control[WS_CONTROL_MAX]; /* unmasked */
};

struct ws_item { /* lent until the next call */
	enum ws_opcode opcode;
	const char *data; /* as far as it is kept */
	size_t len;
	uint64_t size; /* of the whole */
	unsigned frames; /* of which it consists */
	bool masked;
	unsigned char mask[4];
	int code; /* of a Close; 0: none */
};

/*
 * Reads on, at most to the end of one frame: *data and *len are moved behind
 * what was read. item is filled where something is whole.
 */
enum ws_what ws_read(struct ws_reader *r, const char **data, size_t *len,
		     struct ws_item *item);
/* A text message is open, or a frame whose kind is not known yet. */
bool ws_in_text(const struct ws_reader *r);
void ws_reader_done(struct ws_reader *r);

#endif
