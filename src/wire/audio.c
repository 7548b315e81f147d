/* SPDX-License-Identifier: MIT */
/*
 * Headers of binary frames (device.md 1.7), all integers big-endian. Opus
 * itself is not looked into.
 */
#include "wire/audio.h"

#include <assert.h>

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
	return error_set(err, ERR_PROTOCOL,
			 "binary frame of %zu bytes: version %d has a header "
			 "of %zu",
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
		return error_set(err, ERR_PROTOCOL,
				 "binary frame claims a payload of %zu bytes "
				 "and has %zu",
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
		return error_set(err, ERR_PROTOCOL,
				 "binary frame says version %u where the hello "
				 "said 2",
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
