/* SPDX-License-Identifier: MIT */
/*
 * The life of a server that is kept open: its keeper comes, tells when it is
 * up, when it ended, and goes.
 */
#include "serve/held.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "serve/board.h"
#include "serve/board_start.h"
#include "serve/board_tell.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/held_talk.h"
#include "wire/envelope.h"

/* A keeper that was told to end: its server may need two seconds. */
#define END_MS 5000
#define NAME_MAX_BYTES 512
#define KEY_MAX_BYTES 128
#define KIND_MAX_BYTES 16
#define IDLE_MAX (INT64_C(1000) * 24 * 3600 * 1000)

/* ---- as a transport ---- */

static int held_send(struct transport *t, const char *text, size_t len,
		     struct error *err)
{
	const struct held *h = t->impl;

	if (!h || !h->keeper || h->state != HELD_UP)
		return error_set(err, ERR_CONNECT, "the server has ended");
	if (len > TRANSPORT_QUEUE_MAX)
		return error_set(err, ERR_CONNECT,
				 "a message of %zu bytes is too long", len);
	control_peer_send(h->keeper, CONTROL_TEXT, text, len);
	return 0;
}

static void tell_keeper(const struct held *h, const char *op)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!h->keeper)
		return;
	buf_printf(&out, "{\"op\":\"%s\"}", op);
	control_peer_send(h->keeper, CONTROL_JSON, out.data, out.len);
}

/* The keeper ends what it keeps, then itself; closed follows from that. */
static void held_close(struct transport *t)
{
	struct held *h = t->impl;

	if (!h || h->end_by != LOOP_FOREVER)
		return;
	h->end_by = loop_now() + END_MS;
	tell_keeper(h, "end");
	h->board->deadline = h->end_by;
	h->board->server->events->due(h->board->server, h->end_by);
}

static const struct transport_ops held_ops = { .scheme = "held",
					       .send = held_send,
					       .close = held_close };

/* ---- its end ---- */

static void tell_closer(struct held *h)
{
	struct control_peer *p = TAKE(h->closer);
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!p || --p->ending > 0)
		return;
	buf_printf(&out, "{\"op\":\"closed\",\"count\":%zu}", p->ended);
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

static void on_later(void *owner)
{
	struct held *h = owner;
	struct board *d = h->board;
	CLEANUP(error_reset) struct error why = { 0 };

	if (!d->closing)
		error_set(&why, ERR_CONNECT, "its keeper ended");
	tell_closer(h);
	d->transport.impl = NULL;
	d->transport.events->closed(d, &why);
}

static void on_timer_closed(void *owner)
{
	mem_free(owner);
}

static void release(struct held *h)
{
	held_forget_questions(h);
	mem_free(TAKE(h->key));
	mem_free(TAKE(h->name));
	mem_free(TAKE(h->kind));
	mem_free(TAKE(h->ended));
	timer_close(&h->later, on_timer_closed);
}

void held_leave(struct control_peer *p)
{
	struct held *h = p->held;
	const struct registry *r = &p->server->registry;

	for (struct board *d = r->first; p->ending && d; d = d->next) {
		if (d->held && d->held->closer == p) {
			d->held->closer = NULL;
			p->ending--;
		}
	}
	if (!h)
		return;
	/* Whoever calls may be in the midst of its board. */
	p->held = NULL;
	h->keeper = NULL;
	timer_start(&h->later, 0);
}

/* ---- a keeper comes ---- */

static struct board *find_key(const struct serve *s, const char *key)
{
	struct board *d = s->registry.first;

	while (d && !(d->held && !d->closing && strcmp(d->held->key, key) == 0))
		d = d->next;
	return d;
}

static size_t count_held(const struct serve *s)
{
	size_t count = 0;

	for (const struct board *d = s->registry.first; d; d = d->next)
		count += d->held != NULL;
	return count;
}

static int check_question(const struct control_peer *p, const char *key,
			  const char *name, struct error *err)
{
	const struct board *there;

	if (p->held || p->device || p->waiting || !key || !*key || !name ||
	    !*name || strlen(key) > KEY_MAX_BYTES ||
	    strlen(name) > NAME_MAX_BYTES)
		return error_set(
			err, ERR_USAGE,
			"'hold' needs a name and a key, and a connection of its own");
	there = find_key(p->server, key);
	if (there) {
		error_set(err, ERR_CONNECT, "'%s' is open already", there->id);
		return error_code(err, EEXIST);
	}
	if (count_held(p->server) < HELD_MAX)
		return 0;
	error_set(err, ERR_CONNECT,
		  "serve keeps %d servers open, which is the most", HELD_MAX);
	return error_hint(
		err, "'mcpctl devices' shows them, 'mcpctl close' ends one");
}

/* The name; or, where that is another one's, with a number behind it. */
static char *choose_id(const struct serve *s, const char *name)
{
	CLEANUP(mem_free_ptr) char *small = mem_strdup(name);

	for (char *c = small; *c; c++)
		*c = (char)text_lower(*c);
	return registry_free_id(s, small, '#');
}

static void end_idle(struct held *h)
{
	CLEANUP(error_reset) struct error why = { 0 };
	char time[32];

	text_milliseconds(h->idle, time, sizeof(time));
	error_set(&why, ERR_CONNECT, "no command used it for %s", time);
	board_end(h->board, &why);
}

static bool sweep(struct held *h, int64_t now)
{
	struct board *d = h->board;

	if (d->ask_at <= now) {
		d->ask_at = LOOP_FOREVER;
		board_list_again(d, now);
	}
	if (d->deadline > now)
		return d->deadline != LOOP_FOREVER || d->ask_at != LOOP_FOREVER;
	if (h->end_by <= now) {
		/* It does not end by itself. */
		if (h->keeper)
			control_peer_finish(h->keeper, 0);
		d->deadline = LOOP_FOREVER;
		return false;
	}
	if (d->audience || d->relays || h->state == HELD_OPENING) {
		held_used(h);
		return true;
	}
	end_idle(h);
	return true;
}

static const char *state_name(const struct held *h)
{
	if (h->state == HELD_OPENING)
		return "opening";
	return h->state == HELD_ENDED ? "ended" : NULL;
}

static void describe(struct buf *out, const struct held *h)
{
	buf_text(out, ",\"held\":{\"name\":");
	buf_json_string(out, h->name, strlen(h->name));
	buf_printf(out, ",\"pid\":%d,\"idle_ms\":%" PRId64 ",\"restarts\":%u}",
		   h->keeper ? h->keeper->pid : 0, h->idle, h->restarts);
}

static const struct held_ops board_ops = {
	.sweep = sweep,
	.state_name = state_name,
	.describe = describe,
	.request = held_request,
	.notification = held_notification,
	.release = release,
};

static struct held *new_held(struct control_peer *p, const cJSON *q)
{
	struct held *h = mem_zalloc(sizeof(*h));
	const char *kind = json_string(q, "transport");

	h->ops = &board_ops;
	h->keeper = p;
	h->key = mem_strdup(json_string(q, "key"));
	h->name = mem_strdup(json_string(q, "name"));
	h->kind = board_keep(kind ? kind : "?", KIND_MAX_BYTES);
	h->end_by = LOOP_FOREVER;
	h->used_at = loop_now();
	if (json_integer(q, "for", &h->idle) || h->idle < 0 ||
	    h->idle > IDLE_MAX)
		h->idle = 0;
	timer_open(&h->later, p->server->loop, on_later, h);
	return h;
}

void held_ask(struct control_peer *p, const struct control_question *q)
{
	const char *key = json_string(q->json, "key");
	const char *name = json_string(q->json, "name");
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *id = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct held *h;

	if (check_question(p, key, name, &why)) {
		control_peer_error(p, &why);
		return;
	}
	id = choose_id(p->server, name);
	h = new_held(p, q->json);
	h->board = board_hold(p->server, id, h);
	h->board->transport.ops = &held_ops;
	h->board->transport.impl = h;
	p->held = h;
	board_record(h->board, RECORD_CONNECTED, LEVEL_INFO,
		     "is being opened (%s), by process %d", h->kind, p->pid);
	p->server->events->changed(h->board, "opening");
	buf_text(&out, "{\"op\":\"holding\"");
	json_add_text(&out, "id", h->board->id);
	buf_char(&out, '}');
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

/* ---- it tells ---- */

static bool is_keeper(struct control_peer *p)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (p->held)
		return true;
	error_set(&why, ERR_USAGE, "this connection keeps no server open");
	control_peer_error(p, &why);
	return false;
}

void held_up_ask(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct span reply = { 0 };
	struct held *h = p->held;

	if (!is_keeper(p) || h->state == HELD_UP || h->board->closing)
		return;
	json_span_member(q->text, "initialize", &reply);
	h->state = HELD_UP;
	h->restarts += h->ended != NULL;
	held_used(h);
	if (board_start_held(h->board, reply, json_string(q->json, "address"),
			     &why))
		board_unfit(h->board, DEVICE_FAILED, &why);
}

/* Who waited for it, by its name, is told why it does not come. */
static void fail_waiting(struct board *d, const struct error *why)
{
	struct control_peer *p = d->server->control->first, *next;

	for (; p; p = next) {
		next = p->next;
		if (!p->waiting || !p->pattern || !device_fits(d, p->pattern))
			continue;
		p->waiting = false;
		control_peer_error(p, why);
	}
}

void held_down_ask(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct held *h = p->held;
	struct board *d;

	if (!is_keeper(p) || h->state == HELD_ENDED || h->board->closing)
		return;
	d = h->board;
	control_error_decode(&why, json_object(q->json, "error"));
	held_forget_questions(h);
	if (h->state == HELD_OPENING)
		fail_waiting(d, &why);
	h->state = HELD_ENDED;
	if (!h->ended)
		h->ended = mem_strdup(why.text);
	board_record(d, RECORD_FAILED, LEVEL_WARN,
		     "%s; the next command opens it again", why.text);
	board_held_down(d, &why);
}

void held_failed_ask(struct control_peer *p, const struct control_question *q)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t id;

	if (!is_keeper(p) || json_integer(q->json, "id", &id))
		return;
	control_error_decode(&why, json_object(q->json, "error"));
	relay_failed(p->held->board, id, &why);
}

void held_frame(struct control_peer *p, const char *frame, size_t len)
{
	struct board *d = p->held->board;

	if (p->held->state == HELD_UP && d->open)
		d->transport.events->message(d, FRAME_TEXT, frame, len);
}

/* ---- it is wanted, used, too long unused ---- */

int held_wanted(struct held *h)
{
	if (h->state == HELD_UP)
		return 1;
	if (h->state == HELD_ENDED) {
		h->state = HELD_OPENING;
		tell_keeper(h, "reopen");
	}
	return 0;
}

void held_used(struct held *h)
{
	struct board *d = h->board;

	h->used_at = loop_now();
	if (!h->idle || d->closing)
		return;
	d->deadline = h->used_at + h->idle;
	d->server->events->due(d->server, d->deadline);
}

char *held_take_news(struct held *h)
{
	CLEANUP(mem_free_ptr) char *why = TAKE(h->ended);

	return why ? mem_printf("'%s' had ended (%s), and was started again",
				h->board->id, why) :
		     NULL;
}

/* ---- close ---- */

static bool is_meant(const struct board *d, const char *pattern,
		     const char *key)
{
	if (!d->held || d->closing)
		return false;
	if (key && strcmp(d->held->key, key) == 0)
		return true;
	return pattern &&
	       (strcmp(d->held->name, pattern) == 0 || device_fits(d, pattern));
}

static void refuse_close(struct control_peer *p, const char *pattern)
{
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_UNMET, "no server that is kept open fits '%s'",
		  pattern ? pattern : "");
	error_hint(&why, "'mcpctl devices' shows which there are");
	control_peer_error(p, &why);
}

void held_close_ask(struct control_peer *p, const struct control_question *q)
{
	const char *pattern = json_string(q->json, "device");
	const char *key = json_string(q->json, "key");
	CLEANUP(error_reset) struct error why = { 0 };
	struct board *d, *next;

	if (p->ending)
		return;
	error_set(&why, ERR_CONNECT, "it was closed by 'mcpctl close'");
	p->ended = 0;
	for (d = p->server->registry.first; d; d = next) {
		next = d->next;
		if (!is_meant(d, pattern, key))
			continue;
		d->held->closer = p;
		p->ending++;
		p->ended++;
		board_end(d, &why);
	}
	if (!p->ended)
		refuse_close(p, pattern);
}
