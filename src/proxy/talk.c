/* SPDX-License-Identifier: MIT */
/* Recorded, told, judged, counted: in this order, for each thing that passes. */
#include "proxy/talk.h"

#include <string.h>

#include "base/chain.h"
#include "base/mem.h"
#include "diag/finding.h"
#include "proxy/turn.h"

static int64_t now_us(const struct proxy *p)
{
	return p->options.writer ? capture_now(p->options.writer) :
				   loop_now_us() - p->began_us;
}

/* Into the capture, and to who shows it. t NULL: it is of none. */
static void put_of(struct proxy *p, const struct talk *t,
		   struct capture_event *e)
{
	e->at_us = now_us(p);
	e->n = p->options.writer ? capture_write(p->options.writer, e) : 0;
	if (p->options.events->passed)
		p->options.events->passed(p->options.owner, t, e);
}

static void put(struct talk *t, struct capture_event *e)
{
	e->conn = t->conn;
	e->leg = t->leg;
	if (!e->device)
		e->device = t->device;
	put_of(t->proxy, t, e);
}

static void found(struct proxy *p, const struct talk *t,
		  const struct capture_event *at, const struct finding *f,
		  bool news)
{
	CLEANUP(buf_done) struct buf json = { 0 };
	struct capture_event e = *at;

	p->found->count[f->code]++;
	if (f->count == 1)
		p->found->talks[f->code]++;
	if (!news)
		return;
	finding_json(&json, f, at->device);
	e.kind = CAPTURED_FINDING;
	e.data = (struct span){ buf_string(&json), json.len };
	e.size = json.len;
	put_of(p, t, &e);
}

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct talk *t = owner;
	struct proxy *p = t->proxy;
	const struct capture_event at = { .conn = t->conn,
					  .leg = t->leg,
					  .device = t->device };

	found(p, t, &at, f, f->count == 1);
	if (p->options.events->found)
		p->options.events->found(p->options.owner, t, f, detail);
}

/* ---- what boards say, as files ---- */

static void on_utterance(void *owner, const struct voice_news *n)
{
	talk_note(owner, "%s%s%s", n->text, n->hint ? "; " : "",
		  n->hint ? n->hint : "");
}

struct voice *talk_voice(struct talk *t)
{
	struct proxy *p = t->proxy;

	if (!t->voice && p->voices)
		t->voice =
			voice_new(p->voices, t->device ? t->device : t->address,
				  on_utterance, t);
	return t->voice;
}

static void hear(struct talk *t, const struct capture_event *e)
{
	const bool from_device = e->from == FROM_DEVICE;
	const int version = t->diag.frame_version;

	if (t->leg != LEG_WS || e->cut || !talk_voice(t))
		return;
	if (e->kind == CAPTURED_TEXT)
		voice_text(t->voice, from_device, e->data.text, e->data.len);
	else if (e->kind == CAPTURED_BINARY && from_device)
		voice_frame(t->voice, version ? version : 1, e->data.text,
			    e->data.len);
}

/* ---- here and gone ---- */

static void list(struct talk *t)
{
	struct proxy *p = t->proxy;

	CHAIN_APPEND(p->talks, p->talks_last, t);
	p->open_talks++;
	p->counts.talks++;
}

static void unlist(struct talk *t)
{
	struct proxy *p = t->proxy;

	CHAIN_LEAVE(p->talks, p->talks_last, t);
	p->open_talks--;
}

uint32_t proxy_connection(struct proxy *p)
{
	return p->options.writer ? capture_connection(p->options.writer) :
				   ++p->next_conn;
}

struct talk *talk_open(struct proxy *p, const struct talk_head *h)
{
	struct capture_event e = { .kind = CAPTURED_OPEN,
				   .from = FROM_DEVICE,
				   .head = h->head };
	struct talk *t;

	if (p->open_talks >= p->options.talks_max)
		return NULL;
	t = mem_zalloc(sizeof(*t));
	t->proxy = p;
	t->leg = h->leg;
	t->device = h->device ? mem_strdup(h->device) : NULL;
	t->address = h->address ? mem_strdup(h->address) : NULL;
	t->began_us = loop_now_us();
	t->conn = proxy_connection(p);
	diag_start(&t->diag);
	t->diag.found = on_found;
	t->diag.clock = loop_now_us;
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
	static const char ours[] = "the proxy was ended";
	struct capture_event e = {
		.kind = CAPTURED_END, .from = from, .how = how, .code = code
	};

	voice_free(TAKE(t->voice));
	if (t->proxy->closing && from == FROM_NOBODY && how == ENDED_OTHER)
		e.data = (struct span){ ours, sizeof(ours) - 1 };

	if (how == ENDED_FIN || how == ENDED_CLOSE)
		diag_end(&t->diag);
	put(t, &e);
	unlist(t);
	pace_free(t->pace);
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
	if (e->kind == CAPTURED_TEXT && (e->cut || e->data.len != e->size))
		diag_missed(&t->diag, f.from_device);
	if (e->kind != CAPTURED_BINARY &&
	    (e->kind != CAPTURED_TEXT || e->cut || e->data.len != e->size))
		return;
	diag_feed(&t->diag, &f);
	if (f.kind == FRAME_IS_TEXT)
		pace_text(&t->pace, f.from_device, f.data, f.len);
	else if (t->leg == LEG_WS && f.from_device && !e->cut)
		pace_frame(t->pace, &t->diag, &f,
			   loop_delay_us(t->proxy->loop));
}

/*
 * The backend has said hello to a board that did; where there are no hellos, it
 * said something to who had said something.
 */
static bool is_welcome(const struct talk *t, const struct capture_event *e)
{
	if (e->kind != CAPTURED_TEXT || e->from != FROM_BACKEND)
		return false;
	if (t->diag.about.bare)
		return t->spoke[true];
	return t->diag.server_hello && t->diag.hellos > 0;
}

static void learn(struct talk *t, const struct capture_event *e)
{
	if (e->kind == CAPTURED_TEXT)
		t->spoke[e->from == FROM_DEVICE] = true;
	if (t->turn && is_welcome(t, e))
		turn_proven(TAKE(t->turn), t->device);
}

void talk_pass(struct talk *t, struct capture_event *e)
{
	if (!e->size)
		e->size = e->data.len;
	t->frames[e->from == FROM_DEVICE]++;
	count(t->proxy, e);
	put(t, e);
	judge(t, e);
	learn(t, e);
	hear(t, e);
}

void talk_text(struct talk *t, bool from_device, struct span text,
	       const struct span *passed)
{
	struct capture_event e = { .kind = CAPTURED_TEXT,
				   .from = from_device ? FROM_DEVICE :
							 FROM_BACKEND,
				   .data = text,
				   .size = text.len };

	if (passed)
		e.passed = *passed;
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

/* ---- beside what passes ---- */

void proxy_beside(struct proxy *p, struct capture_event *e)
{
	put_of(p, NULL, e);
}

void proxy_beside_found(struct proxy *p, const struct capture_event *at,
			const struct finding *f, bool news)
{
	found(p, NULL, at, f, news);
}
