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

/*
 * How long an Opus packet sounds, in microseconds, as its first two bytes tell
 * (RFC 6716, 3.1 and 3.2); 0: it is none.
 */
int opus_length_us(const void *packet, size_t len);

#define UDP_AUDIO_HEAD 16

/* What a server offers in its hello; all text is NUL-terminated. */
struct udp_offer {
	char server[256];
	uint16_t port; /* 0: no audio is offered, yet a port must be named */
	char key[33], nonce[33]; /* 32 hex digits, lower case */
};

struct udp_audio_head {
	unsigned type, flags;
	uint16_t length;
	uint32_t ssrc, timestamp, sequence;
};

/* -1 (ERR_PROTOCOL): shorter than the head, type not 1, empty, or size is not 16 + length. */
int udp_audio_decode(struct udp_audio_head *out, const void *data, size_t size,
		     struct error *err);
/* The 16 bytes as they are sent; they are the cipher's first counter too. */
void udp_audio_encode(unsigned char out[UDP_AUDIO_HEAD],
		      const struct udp_audio_head *h);

/* 32 hex digits into 16 bytes; false if they are none. */
bool hex_decode_16(unsigned char out[16], const char *text);
void hex_encode_16(char out[33], const unsigned char bytes[16]);

#endif
