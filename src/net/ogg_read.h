/* SPDX-License-Identifier: MIT */
/* A file of Ogg Opus (RFC 7845), read: the packets of its first stream of Opus. */
#ifndef NET_OGG_READ_H
#define NET_OGG_READ_H

#include "base/error.h"
#include "net/ogg.h"

struct ogg_read {
	struct speech
		packets; /* frame_ms: the last may be shorter; 0: they differ */
	unsigned skip; /* samples at OPUS_RATE that are not to be heard */
};
/* -1 (ERR_USAGE): no Ogg, no Opus in it, a packet that is none, too long. */
int ogg_read(struct ogg_read *out, const void *file, size_t len,
	     struct error *err);
/* The table's packet. */
bool ogg_facts(struct opus_facts *out, const void *data, size_t len);

#endif
