/* SPDX-License-Identifier: MIT */
/* What the files of this module share. */
#ifndef NET_OGG_PRIVATE_H
#define NET_OGG_PRIVATE_H

#include <ogg/ogg.h>
#include <opus/opus.h>

#include "net/ogg.h"

/* ogg_read.c: the table's packet. */
bool ogg_facts(struct opus_facts *out, const void *data, size_t len);
/* ogg_speech.c: the table's speech. */
int ogg_speech(struct speech *out, const void *file, size_t len, int frame_ms,
	       struct error *err);

/* ogg_read.c: the packets of the first Opus stream of a file. */
struct ogg_read {
	struct speech
		packets; /* frame_ms: the last may be shorter; 0: they differ */
	unsigned skip; /* samples at OPUS_RATE that are not to be heard */
};
/* -1 (ERR_USAGE): no Ogg, no Opus in it, a packet that is none, too long. */
int ogg_read(struct ogg_read *out, const void *file, size_t len,
	     struct error *err);
/* One more packet behind those. */
void speech_add(struct speech *s, const void *packet, size_t len);

#endif
