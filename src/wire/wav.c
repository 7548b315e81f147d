/* SPDX-License-Identifier: MIT */
/* Chunks of a RIFF file: a name, a length, its bytes, one more if that is odd. */
#include "wire/wav.h"

#include <string.h>

enum { RIFF_HEAD = 12, CHUNK_HEAD = 8, FORMAT_MIN = 16, FORMAT_LONG = 26 };
enum { CODING_PCM = 1, CODING_EXTENSIBLE = 0xFFFE };

static unsigned read_u16(const unsigned char *at)
{
	return (unsigned)at[1] << 8 | at[0];
}

static uint32_t read_u32(const unsigned char *at)
{
	return (uint32_t)read_u16(at + 2) << 16 | read_u16(at);
}

struct chunk {
	const unsigned char *at;
	size_t len;
};

/* False: there is none of that name, or its head is not whole. */
static bool find_chunk(struct chunk *out, const char *name,
		       const unsigned char *data, size_t len)
{
	size_t at = RIFF_HEAD;

	while (len - at >= CHUNK_HEAD) {
		size_t told = read_u32(data + at + 4);
		size_t there = len - at - CHUNK_HEAD;

		out->at = data + at + CHUNK_HEAD;
		out->len = told < there ? told : there;
		if (memcmp(data + at, name, 4) == 0)
			return true;
		if (told >= there)
			return false;
		at += CHUNK_HEAD + told + told % 2;
		if (at > len)
			return false;
	}
	return false;
}

/* What stands for the coding itself where there may be more than two channels. */
static unsigned coding_of(const struct chunk *c)
{
	unsigned coding = read_u16(c->at);

	if (coding == CODING_EXTENSIBLE && c->len >= FORMAT_LONG)
		return read_u16(c->at + 24);
	return coding;
}

static int read_format(struct wav *out, const struct chunk *c,
		       struct error *err)
{
	unsigned bits;

	if (c->len < FORMAT_MIN)
		return error_set(
			err, ERR_USAGE,
			"its 'fmt ' has %zu bytes, and %d are the least",
			c->len, FORMAT_MIN);
	bits = read_u16(c->at + 14);
	out->channels = read_u16(c->at + 2);
	out->rate = read_u32(c->at + 4);
	if (coding_of(c) != CODING_PCM || bits != 16)
		return error_set(
			err, ERR_USAGE,
			"it has coding %u with %u bits, and PCM with 16 is read",
			coding_of(c), bits);
	if (out->channels < 1 || out->channels > 2)
		return error_set(err, ERR_USAGE,
				 "it has %u channels, and 1 or 2 are read",
				 out->channels);
	return 0;
}

int wav_read(struct wav *out, const void *data, size_t len, struct error *err)
{
	const unsigned char *bytes = data;
	struct chunk format, samples;

	*out = (struct wav){ 0 };
	if (len < RIFF_HEAD || memcmp(bytes, "RIFF", 4) != 0 ||
	    memcmp(bytes + 8, "WAVE", 4) != 0)
		return error_set(err, ERR_USAGE, "it is no WAV file");
	if (!find_chunk(&format, "fmt ", bytes, len))
		return error_set(err, ERR_USAGE, "it has no 'fmt '");
	if (read_format(out, &format, err))
		return -1;
	if (!find_chunk(&samples, "data", bytes, len))
		return error_set(err, ERR_USAGE, "it has no 'data'");
	out->samples = samples.at;
	out->frames = samples.len / (out->channels == 2 ? 4 : 2);
	return out->frames ? 0 : error_set(err, ERR_USAGE, "it has no samples");
}
