/* SPDX-License-Identifier: MIT */
/* Recorded, told, judged, counted: in this order, for each thing that passes. */
#include "proxy/talk.h"

#include <string.h>

#include "base/mem.h"
#include "diag/finding.h"

#define TALKS_MAX 10000

static int64_t now_us(const struct proxy *p)
{
	return p->options.writer ? capture_now(p->options.writer) :
				   loop_now_us() - p->began_us;
}

/* Into the capture, and to who shows it. */
static void put(struct talk *t, struct capture_event *e)
{
	struct proxy *p = t->proxy;

	e->at_us = now_us(p);
	e->conn = t->conn;
	e->leg = t->leg;
	if (!e->device)
		e->device = t->device;
	e->n = p->options.writer ? capture_write(p->options.writer, e) : 0;
	if (p->options.events->passed)
		p->options.events->passed(p->options.owner, t, e);
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct talk *t = owner;
	struct proxy *p = t->proxy;
	CLEANUP(buf_done) struct buf json = { 0 };
	struct capture_event e = { .kind = CAPTURED_FINDING };

	p->found->count[f->code]++;
	if (f->count == 1) {
		p->found->talks[f->code]++;
		finding_json(&json, f, t->device);
		e.data = (struct span){ buf_string(&json), json.len };
		e.size = json.len;
		put(t, &e);
	}
	if (p->options.events->found)
		p->options.events->found(p->options.owner, t, f, detail);
}

/* ---- here and gone ---- */

static void list(struct talk *t)
{
	struct proxy *p = t->proxy;

	t->previous = p->talks_last;
	if (p->talks_last)
		p->talks_last->next = t;
	else
		p->talks = t;
	p->talks_last = t;
	p->open_talks++;
	p->counts.talks++;
}

static void unlist(struct talk *t)
{
	struct proxy *p = t->proxy;

	if (t->previous)
		t->previous->next = t->next;
	else
		p->talks = t->next;
	if (t->next)
		t->next->previous = t->previous;
	else
		p->talks_last = t->previous;
	p->open_talks--;
}

struct talk *talk_open(struct proxy *p, const struct talk_head *h)
{
	size_t max = p->options.talks_max ? p->options.talks_max : TALKS_MAX;
	struct capture_event e = { .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE,
				   .head = h->head };
	struct talk *t;

	if (p->open_talks >= max)
		return NULL;
	t = mem_zalloc(sizeof(*t));
	t->proxy = p;
	t->leg = h->leg;
	t->device = h->device ? mem_strdup(h->device) : NULL;
	t->address = h->address ? mem_strdup(h->address) : NULL;
	t->began_us = loop_now_us();
	t->conn = p->options.writer ? capture_connection(p->options.writer) :
				      ++p->next_conn;
	diag_start(&t->diag);
	t->diag.found = on_found;
	t->diag.owner = t;
	list(t);
	put(t, &e);
	return t;
}

void talk_is(struct talk *t, const char *device, const char *board,
	     const char *version)
{
	struct capture_event e = { .kind = CAPTURED_DEVICE,
				   .board = board,
				   .version = version };

	if (device) {
		mem_free(t->device);
		t->device = mem_strdup(device);
	}
	put(t, &e);
}

void talk_end(struct talk *t, enum event_from from, enum event_end how,
	      int code)
{
	struct capture_event e = {
		.kind = CAPTURED_END, .from = from, .how = how, .code = code
	};

	if (how == ENDED_FIN || how == ENDED_CLOSE)
		diag_end(&t->diag);
	put(t, &e);
	unlist(t);
	diag_done(&t->diag);
	mem_free(t->device);
	mem_free(t->address);
	mem_free(t);
}

/* ---- what passes ---- */

static void count(struct proxy *p, const struct capture_event *e)
{
	bool from_device = e->from == FROM_DEVICE;

	p->counts.frames[from_device]++;
	p->counts.bytes[from_device] += e->size;
	if (e->kind == CAPTURED_BINARY)
		p->counts.audio[from_device]++;
	if (e->passed.text)
		p->counts.changed++;
}

static void judge(struct talk *t, const struct capture_event *e)
{
	const struct diag_frame f = {
		.at_us = e->at_us,
		.leg = t->leg,
		.kind = e->kind == CAPTURED_BINARY ? FRAME_IS_BINARY :
						     FRAME_IS_TEXT,
		.from_device = e->from == FROM_DEVICE,
		.data = e->data.text,
		.len = e->data.len,
	};

	/* Of what is not all there nothing can be said. */
	if (e->kind != CAPTURED_BINARY &&
	    (e->kind != CAPTURED_TEXT || e->cut || e->data.len != e->size))
		return;
	diag_feed(&t->diag, &f);
}

void talk_pass(struct talk *t, struct capture_event *e)
{
	if (!e->size)
		e->size = e->data.len;
	t->frames[e->from == FROM_DEVICE]++;
	count(t->proxy, e);
	put(t, e);
	judge(t, e);
}

void talk_frame(struct talk *t, bool from_device, enum capture_kind kind,
		struct span data)
{
	struct capture_event e = { .kind = kind,
				   .from = from_device ? FROM_DEVICE :
							 FROM_BACKEND,
				   .data = data };

	talk_pass(t, &e);
}

void talk_note(struct talk *t, const char *format, ...)
{
	struct capture_event e = { .kind = CAPTURED_NOTICE };
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	e.data = (struct span){ text, strlen(text) };
	e.size = e.data.len;
	put(t, &e);
}
