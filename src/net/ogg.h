/* SPDX-License-Identifier: MIT */
/*
 * Opus packets as a file: Ogg Opus (RFC 3533, RFC 7845), written as the packets
 * are, without looking at their sound. Bytes in and out, no file is opened. A
 * loaded part, for libogg and libopus: module_table("audio", OGG_TABLE, err).
 */
#ifndef NET_OGG_H
#define NET_OGG_H

#include "base/error.h"
#include "net/speech.h"

#define OGG_TABLE "ogg_table"
#define OPUS_RATE 48000 /* samples are counted at this rate, always */

struct ogg_head {
	uint32_t serial; /* of the stream in the file */
	uint32_t rate; /* Hz of what was recorded; told to players, no more */
	unsigned channels; /* 1 or 2 */
	unsigned skip; /* samples that a player drops at the start */
};

struct opus_facts {
	int samples; /* in all its frames, at OPUS_RATE */
	int frames; /* 1 to 48 */
	unsigned char toc; /* RFC 6716, 3.1 */
};

struct ogg_writer;

struct ogg_table {
	size_t size; /* of this struct */
	/* False: it is no Opus packet (empty, longer than its frames, over 120 ms). */
	bool (*packet)(struct opus_facts *out, const void *data, size_t len);
	/* The pages of the head are added to out. */
	struct ogg_writer *(*begin)(const struct ogg_head *head,
				    struct buf *out);
	/*
	 * A packet of so many samples; a page is added to out about once a second
	 * of sound. The newest packet waits inside, since the last page is marked.
	 */
	void (*add)(struct ogg_writer *w, const void *data, size_t len,
		    int samples, struct buf *out);
	/* The rest, whose last page ends the stream; w is gone. */
	void (*end)(struct ogg_writer *w, struct buf *out);
	/*
	 * A whole file, Ogg Opus or WAV, as packets of frame_ms (a length that
	 * Opus has). -1 (ERR_USAGE): neither, broken, a sample rate that Opus has
	 * not (8, 12, 16, 24, 48 kHz), longer than SPEECH_MS_MAX.
	 */
	int (*speech)(struct speech *out, const void *file, size_t len,
		      int frame_ms, struct error *err);
};

/* Exported by the module. */
extern const struct ogg_table ogg_table;

#endif
