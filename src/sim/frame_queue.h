/* SPDX-License-Identifier: MIT */
/*
 * Text frames that wait for a turn of the loop inside this process, bounded as
 * a transport's queue is.
 */
#ifndef SIM_FRAME_QUEUE_H
#define SIM_FRAME_QUEUE_H

#include "base/error.h"

struct frame {
	struct frame *next;
	size_t len;
	char text[];
};

struct frame_queue { /* zeroed at first */
	struct frame *first, *last;
	size_t bytes;
};

/* Copies. -1 (ERR_CONNECT): TRANSPORT_QUEUE_MAX bytes would be passed. */
int frame_queue_add(struct frame_queue *q, const char *text, size_t len,
		    struct error *err);
/* The first one, yours (mem_free); NULL: there is none. */
struct frame *frame_queue_take(struct frame_queue *q);
void frame_queue_done(struct frame_queue *q);

#endif
