/* SPDX-License-Identifier: MIT */
/*
 * What is said to a board: packets of one length, for its decoder, one behind
 * the other.
 */
#ifndef NET_SPEECH_H
#define NET_SPEECH_H

#include "base/buf.h"

#define SPEECH_MS_MAX 600000 /* ten minutes */

enum speech_origin {
	SPEECH_AS_IT_WAS, /* the packets of an Ogg file */
	SPEECH_JOINED, /* several of them in one, not encoded anew */
	SPEECH_ENCODED
};
struct speech {
	struct buf bytes; /* see speech_next */
	size_t count;
	int frame_ms; /* of each packet */
	enum speech_origin origin;
	uint64_t
		holes; /* where the file's own pages say that something is missing */
};
#define SPEECH_PACKET_MAX 1400 /* bytes: with its head a datagram */
/* The packet at *at, which is 0 at first: lent. False: that was the last. */
bool speech_next(const struct speech *s, size_t *at,
		 const unsigned char **packet, size_t *len);
/* One more packet behind those. */
void speech_add(struct speech *s, const void *packet, size_t len);
void speech_done(struct speech *s);

#endif
