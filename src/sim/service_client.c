/* SPDX-License-Identifier: MIT */
/*
 * Clients of a service, and their questions from being begun to being dropped.
 */
#include "sim/service_client.h"

#include "base/mem.h"
#include "sim/service_call.h"
#include "sim/service_reply.h"
#include "sim/service_watch.h"

/* ---- clients ---- */

struct service_client *service_client_new(struct service *s)
{
	struct service_client *c = mem_zalloc(sizeof(*c));

	c->service = s;
	c->log_rank = 1;
	c->next = s->clients;
	if (c->next)
		c->next->previous = c;
	s->clients = c;
	return c;
}

void service_client_free(struct service_client *c)
{
	if (!c)
		return;
	if (c->service->tasks_leave)
		c->service->tasks_leave(c);
	while (c->first)
		service_abandon(c->first);
	if (c->previous)
		c->previous->next = c->next;
	else
		c->service->clients = c->next;
	if (c->next)
		c->next->previous = c->previous;
	words_done(&c->uris);
	mem_free(c);
}

void service_client_reach(struct service_client *c, mcp_tell *tell, void *owner)
{
	c->tell = tell;
	c->tell_owner = owner;
}

bool service_client_is_initialized(const struct service_client *c)
{
	return c->revision != NULL;
}

const char *service_client_revision(const struct service_client *c)
{
	return c->revision;
}

/* ---- questions ---- */

void service_question_parts(struct service_question *q, size_t count)
{
	q->part = mem_zalloc(count * sizeof(*q->part));
	q->count = count;
	for (size_t i = 0; i < count; i++) {
		q->part[i].question = q;
		buf_init(&q->part[i].reply, 0);
	}
}

static void link_question(struct service_question *q)
{
	struct service_client *c = q->client;

	q->next = c->first;
	if (q->next)
		q->next->previous = q;
	c->first = q;
}

void service_abandon(struct service_question *q)
{
	for (size_t i = 0; i < q->count; i++) {
		service_call_drop(q->part[i].call);
		service_feed_drop(q->part + i);
	}
	service_question_free(q);
}

static struct service_question *question_new(struct service_client *c,
					     void *owner)
{
	struct service_question *q = mem_zalloc(sizeof(*q));

	q->client = c;
	q->owner = owner;
	q->hearer = &q->own;
	return q;
}

struct service_question *service_question_begin(struct service_client *c,
						const struct mcp_hearer *h,
						void *owner)
{
	struct service_question *q = question_new(c, owner);

	if (h)
		q->hearer = h;
	q->asking = true;
	return q;
}

struct service_question *service_question_asked(struct service_question *q)
{
	q->asking = false;
	if (q->open) {
		link_question(q);
		return q;
	}
	service_question_over(q);
	return NULL;
}
