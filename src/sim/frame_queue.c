/* SPDX-License-Identifier: MIT */
/* A list of frames; who takes them, and when, is its owners' matter. */
#include "sim/frame_queue.h"

#include <string.h>

#include "base/mem.h"
#include "net/transport.h"

int frame_queue_add(struct frame_queue *q, const char *text, size_t len,
		    struct error *err)
{
	struct frame *f;

	if (len > TRANSPORT_QUEUE_MAX - q->bytes)
		return error_set(err, ERR_CONNECT,
				 "cannot send: more than %u bytes are waiting",
				 TRANSPORT_QUEUE_MAX);
	f = mem_alloc(sizeof(*f) + len);
	f->next = NULL;
	f->len = len;
	memcpy(f->text, text, len);
	if (q->last)
		q->last->next = f;
	else
		q->first = f;
	q->last = f;
	q->bytes += len;
	return 0;
}

struct frame *frame_queue_take(struct frame_queue *q)
{
	struct frame *f = q->first;

	if (!f)
		return NULL;
	q->first = f->next;
	if (!q->first)
		q->last = NULL;
	q->bytes -= f->len;
	return f;
}

void frame_queue_done(struct frame_queue *q)
{
	struct frame *f;

	while ((f = frame_queue_take(q)) != NULL)
		mem_free(f);
}
