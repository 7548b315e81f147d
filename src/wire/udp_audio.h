/* SPDX-License-Identifier: MIT */
/*
 * The UDP audio of MQTT devices (device.md 2.4): header and sequence rules.
 * Pure; the cipher is net/mqtt.h's.
 */
#ifndef WIRE_UDP_AUDIO_H
#define WIRE_UDP_AUDIO_H

#include "base/buf.h"
#include "base/error.h"

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
