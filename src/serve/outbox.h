/* SPDX-License-Identifier: MIT */
/*
 * What waits to be written to one attached command: whole frames, shared by
 * all that get the same one, bounded. What may be left out is dropped at the
 * end of a long queue and counted; everything else stays.
 */
#ifndef SERVE_OUTBOX_H
#define SERVE_OUTBOX_H

#include "wire/control_frames.h"

#define OUTBOX_MAX (32u << 20) /* bytes that may wait */
#define OUTBOX_LONG \
	(4u << 20) /* from here on nothing is added that may be lost */

/* Frames as they go over the socket, ready to be shared. */
struct packet;

/* One frame, at most CONTROL_FRAME_MAX long; yours. */
struct packet *packet_new(enum control_kind kind, const void *data, size_t len);
/* Frames that are encoded already: takes what is in b. */
struct packet *packet_take(struct buf *b);
void packet_release(struct packet *p); /* NULL is fine */

struct outbox { /* starts zeroed */
	struct packet **item; /* a ring */
	size_t first, count, capacity;
	size_t written; /* of the first */
	size_t bytes; /* that wait, with what keeping them costs */
	uint64_t lost; /* since the last frame that was added */
};

void outbox_done(struct outbox *o);

/* Holds the packet once more. -1: more than OUTBOX_MAX would wait. */
int outbox_add(struct outbox *o, struct packet *p);

/* The same for what may be lost: dropped if more than OUTBOX_LONG waits. */
void outbox_offer(struct outbox *o, struct packet *p);

/* To a socket that does not block. -1: the other end is gone. */
int outbox_write(struct outbox *o, int fd);

#endif
