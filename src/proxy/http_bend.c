/* SPDX-License-Identifier: MIT */
/* Held, decided, written; the contract is in the header. */
#include "proxy/http_bend.h"

#include <string.h>
#include <strings.h>

#include "base/mem.h"

#define CUT_MS 50 /* for half a message to arrive */
#define ROOM 65536 /* what one read may bring */

size_t bend_kept(const struct bend *b)
{
	return b->held.len + b->out.len + b->event.len + b->id.len +
	       b->then.len + b->late.len + b->sse.line.len + b->sse.data.len;
}

void bend_go_on(struct bend *b)
{
	CLEANUP(buf_done) struct buf then = b->then;

	b->waits = false;
	b->then = (struct buf){ 0 };
	pair_write(b->pair, SIDE_DEVICE, buf_string(&then), then.len);
	if (b->resets)
		pair_reset(b->pair);
	else
		b->resumed(b->owner);
	if (!b->waits)
		pair_stop(b->pair, SIDE_BACKEND, false);
}

static void on_time(void *owner)
{
	bend_go_on(owner);
}

void bend_open(struct bend *b, struct loop *l, const struct alterations *plan,
	       struct pair *pair)
{
	b->plan = alterations_any(plan) ? plan : NULL;
	b->pair = pair;
	timer_open(&b->timer, l, on_time, b);
}

void bend_close(struct bend *b, void (*closed)(void *owner))
{
	buf_done(&b->held);
	buf_done(&b->out);
	buf_done(&b->event);
	buf_done(&b->id);
	buf_done(&b->then);
	buf_done(&b->late);
	sse_done(&b->sse);
	b->waits = false;
	b->timer.owner = b->owner;
	timer_close(&b->timer, closed);
}

bool bend_waits(const struct bend *b)
{
	return b->waits;
}

void bend_keep(struct bend *b, const char *data, size_t len)
{
	buf_add(&b->late, data, len);
}

/* ---- what goes on ---- */

static void put(struct bend *b, const char *data, size_t len)
{
	if (b->mute || !len)
		return;
	if (b->waits)
		buf_add(&b->then, data, len);
	else
		pair_write(b->pair, SIDE_DEVICE, data, len);
}

static void put_buf(struct bend *b, struct buf *from)
{
	put(b, buf_string(from), from->len);
	buf_reset(from);
}

/* Of the body of a stream. */
static void put_piece(struct bend *b, const char *data, size_t len)
{
	CLEANUP(buf_done) struct buf chunk = { 0 };

	if (!len)
		return;
	if (b->collects) {
		buf_add(&b->out, data, len);
		return;
	}
	if (!b->chunked) {
		put(b, data, len);
		return;
	}
	buf_printf(&chunk, "%zx\r\n", len);
	buf_add(&chunk, data, len);
	buf_text(&chunk, "\r\n");
	put_buf(b, &chunk);
}

/* Once half of it has arrived. */
static void wait_for(struct bend *b, int64_t ms)
{
	b->waits = true;
	pair_stop(b->pair, SIDE_BACKEND, true);
	timer_start(&b->timer, ms);
}

/* A message as it goes on: what of it is to be missing if it is cut. */
struct going {
	struct buf *bytes;
	size_t half;
	const struct http_parts *piece_of; /* NULL: it is a whole answer */
};

static void send_on(struct bend *b, const struct going *g, size_t len)
{
	if (g->piece_of)
		put_piece(b, buf_string(g->bytes), len);
	else
		put(b, buf_string(g->bytes), len);
}

/* Its length will not be right: it does not become whole. */
static void send_collected(struct bend *b, const struct http_parts *rs)
{
	if (!b->collects)
		return;
	put(b, rs->head.data, rs->head.len);
	put_buf(b, &b->out);
	b->collects = false;
}

static void cut(struct bend *b, const struct going *g)
{
	if (g->piece_of)
		send_collected(b, g->piece_of);
	send_on(b, g, g->half);
	b->resets = true;
	wait_for(b, CUT_MS);
}

static void misuse(struct bend *b, const struct altered *a,
		   const struct going *g)
{
	if (a->fault)
		talk_note(b->talk, "--fault %s", a->fault);
	if (a->drop) {
		b->talk->proxy->counts.dropped++;
		b->mute |= a->hang || !g->piece_of;
		return;
	}
	if (a->cut) {
		cut(b, g);
		return;
	}
	if (a->after_ms)
		wait_for(b, a->after_ms);
	send_on(b, g, g->bytes->len);
	if (a->twice)
		send_on(b, g, g->bytes->len);
}

/* What becomes of a message of the server; told. */
static void decide(struct bend *b, struct span text, struct buf *bent,
		   struct altered *a)
{
	struct span passed = { "", 0 };

	alter_message(b->plan, &b->talk->alter, true, text, bent, a);
	if (a->changed && !a->drop)
		passed = (struct span){ buf_string(bent), bent->len };
	talk_text(b->talk, true, text, a->changed || a->drop ? &passed : NULL);
}

/* ---- an answer in JSON ---- */

static void end_whole(struct bend *b, struct http_parts *rs)
{
	CLEANUP(buf_done) struct buf bent = { 0 }, instead = { 0 };
	struct span text = { buf_string(&rs->body), rs->body.len };
	struct altered a;
	struct going g = { .bytes = &b->held };

	if (!text.len) {
		put_buf(b, &b->held);
		return;
	}
	decide(b, text, &bent, &a);
	if (a.changed) {
		http_parts_instead(
			&instead, rs, &rs->head,
			(struct span){ buf_string(&bent), bent.len });
		g.bytes = &instead;
	}
	g.half = g.bytes->len - (a.changed ? bent.len : text.len) / 2;
	misuse(b, &a, &g);
	buf_reset(&b->held);
}

/* ---- an event ---- */

static void on_event(void *owner, const struct sse_event *e)
{
	struct bend *b = owner;

	if (!e->len || strcmp(e->type, "message") != 0)
		return;
	buf_reset(&b->event);
	buf_add(&b->event, e->data, e->len);
	buf_reset(&b->id);
	buf_text(&b->id, e->id);
	b->has_event = true;
	b->has_id = e->has_id;
}

static const struct sse_events events = { .event = on_event };

static void print_event(const struct bend *b, const struct buf *text,
			struct buf *out)
{
	const char *at = buf_string(text), *over = at + text->len;

	buf_text(out, "event: message\n");
	if (b->has_id)
		buf_printf(out, "id: %s\n", buf_string(&b->id));
	while (at < over) {
		const char *end = memchr(at, '\n', (size_t)(over - at));
		size_t len = (size_t)((end ? end : over) - at);

		buf_text(out, "data: ");
		buf_add(out, at, len);
		buf_char(out, '\n');
		at += len + 1;
	}
	buf_char(out, '\n');
}

static void end_event(struct bend *b, struct http_parts *rs)
{
	CLEANUP(buf_done) struct buf raw = b->held, bent = { 0 };
	CLEANUP(buf_done) struct buf instead = { 0 };
	struct going g = { .bytes = &raw, .piece_of = rs };
	struct altered a;

	b->held = (struct buf){ 0 };
	if (!b->has_event) {
		put_piece(b, buf_string(&raw), raw.len);
		return;
	}
	b->has_event = false;
	decide(b, (struct span){ b->event.data, b->event.len }, &bent, &a);
	if (a.changed) {
		print_event(b, &bent, &instead);
		g.bytes = &instead;
	}
	g.half = g.bytes->len / 2;
	misuse(b, &a, &g);
}

/* With its end; 0: it is not whole. */
static size_t line_length(const struct buf *b)
{
	const char *at = buf_string(b);
	size_t len = strcspn(at, "\r\n");

	while (len < b->len && !at[len])
		len += 1 + strcspn(at + len + 1, "\r\n");
	if (len >= b->len || (at[len] == '\r' && len + 1 == b->len))
		return 0;
	return len + (at[len] == '\r' && at[len + 1] == '\n' ? 2 : 1);
}

/* Too large to be held: it goes on, and nothing of this stream is changed more. */
static void let_through(struct bend *b, struct http_parts *rs)
{
	if (b->how != BEND_THROUGH)
		talk_note(
			b->talk,
			"an event has more than 1 MiB: it passes as it is, and so does the rest of its stream");
	b->how = BEND_THROUGH;
	put_piece(b, buf_string(&b->held), b->held.len);
	put_piece(b, buf_string(&rs->body), rs->body.len);
	buf_reset(&b->held);
	buf_reset(&rs->body);
}

/* A head without the length that it had. */
static void add_chunked(struct buf *out, const struct buf *head)
{
	const char *text = buf_string(head);
	const size_t line = strcspn(text, "\n") + 1;

	buf_add(out, text, line);
	buf_text(out, "Transfer-Encoding: chunked\r\n");
	http_parts_replace(out, text + line, head->len - line, "Content-Length",
			   NULL);
}

/*
 * It does not wait for the end of so much. The length that its head tells is
 * right only if all that was read goes on, and all that comes.
 */
static void collect_no_more(struct bend *b, const struct http_parts *rs)
{
	CLEANUP(buf_done) struct buf out = { 0 }, head = { 0 };

	if (!b->collects || b->out.len <= BEND_KEPT_MAX)
		return;
	out = b->out;
	b->out = (struct buf){ 0 };
	b->collects = false;
	b->chunked = b->how != BEND_THROUGH || out.len != rs->size;
	if (b->chunked)
		add_chunked(&head, &rs->head);
	else
		buf_add(&head, rs->head.data, rs->head.len);
	put_buf(b, &head);
	put_piece(b, out.data, out.len);
}

static void take_events(struct bend *b, struct http_parts *rs)
{
	size_t len;

	while (!b->waits && (len = line_length(&rs->body)) > 0) {
		const char *line = rs->body.data;
		bool blank = *line == '\r' || *line == '\n';

		sse_feed(&b->sse, line, len, &events, b);
		buf_add(&b->held, line, len);
		buf_consume(&rs->body, len);
		if (blank)
			end_event(b, rs);
	}
	if (!b->waits && rs->body.len + b->held.len > BEND_KEPT_MAX - ROOM)
		let_through(b, rs);
}

static void end_events(struct bend *b, struct http_parts *rs)
{
	CLEANUP(buf_done) struct buf whole = { 0 };

	put_piece(b, buf_string(&b->held), b->held.len);
	put_piece(b, buf_string(&rs->body), rs->body.len);
	buf_reset(&b->held);
	if (b->collects) {
		struct span body = { buf_string(&b->out), b->out.len };

		http_parts_instead(&whole, rs, &rs->head, body);
		put_buf(b, &whole);
		buf_reset(&b->out);
	} else if (b->chunked) {
		put(b, "0\r\n\r\n", 5);
	}
}

/* ---- answers ---- */

void bend_begin(struct bend *b, const struct http_parts *rs, struct talk *talk)
{
	b->talk = talk;
	b->how = BEND_PASS;
	b->collects = false;
	buf_reset(&b->held);
	sse_done(&b->sse);
	b->sse = (struct sse){ .max = BEND_KEPT_MAX };
	if (talk && talk->alter.hung)
		b->mute = true;
	if (talk && rs->how != BODY_NONE &&
	    http_parts_is(&rs->head, "application/json"))
		b->how = BEND_WHOLE;
	else if (talk && rs->how != BODY_NONE &&
		 http_parts_is(&rs->head, "text/event-stream"))
		b->how = BEND_EVENTS;
	b->collects = b->how == BEND_EVENTS && rs->how == BODY_LENGTH;
	b->chunked = rs->how == BODY_CHUNKED;
	if (b->how == BEND_WHOLE)
		buf_add(&b->held, rs->head.data, rs->head.len);
	else if (!b->collects)
		put(b, rs->head.data, rs->head.len);
}

static void hold_whole(struct bend *b, const char *data, size_t len)
{
	if (len)
		buf_add(&b->held, data, len);
	if (b->held.len <= BEND_KEPT_MAX)
		return;
	talk_note(b->talk, "an answer has more than 1 MiB: it passes as it is");
	b->how = BEND_PASS;
	put_buf(b, &b->held);
}

void bend_body(struct bend *b, struct http_parts *rs, const char *data,
	       size_t len)
{
	switch (b->how) {
	case BEND_PASS:
		put(b, data, len);
		break;
	case BEND_WHOLE:
		hold_whole(b, data, len);
		break;
	case BEND_EVENTS:
		take_events(b, rs);
		break;
	case BEND_THROUGH:
		let_through(b, rs);
		break;
	}
	collect_no_more(b, rs);
}

void bend_end(struct bend *b, struct http_parts *rs)
{
	if (b->how == BEND_WHOLE)
		end_whole(b, rs);
	else if (b->how != BEND_PASS)
		end_events(b, rs);
	b->how = BEND_PASS;
	b->talk = NULL;
}

void bend_give_up(struct bend *b, struct http_parts *rs, const char *data,
		  size_t len)
{
	if (b->how == BEND_EVENTS || b->how == BEND_THROUGH) {
		send_collected(b, rs);
		put_piece(b, buf_string(&b->held), b->held.len);
		put_piece(b, buf_string(&rs->body), rs->body.len);
		buf_reset(&b->held);
	}
	put_buf(b, &b->held);
	put(b, data, len);
	b->how = BEND_PASS;
}

/* ---- requests ---- */

void bend_request(const struct alterations *plan, struct talk *t,
		  const struct http_parts *rq, const struct buf *head,
		  const struct buf *raw, struct buf *out)
{
	CLEANUP(buf_done) struct buf bent = { 0 };
	struct span text = { buf_string(&rq->body), rq->body.len };
	struct span passed;
	struct altered a;

	alter_message(plan, &t->alter, false, text, &bent, &a);
	passed = (struct span){ buf_string(&bent), bent.len };
	if (a.changed) {
		http_parts_instead(out, rq, head, passed);
	} else {
		buf_add(out, buf_string(head), head->len);
		buf_add(out, buf_string(raw), raw->len);
	}
	talk_text(t, false, text, a.changed ? &passed : NULL);
}
