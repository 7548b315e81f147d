/* SPDX-License-Identifier: MIT */
/*
 * The head of a WAV file (RIFF, WAVE_FORMAT_PCM): what it holds, and where its
 * samples stand. Pure.
 */
#ifndef WIRE_WAV_H
#define WIRE_WAV_H

#include "base/error.h"

struct wav {
	unsigned channels; /* 1 or 2 */
	uint32_t rate; /* Hz */
	const unsigned char *samples; /* lent; 16 bits each, little-endian */
	size_t frames; /* samples of each channel */
};

/*
 * -1 (ERR_USAGE): no WAV file, cut before its samples, another coding than PCM
 * of 16 bits, more channels, no samples. A length that goes beyond the file, as
 * programs write that stream, ends with it.
 */
int wav_read(struct wav *out, const void *data, size_t len, struct error *err);

#endif
