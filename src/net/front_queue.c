/* SPDX-License-Identifier: MIT */
/*
 * HTTP requests that the daemon has no place for: it would drop them. They
 * wait outside, their heads unread, for the end of another connection; who is
 * known before strangers.
 */
#include "net/front_private.h"

static bool is_full(const struct front *f)
{
	return f->http_connections + f->called >= f->config.connections_max;
}

static bool is_known(const struct visitor *v)
{
	return v->standing != FRONT_STRANGER;
}

/* Behind all; one that is known, behind those only. */
static void put_in(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor **link = &f->queue_first;

	if (!is_known(v) && f->queue_last)
		link = &f->queue_last->next_queued;
	while (*link && is_known(*link))
		link = &(*link)->next_queued;
	v->next_queued = *link;
	*link = v;
	if (!v->next_queued)
		f->queue_last = v;
	v->queued = true;
	f->queued++;
}

bool visitor_may_enter(struct visitor *v)
{
	struct front *f = v->front;

	if (v->called || !is_full(f))
		return true;
	put_in(v);
	visitor_unwatch(v);
	front_press(f, is_known(v));
	return false;
}

static void take_out(struct visitor *v)
{
	struct front *f = v->front;
	struct visitor *before = NULL;

	/* Nearly always the first. */
	for (struct visitor *at = f->queue_first; at != v; at = at->next_queued)
		before = at;
	if (before)
		before->next_queued = v->next_queued;
	else
		f->queue_first = v->next_queued;
	if (f->queue_last == v)
		f->queue_last = before;
	v->next_queued = NULL;
	v->queued = false;
	f->queued--;
}

void visitor_unqueue(struct visitor *v)
{
	if (v->queued)
		take_out(v);
	if (v->called)
		v->front->called--;
	v->called = false;
}

/*
 * Amid an event of the daemon: so the head is looked at in another turn of
 * the loop. Until then the place is kept, or who came later would take it.
 */
void front_dequeue(struct front *f)
{
	struct visitor *v;

	while ((v = f->queue_first) && !is_full(f)) {
		take_out(v);
		v->called = true;
		f->called++;
		if (!visitor_await(v))
			visitor_close(v);
	}
}
