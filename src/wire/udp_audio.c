/* SPDX-License-Identifier: MIT */
/*
 * The head of a UDP audio packet, and 16 bytes as hex digits (device.md 2.3,
 * 2.4). All numbers are big-endian.
 */
#include "wire/udp_audio.h"

#define TYPE_AUDIO 1

static uint32_t get_32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 |
	       (uint32_t)p[2] << 8 | p[3];
}

static void put_32(unsigned char *p, uint32_t value)
{
	p[0] = (unsigned char)(value >> 24);
	p[1] = (unsigned char)(value >> 16);
	p[2] = (unsigned char)(value >> 8);
	p[3] = (unsigned char)value;
}

int udp_audio_decode(struct udp_audio_head *out, const void *data, size_t size,
		     struct error *err)
{
	const unsigned char *p = data;

	*out = (struct udp_audio_head){ 0 };
	if (size < UDP_AUDIO_HEAD)
		return error_set(err, ERR_PROTOCOL,
				 "audio packet: %zu bytes, and the head alone "
				 "has %d",
				 size, UDP_AUDIO_HEAD);
	out->type = p[0];
	out->flags = p[1];
	out->length = (uint16_t)(p[2] << 8 | p[3]);
	out->ssrc = get_32(p + 4);
	out->timestamp = get_32(p + 8);
	out->sequence = get_32(p + 12);
	if (out->type != TYPE_AUDIO)
		return error_set(err, ERR_PROTOCOL,
				 "audio packet: type %u, and 1 is audio",
				 out->type);
	if (out->length == 0)
		return error_set(err, ERR_PROTOCOL,
				 "audio packet: it is empty");
	if (size != UDP_AUDIO_HEAD + (size_t)out->length)
		return error_set(err, ERR_PROTOCOL,
				 "audio packet: its head tells %u bytes of "
				 "audio, and %zu came",
				 (unsigned)out->length, size - UDP_AUDIO_HEAD);
	return 0;
}

void udp_audio_encode(unsigned char out[UDP_AUDIO_HEAD],
		      const struct udp_audio_head *h)
{
	out[0] = (unsigned char)h->type;
	out[1] = (unsigned char)h->flags;
	out[2] = (unsigned char)(h->length >> 8);
	out[3] = (unsigned char)h->length;
	put_32(out + 4, h->ssrc);
	put_32(out + 8, h->timestamp);
	put_32(out + 12, h->sequence);
}

static int hex_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

bool hex_decode_16(unsigned char out[16], const char *text)
{
	unsigned char bytes[16];

	for (size_t i = 0; i < sizeof(bytes); i++) {
		int high = hex_value(text[2 * i]);
		int low = high < 0 ? -1 : hex_value(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (unsigned char)(high << 4 | low);
	}
	if (text[32])
		return false;
	for (size_t i = 0; i < sizeof(bytes); i++)
		out[i] = bytes[i];
	return true;
}

void hex_encode_16(char out[33], const unsigned char bytes[16])
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < 16; i++) {
		out[2 * i] = digits[bytes[i] >> 4];
		out[2 * i + 1] = digits[bytes[i] & 15];
	}
	out[32] = '\0';
}
