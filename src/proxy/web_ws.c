/* SPDX-License-Identifier: MIT */
/*
 * A WebSocket through the proxy. The bytes are relayed as they come and read
 * beside. Only a text message that may have to be changed is held until it is
 * whole; one that is not changed goes on byte for byte, then.
 */
#include "proxy/web_ws.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/head.h"
#include "proxy/stage.h"
#include "proxy/web.h"
#include "proxy/web_leg.h"
#include "wire/http_parts.h"
#include "wire/ws_frames.h"

#define KEEP_TEXT ((size_t)1 << 20)
#define KEEP_BINARY 4096 /* audio */
#define KEEP_REFUSAL 4096
#define CUT_MS 50 /* for half a frame to arrive */

/* One direction. */
struct one_way {
	struct ws_reader reader;
	bool may_change; /* text is held until it is whole */
	bool broken; /* no frames any more: passed, and not read */
	bool through; /* the message that is open is too large to be held */
	struct span run; /* of what is read now: it goes on in one piece */
	struct buf held; /* of a text message, as it came */
	struct buf controls; /* frames amid it */
	struct buf late; /* --fault: what comes behind a reply that waits */
	struct buf out; /* … and that itself */
	bool waits;
};

struct ws_leg {
	struct web_leg leg;
	struct buf head; /* of the request, as it came */
	bool asked; /* it is whole */
	struct http_parts answer;
	bool upgraded;
	struct one_way way[2]; /* by the side that it comes from */
	struct timer timer; /* --fault */
	uint64_t came_at; /* uv_hrtime() of what is read now */
	bool resets; /* when it is over */
	enum side closer; /* who said Close first */
	int code; /* 0: nobody */
	bool gone; /* one side has ended, the other one goes on */
	enum side goer;
	bool ended;
};

/* ---- what passes ---- */

static void record(struct ws_leg *w, enum side from, const struct ws_item *item,
		   const struct buf *instead)
{
	static const enum capture_kind kinds[] = {
		[WS_TEXT] = CAPTURED_TEXT,
		[WS_BINARY] = CAPTURED_BINARY,
		[WS_PING] = CAPTURED_PING,
		[WS_PONG] = CAPTURED_PONG,
	};
	struct capture_event e = { .from = from == SIDE_DEVICE ? FROM_DEVICE :
								 FROM_BACKEND,
				   .data = { item->data, item->len },
				   .size = (size_t)item->size,
				   .cut = item->len < item->size };

	if (!w->leg.talk)
		return;
	if (item->opcode == WS_CLOSE) {
		if (!w->code)
			w->closer = from;
		if (!w->code)
			w->code = item->code ? item->code : 1005;
		return;
	}
	e.kind = kinds[item->opcode];
	e.bytes = item->opcode != WS_TEXT;
	if (instead)
		e.passed = (struct span){ buf_string(instead), instead->len };
	talk_pass(w->leg.talk, &e);
}

static void write_on(struct ws_leg *w, enum side from, const void *data,
		     size_t len)
{
	if (!len)
		return;
	pair_write(&w->leg.pair, OTHER_SIDE(from), data, len);
	if (!w->way[from].waits)
		latency_add(&w->leg.web->proxy->added,
			    (int64_t)(uv_hrtime() - w->came_at));
}

static void end_run(struct ws_leg *w, enum side from)
{
	struct span run = w->way[from].run;

	w->way[from].run = (struct span){ 0 };
	write_on(w, from, run.text, run.len);
}

/* Behind what goes on already. */
static void go_on(struct ws_leg *w, enum side from, const void *data,
		  size_t len)
{
	end_run(w, from);
	write_on(w, from, data, len);
}

/* ---- changing ---- */

static void wait_for(struct ws_leg *w, enum side from, int64_t ms)
{
	w->way[from].waits = true;
	pair_stop(&w->leg.pair, from, true);
	timer_start(&w->timer, ms);
}

/* What goes on, whole or half, now or later. */
static void pass(struct ws_leg *w, enum side from, const struct buf *frame,
		 const struct altered *a)
{
	struct one_way *y = &w->way[from];

	if (a->cut) {
		go_on(w, from, frame->data, frame->len / 2);
		w->resets = true;
		wait_for(w, from, CUT_MS);
	} else if (a->after_ms) {
		for (int i = 0; i < (a->twice ? 2 : 1); i++)
			buf_add(&y->out, frame->data, frame->len);
		wait_for(w, from, a->after_ms);
	} else {
		for (int i = 0; i < (a->twice ? 2 : 1); i++)
			go_on(w, from, frame->data, frame->len);
	}
}

static void tell_fault(struct ws_leg *w, const struct altered *a)
{
	if (a->fault)
		talk_note(w->leg.talk, "--fault %s", a->fault);
}

/* The text message of held is whole. */
static void decide(struct ws_leg *w, enum side from, const struct ws_item *item)
{
	struct one_way *y = &w->way[from];
	const struct alterations *plan = w->leg.web->proxy->options.alter;
	CLEANUP(buf_done) struct buf moved = { 0 }, bent = { 0 }, frame = { 0 };
	struct span text = { item->data, item->len };
	struct altered a = { 0 };
	const struct buf *now = NULL;

	if (from == SIDE_BACKEND &&
	    web_move_vision(w->leg.talk, text, w->leg.reached, &moved)) {
		now = &moved;
		text = (struct span){ moved.data, moved.len };
	}
	alter_message(plan, &w->leg.talk->alter, from == SIDE_DEVICE, text,
		      &bent, &a);
	if (a.changed)
		now = &bent;
	if (now) {
		buf_add(&frame, y->controls.data, y->controls.len);
		ws_frame(&frame, WS_TEXT, item->masked ? item->mask : NULL,
			 now->data, now->len);
	}
	tell_fault(w, &a);
	if (a.drop) {
		w->leg.web->proxy->counts.dropped++;
		buf_reset(&moved);
		record(w, from, item, &moved);
		return;
	}
	pass(w, from, now ? &frame : &y->held, &a);
	record(w, from, item, now);
}

/* ---- one direction ---- */

static void settle_held(struct one_way *y)
{
	buf_reset(&y->held);
	buf_reset(&y->controls);
	y->through = false;
}

static void let_through(struct ws_leg *w, enum side from, const char *data,
			size_t len)
{
	struct one_way *y = &w->way[from];

	if (y->held.len) {
		go_on(w, from, y->held.data, y->held.len);
		buf_reset(&y->held);
	}
	if (y->run.text && y->run.text + y->run.len == data) {
		y->run.len += len;
		return;
	}
	end_run(w, from);
	y->run = (struct span){ data, len };
}

/* Bytes of what is not whole, or not of a text message. */
static void hold(struct ws_leg *w, enum side from, const char *data, size_t len)
{
	struct one_way *y = &w->way[from];

	if (!ws_in_text(&y->reader)) {
		let_through(w, from, data, len);
		return;
	}
	if (!y->through && y->held.len + len <= KEEP_TEXT + WS_HEAD_MAX) {
		buf_add(&y->held, data, len);
		return;
	}
	y->through = true;
	let_through(w, from, data, len);
}

static void take_broken(struct ws_leg *w, enum side from, const char *data,
			size_t len)
{
	struct one_way *y = &w->way[from];

	y->broken = true;
	if (y->may_change)
		let_through(w, from, data, len);
	talk_note(
		w->leg.talk,
		"what the %s sends are no frames of WebSocket: passed as it is, not judged",
		from == SIDE_DEVICE ? "board" : "backend");
}

static void take_item(struct ws_leg *w, enum side from, enum ws_what what,
		      const struct ws_item *item, struct span raw)
{
	struct one_way *y = &w->way[from];
	bool text = what == WS_MESSAGE && item->opcode == WS_TEXT;

	if (!y->may_change || (text && y->through)) {
		if (y->may_change)
			let_through(w, from, raw.text, raw.len);
		record(w, from, item, NULL);
	} else if (text) {
		buf_add(&y->held, raw.text, raw.len);
		decide(w, from, item);
	} else {
		hold(w, from, raw.text, raw.len);
		if (y->held.len)
			ws_frame(&y->controls, item->opcode,
				 item->masked ? item->mask : NULL, item->data,
				 item->len);
		record(w, from, item, NULL);
	}
	if (text)
		settle_held(y);
}

/* Stops where a fault lets it wait. */
static void read_items(struct ws_leg *w, enum side from, const char *data,
		       size_t len)
{
	struct one_way *y = &w->way[from];
	struct ws_item item;

	while (len && !w->ended) {
		struct span raw = { data, 0 };
		enum ws_what what;

		if (y->waits) {
			buf_add(&y->late, data, len);
			return;
		}
		if (y->broken) {
			if (y->may_change)
				go_on(w, from, data, len);
			return;
		}
		what = ws_read(&y->reader, &data, &len, &item);
		raw.len = (size_t)(data - raw.text);
		if (what == WS_BROKEN)
			take_broken(w, from, raw.text, raw.len + len);
		else if (what != WS_MORE)
			take_item(w, from, what, &item, raw);
		else if (y->may_change)
			hold(w, from, raw.text, raw.len);
		if (what == WS_BROKEN)
			return;
	}
}

/* Reads what comes from that side; nothing of data is kept. */
static void read_on(struct ws_leg *w, enum side from, const char *data,
		    size_t len)
{
	read_items(w, from, data, len);
	end_run(w, from);
}

static void relay(struct ws_leg *w, enum side from, const char *data,
		  size_t len)
{
	/* First things first: it is on its way before it is looked at. */
	if (!w->way[from].may_change)
		go_on(w, from, data, len);
	read_on(w, from, data, len);
}

static void on_timer(void *owner)
{
	struct ws_leg *w = owner;

	/* The proxy ends, and what it recorded has. */
	if (!w->leg.talk)
		return;
	if (w->resets) {
		w->ended = true;
		web_leg_end(&w->leg, FROM_NOBODY, ENDED_RST, 0);
		pair_reset(&w->leg.pair);
		return;
	}
	for (int from = 0; from < 2; from++) {
		struct one_way *y = &w->way[from];
		CLEANUP(buf_done) struct buf late = { 0 };

		if (!y->waits)
			continue;
		late = y->late;
		y->late = (struct buf){ 0 };
		go_on(w, (enum side)from, y->out.data, y->out.len);
		buf_reset(&y->out);
		y->waits = false;
		w->came_at = uv_hrtime();
		read_on(w, (enum side)from, buf_string(&late), late.len);
		if (!y->waits)
			pair_stop(&w->leg.pair, (enum side)from, false);
	}
}

/* ---- the handshake ---- */

/* The query is the board's own: a token may stand there. */
static char *target_of(const struct head *h, const struct upstream *up)
{
	if (!h->query || strchr(up->path, '?'))
		return mem_strdup(up->path);
	return mem_printf("%s?%s", up->path, h->query);
}

static void look_around(struct ws_leg *w, const struct head *h)
{
	const char *version = headers_get(&h->headers, "Protocol-Version");
	struct diag_about *about = &w->leg.talk->diag.about;

	about->board = version || headers_get(&h->headers, "Device-Id");
	about->bare = !about->board;
	about->protocol_version = version && version[0] >= '1' &&
						  version[0] <= '3' &&
						  !version[1] ?
					  version[0] - '0' :
					  0;
	about->from.board = w->leg.address;
	about->from.asked = w->leg.up.url;
}

static void ask_upstream(struct ws_leg *w, struct span head,
			 const struct head *h)
{
	CLEANUP(buf_done) struct buf up = { 0 };
	CLEANUP(mem_free_ptr) char *target = target_of(h, &w->leg.up);
	const char *struck;

	web_request_head(&up, head, &w->leg.up, target, &struck);
	if (struck)
		talk_note(
			w->leg.talk,
			"%s is struck from the request: what is compressed cannot be read here",
			struck);
	pair_write(&w->leg.pair, SIDE_BACKEND, up.data, up.len);
}

static void ask(struct ws_leg *w, const struct head *h)
{
	struct web *web = w->leg.web;
	const char *device = headers_get(&h->headers, "Device-Id");
	const char *url = web->ota ?
				  told_find(&web->told, device, w->leg.from) :
				  web->up.url;
	struct span head = { w->head.data, h->length };
	const struct talk_head opening = { .leg = LEG_WS,
					   .device = device,
					   .address = w->leg.address,
					   .head = { head.text,
						     head.len - 2 } };

	w->asked = true;
	w->leg.talk = talk_open(web->proxy, &opening);
	if (!w->leg.talk || !url || upstream_read(&w->leg.up, url, NULL)) {
		pair_reset(&w->leg.pair);
		return;
	}
	look_around(w, h);
	ask_upstream(w, head, h);
	w->leg.talk->turn = &w->leg.turn;
	web_leg_dial(&w->leg, device, false);
	relay(w, SIDE_DEVICE, head.text + head.len, w->head.len - head.len);
	buf_done(&w->head);
}

static void take_request(struct ws_leg *w, const char *data, size_t len)
{
	struct head h;

	buf_add(&w->head, data, len);
	/* The front has seen that it is whole. */
	if (head_parse(&h, w->head.data, w->head.len) != HEAD_READY)
		return;
	ask(w, &h);
	head_done(&h);
}

static void tell_answer(struct ws_leg *w)
{
	struct http_parts *a = &w->answer;
	struct capture_event e = {
		.kind = CAPTURED_RESPONSE,
		.from = FROM_BACKEND,
		.status = a->status,
		.head = { a->head.data, a->head.len > 2 ? a->head.len - 2 : 0 },
		.data = { buf_string(&a->body), a->body.len },
		.size = (size_t)a->size,
	};

	talk_pass(w->leg.talk, &e);
	if (http_parts_field(buf_string(&a->head), a->head.len,
			     "Sec-WebSocket-Extensions")
		    .text)
		talk_note(w->leg.talk,
			  "the backend uses an extension that nobody offered");
	if (a->status == 101 && memcmp(a->head.data, "HTTP/1.1", 8) != 0)
		diag_found(
			&w->leg.talk->diag, N116, (struct span){ 0 },
			"it says 101 by another version than HTTP/1.1, where a board goes no further");
}

/* The device is to say something: hello, or where there is none, its answer. */
static bool is_to_speak(const struct ws_leg *w)
{
	const struct talk *t = w->leg.talk;

	return t && t->turn && w->upgraded && !t->spoke[true] &&
	       (!t->diag.about.bare || t->spoke[false]);
}

static void follow(struct ws_leg *w, bool spoke)
{
	if (w->ended || !is_to_speak(w))
		lull_over(&w->leg.lull);
	else if (spoke || !w->leg.lull.waits)
		lull_waits(&w->leg.lull);
}

/* From the backend, until the WebSocket stands. */
static void take_answer(struct ws_leg *w, const char *data, size_t len)
{
	struct http_parts *a = &w->answer;
	size_t used = http_parts_feed(a, data, len);

	if (a->has_head && a->status == 101 && !a->broken) {
		w->upgraded = true;
		pair_write(&w->leg.pair, SIDE_DEVICE, data, used);
		tell_answer(w);
		if (len > used)
			relay(w, SIDE_BACKEND, data + used, len - used);
		return;
	}
	/* A refusal: as it is, and read as far as it goes. */
	pair_write(&w->leg.pair, SIDE_DEVICE, data, len);
	while (a->has_head && used < len && !a->over && !a->broken) {
		size_t more = http_parts_feed(a, data + used, len - used);

		if (!more)
			break;
		used += more;
	}
}

static void ws_came(struct web_leg *l, enum side from, const char *data,
		    size_t len)
{
	struct ws_leg *w = (struct ws_leg *)l;

	if (w->ended)
		return;
	w->came_at = uv_hrtime();
	if (from == SIDE_DEVICE && !w->asked)
		take_request(w, data, len);
	else if (from == SIDE_BACKEND && !w->upgraded)
		take_answer(w, data, len);
	else
		relay(w, from, data, len);
	follow(w, from == SIDE_DEVICE);
}

/* ---- the end ---- */

#define NO_WEBSOCKET \
	"a board takes that for a network error: an alert, then idle until it is woken again; it follows no redirect"

/* The connection ends, and there was no 101. */
static void judge_refusal(struct ws_leg *w, enum side who)
{
	const struct http_parts *a = &w->answer;
	CLEANUP(mem_free_ptr) char *to = http_parts_text(&a->head, "Location");
	struct stage s = { .facts = web_leg_facts(&w->leg),
			   .code = N116,
			   .then = NO_WEBSOCKET };

	s.facts.with |= WITH_WS;
	s.facts.path = w->leg.up.path;
	s.facts.to = to;
	s.facts.said = buf_string(&a->body);
	s.facts.number = a->broken ? 0 : a->status;
	if (a->head.len && (!a->has_head || a->broken))
		s.facts.what = WHY_FOREIGN;
	else if (a->has_head)
		s.facts.what =
			to && a->status / 100 == 3 ? WHY_REDIRECT : WHY_STATUS;
	else
		s.facts.what = who == SIDE_BACKEND ? WHY_CLOSED : WHY_SILENT;
	s.sure = s.facts.what == WHY_STATUS;
	if (s.facts.what == WHY_SILENT)
		stage_left(w->leg.talk, &s, pair_is_up(&w->leg.pair));
	else
		stage_failed(w->leg.talk, &s);
}

static void ws_failed(struct web_leg *l)
{
	struct ws_leg *w = (struct ws_leg *)l;

	w->ended = true;
}

static void ws_late(struct web_leg *l)
{
	struct ws_leg *w = (struct ws_leg *)l;
	CLEANUP(buf_done) struct buf answer = { 0 };

	w->ended = true;
	web_refusal(&answer, l->web->proxy, 503, BUSY_TURN);
	pair_write(&l->pair, SIDE_DEVICE, answer.data, answer.len);
	pair_finish(&l->pair);
}

static size_t ws_kept(const struct web_leg *l)
{
	const struct ws_leg *w = (const struct ws_leg *)l;
	size_t bytes = w->head.len + w->answer.head.len + w->answer.body.len;

	for (int i = 0; i < 2; i++) {
		const struct one_way *y = &w->way[i];

		bytes += y->reader.kept.len + y->held.len + y->controls.len +
			 y->late.len + y->out.len;
	}
	return bytes;
}

static void finish(struct ws_leg *w, enum side who, enum event_end how)
{
	if (w->ended)
		return;
	w->ended = true;
	if (w->leg.talk && !w->upgraded && w->answer.has_head)
		tell_answer(w);
	if (w->leg.talk && !w->upgraded)
		judge_refusal(w, who);
	web_leg_end(&w->leg, who == SIDE_DEVICE ? FROM_DEVICE : FROM_BACKEND,
		    w->code ? ENDED_CLOSE : how, w->code);
}

/* What is held of a message that never became whole. */
static void let_go(struct ws_leg *w, enum side from)
{
	struct one_way *y = &w->way[from];

	y->waits = false;
	go_on(w, from, y->out.data, y->out.len);
	go_on(w, from, y->held.data, y->held.len);
	go_on(w, from, y->late.data, y->late.len);
	buf_reset(&y->out);
	buf_reset(&y->held);
	buf_reset(&y->late);
}

static void ws_ended(struct web_leg *l, enum side from, enum event_end how)
{
	struct ws_leg *w = (struct ws_leg *)l;
	enum side who = from;

	if (w->ended)
		return;
	let_go(w, from);
	/* The other side may have more to say. */
	if (how == ENDED_FIN && !w->gone) {
		w->gone = true;
		w->goer = from;
		return;
	}
	if (how == ENDED_FIN)
		who = w->goer;
	if (w->code)
		who = w->closer;
	finish(w, who, how);
}

static void on_timer_closed(void *owner)
{
	struct ws_leg *w = owner;

	mem_free(w);
}

static void ws_free(struct web_leg *l)
{
	struct ws_leg *w = (struct ws_leg *)l;

	for (int i = 0; i < 2; i++) {
		ws_reader_done(&w->way[i].reader);
		buf_done(&w->way[i].held);
		buf_done(&w->way[i].controls);
		buf_done(&w->way[i].late);
		buf_done(&w->way[i].out);
	}
	http_parts_done(&w->answer);
	buf_done(&w->head);
	timer_close(&w->timer, on_timer_closed);
}

void web_websocket(struct web_place *at, int fd, const struct front_head *head)
{
	static const struct web_leg_kind kind = { .came = ws_came,
						  .failed = ws_failed,
						  .late = ws_late,
						  .kept = ws_kept,
						  .ended = ws_ended,
						  .free = ws_free };
	const struct proxy_options *o = &at->web->proxy->options;
	struct ws_leg *w = mem_zalloc(sizeof(*w));

	for (int i = 0; i < 2; i++) {
		w->way[i].reader.keep = KEEP_TEXT;
		w->way[i].reader.keep_binary = KEEP_BINARY;
		w->way[i].may_change = alterations_any(o->alter);
	}
	w->way[SIDE_BACKEND].may_change |= (o->rewrite & REWRITE_VISION) != 0;
	w->answer.answer = true;
	w->answer.keep = KEEP_REFUSAL;
	w->leg.kind = &kind;
	timer_open(&w->timer, at->web->proxy->loop, on_timer, w);
	web_leg_open(&w->leg, at, fd, head);
}
