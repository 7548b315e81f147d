/* SPDX-License-Identifier: MIT */
/*
 * What transfers have to tell, told from the loop and never from inside
 * libcurl. Opens no socket.
 */
#include "base/mem.h"
#include "net/http_curl.h"

static struct http_engine *engines;

/* ---- telling ---- */

void http_engine_stir(struct http_engine *e, struct http_transfer *t)
{
	if (t->waits)
		return;
	t->waits = true;
	t->next = NULL;
	if (e->last)
		e->last->next = t;
	else
		e->first = t;
	e->last = t;
	if (!e->telling)
		timer_start(&e->timer, 0);
}

void http_engine_forget(struct http_engine *e, struct http_transfer *t)
{
	struct http_transfer *before = NULL, *i = e->first;

	while (i && i != t) {
		before = i;
		i = i->next;
	}
	if (!i)
		return;
	if (before)
		before->next = t->next;
	else
		e->first = t->next;
	if (e->last == t)
		e->last = before;
	t->waits = false;
}

/* The owner may free the transfer: it is not touched behind a call. */
static void tell_one(struct http_engine *e, struct http_transfer *t)
{
	CLEANUP(buf_done) struct buf data = t->arrived;

	http_engine_forget(e, t);
	t->arrived = (struct buf){ 0 };
	if (t->finished && data.len)
		http_engine_stir(e, t);
	if (data.len)
		t->events->data(t->owner, data.data, data.len);
	else if (t->finished)
		t->events->done(t->owner);
	else if (t->events->head)
		t->events->head(t->owner);
}

/* ---- its life ---- */

static void on_closed(void *owner)
{
	mem_free(owner);
}

static void shut(struct http_engine *e)
{
	struct http_engine **at = &engines;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	curl_engine_close(e->curl);
	timer_close(&e->timer, on_closed);
}

void http_engine_tell(struct http_engine *e)
{
	if (e->telling)
		return;
	e->telling = true;
	while (e->first)
		tell_one(e, e->first);
	e->telling = false;
	timer_stop(&e->timer);
	if (!e->users)
		shut(e);
}

static void on_timer(void *owner)
{
	http_engine_tell(owner);
}

static struct http_engine *engine_new(struct loop *l, struct error *err)
{
	struct http_engine *e = mem_zalloc(sizeof(*e));

	e->loop = l;
	e->curl = curl_engine_new(e, err);
	if (!e->curl) {
		mem_free(e);
		return NULL;
	}
	timer_open(&e->timer, l, on_timer, e);
	e->next = engines;
	engines = e;
	return e;
}

struct http_engine *http_engine_take(struct loop *l, struct error *err)
{
	struct http_engine *e = engines;

	while (e && e->loop != l)
		e = e->next;
	if (!e)
		e = engine_new(l, err);
	if (e)
		e->users++;
	return e;
}

void http_engine_release(struct http_engine *e)
{
	if (--e->users == 0 && !e->telling)
		shut(e);
}
