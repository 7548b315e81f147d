/* SPDX-License-Identifier: MIT */
/*
 * Headers of audio packets, of WebSocket and of UDP (device.md 1.7, 2.3, 2.4).
 * Opus itself is not looked into.
 */
#include <assert.h>

#include "wire/audio.h"

/*
 * Headers of binary frames (device.md 1.7), all integers big-endian. Opus
 * itself is not looked into.
 */

enum { HEADER_2 = 16, HEADER_3 = 4, PAYLOAD_MAX = 65535 - HEADER_2 };

static uint32_t read_u16(const unsigned char *at)
{
	return (uint32_t)at[0] << 8 | at[1];
}

static uint32_t read_u32(const unsigned char *at)
{
	return read_u16(at) << 16 | read_u16(at + 2);
}

static void add_u16(struct buf *out, uint32_t value)
{
	buf_char(out, (char)(value >> 8 & 0xFF));
	buf_char(out, (char)(value & 0xFF));
}

static void add_u32(struct buf *out, uint32_t value)
{
	add_u16(out, value >> 16);
	add_u16(out, value & 0xFFFF);
}

static int too_short(int version, size_t len, size_t header, struct error *err)
{
	return error_set(
		err, ERR_PROTOCOL,
		"binary frame of %zu bytes: version %d has a header of %zu",
		len, version, header);
}

/*
 * A shorter payload than the frame has room for is let pass; a longer one would
 * be read beyond it.
 */
static int set_payload(struct audio_frame *out, const unsigned char *at,
		       size_t claimed, size_t there, struct error *err)
{
	if (claimed > there)
		return error_set(
			err, ERR_PROTOCOL,
			"binary frame claims a payload of %zu bytes and has %zu",
			claimed, there);
	out->payload = at;
	out->len = claimed;
	return 0;
}

static int decode_2(struct audio_frame *out, const unsigned char *data,
		    size_t len, struct error *err)
{
	if (len < HEADER_2)
		return too_short(2, len, HEADER_2, err);
	if (read_u16(data) != 2)
		return error_set(
			err, ERR_PROTOCOL,
			"binary frame says version %u where the hello said 2",
			(unsigned)read_u16(data));
	out->type = read_u16(data + 2);
	out->timestamp = read_u32(data + 8);
	return set_payload(out, data + HEADER_2, read_u32(data + 12),
			   len - HEADER_2, err);
}

static int decode_3(struct audio_frame *out, const unsigned char *data,
		    size_t len, struct error *err)
{
	if (len < HEADER_3)
		return too_short(3, len, HEADER_3, err);
	out->type = data[0];
	return set_payload(out, data + HEADER_3, read_u16(data + 2),
			   len - HEADER_3, err);
}

int audio_decode(struct audio_frame *out, int version, const void *data,
		 size_t len, struct error *err)
{
	*out = (struct audio_frame){ .version = version };
	if (version == 2)
		return decode_2(out, data, len, err);
	if (version == 3)
		return decode_3(out, data, len, err);
	return set_payload(out, data, len, len, err);
}

void audio_encode(struct buf *out, int version, uint32_t timestamp,
		  const void *payload, size_t len)
{
	assert(len <= PAYLOAD_MAX);
	if (version == 2) {
		add_u16(out, 2);
		add_u16(out, 0);
		add_u32(out, 0);
		add_u32(out, timestamp);
		add_u32(out, (uint32_t)len);
	} else if (version == 3) {
		add_u16(out, 0);
		add_u16(out, (uint32_t)len);
	}
	buf_add(out, payload, len);
}

/* SILK, hybrid, CELT: by the configuration of the packet. */
static int opus_frame_us(unsigned config)
{
	static const int silk[] = { 10000, 20000, 40000, 60000 };
	static const int celt[] = { 2500, 5000, 10000, 20000 };

	if (config < 12)
		return silk[config & 3];
	return config < 16 ? silk[config & 1] : celt[config & 3];
}

int opus_length_us(const void *packet, size_t len)
{
	const unsigned char *p = packet;
	int frames, us;

	if (len < 1 || ((p[0] & 3) == 3 && len < 2))
		return 0;
	frames = (p[0] & 3) == 0 ? 1 : (p[0] & 3) == 3 ? p[1] & 63 : 2;
	us = frames * opus_frame_us(p[0] >> 3);
	return us > 120000 ? 0 : us;
}

/*
 * The head of a UDP audio packet, and 16 bytes as hex digits (device.md 2.3,
 * 2.4). All numbers are big-endian.
 */

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
		return error_set(
			err, ERR_PROTOCOL,
			"audio packet: %zu bytes, and the head alone has %d",
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
		return error_set(
			err, ERR_PROTOCOL,
			"audio packet: its head tells %u bytes of audio, and %zu came",
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
