/* SPDX-License-Identifier: MIT */
/*
 * Binary frames: versions 1, 2, 3 over WebSocket (device.md 1.7). Pure; the
 * payload is Opus and is not looked into.
 */
#ifndef WIRE_AUDIO_H
#define WIRE_AUDIO_H

#include "base/buf.h"
#include "base/error.h"

struct audio_frame {
	int version;
	unsigned type; /* 0 Opus, 1 JSON; version 1 has none: 0 */
	uint32_t timestamp; /* milliseconds; version 2 only, else 0 */
	const unsigned char *payload; /* lent, inside data */
	size_t len;
};

/*
 * -1 (ERR_PROTOCOL): shorter than its header, another version in the header, or
 * payload_size beyond the frame.
 */
int audio_decode(struct audio_frame *out, int version, const void *data,
		 size_t len, struct error *err);

/* A frame as the device sends it. len at most 65,535 - 16. */
void audio_encode(struct buf *out, int version, uint32_t timestamp,
		  const void *payload, size_t len);

#endif
