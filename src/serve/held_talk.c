/* SPDX-License-Identifier: MIT */
/*
 * What passes between a server that is kept open and the commands that share
 * its one session: whose progress it is, who is asked what it asks, and what
 * each says for itself alone.
 */
#include "serve/held_talk.h"

#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "mcp/unanswered.h"
#include "serve/board.h"
#include "serve/board_start.h"
#include "serve/board_tell.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/held.h"
#include "wire/envelope.h"

#define ID_MAX_BYTES 1024 /* of a question of the server */

static void send_quietly(struct board *d, const struct buf *payload)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	/* If it is gone, nobody waits for it. */
	board_send(d, payload->data, payload->len, &ignored);
}

/* ---- what the server asks ---- */

static bool is_id(const struct held_question *q, struct span id)
{
	return strlen(q->id) == id.len && memcmp(q->id, id.text, id.len) == 0;
}

static void free_question(struct held_question *q)
{
	mem_free(q->id);
	mem_free(q->method);
	mem_free(q);
}

/* The open one of that id; peer NULL: whoever was asked. Yours. */
static struct held_question *take_question(struct held *h, struct span id,
					   const struct control_peer *peer)
{
	struct held_question **at = &h->questions, *q;

	while ((q = *at) && !(is_id(q, id) && (!peer || q->peer == peer)))
		at = &q->next;
	if (!q)
		return NULL;
	*at = q->next;
	h->questions_count--;
	return q;
}

void held_forget_questions(struct held *h)
{
	struct held_question *q;

	while ((q = h->questions)) {
		h->questions = q->next;
		free_question(q);
	}
	h->questions_count = 0;
}

static void answer_for_nobody(struct board *d, const char *id,
			      const char *method)
{
	CLEANUP(buf_done) struct buf reply = { 0 };

	unanswered_reply(&reply, id, method);
	send_quietly(d, &reply);
}

void held_abandon(struct board *d, const struct control_peer *p)
{
	struct held_question **at = &d->held->questions, *q;

	while ((q = *at)) {
		if (q->peer != p) {
			at = &q->next;
			continue;
		}
		*at = q->next;
		d->held->questions_count--;
		answer_for_nobody(d, q->id, q->method);
		free_question(q);
	}
}

static bool has_question(const struct held *h, const struct control_peer *p)
{
	const struct held_question *q = h->questions;

	while (q && q->peer != p)
		q = q->next;
	return q != NULL;
}

static struct control_peer *in_audience(const struct board *d, const void *who)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;

	while (p && p != who)
		p = p->next_there;
	return p;
}

/* The only one that is attached and did not come to look on; NULL. */
static struct control_peer *only_one(const struct board *d)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;
	struct control_peer *found = NULL;

	for (; p; p = p->next_there) {
		if (p->tail)
			continue;
		if (found)
			return NULL;
		found = p;
	}
	return found;
}

/*
 * Nothing in a question tells which call it is for. It is most likely the
 * newest one, of a command that has no question yet: older ones have asked
 * theirs.
 */
static struct control_peer *whom_to_ask(const struct board *d)
{
	struct control_peer *busy = NULL;

	for (const struct relay *r = d->relays; r; r = r->next_of_device) {
		struct control_peer *p = in_audience(d, r->whose);

		if (p && !has_question(d->held, p))
			return p;
		if (p && !busy)
			busy = p;
	}
	return busy ? busy : only_one(d);
}

void held_request(struct board *d, const struct message *m)
{
	struct control_peer *p = whom_to_ask(d);
	CLEANUP(mem_free_ptr) char *id = mem_strndup(m->id.text, m->id.len);
	struct held *h = d->held;
	struct held_question *q;

	/* Its keeper answers that. */
	if (strcmp(m->method, "ping") == 0)
		return;
	if (!p || m->id.len > ID_MAX_BYTES ||
	    h->questions_count >= HELD_QUESTIONS_MAX) {
		answer_for_nobody(d, id, m->method);
		return;
	}
	q = mem_zalloc(sizeof(*q));
	q->id = TAKE(id);
	q->method = mem_strdup(m->method);
	q->peer = p;
	q->next = h->questions;
	h->questions = q;
	h->questions_count++;
	control_peer_send(p, CONTROL_TEXT, m->text, m->len);
}

/* ---- what it tells ---- */

/* With another token or id in place of that part, within the message. */
static void put_in_place(struct buf *out, const struct message *m,
			 struct span part, const char *token)
{
	size_t before = (size_t)(part.text - m->text);

	buf_add(out, m->text, before);
	buf_text(out, token);
	buf_add(out, part.text + part.len, m->len - before - part.len);
}

/* To the command whose call it is; who looks on sees all. */
static bool pass_progress(struct board *d, const struct message *m)
{
	CLEANUP(buf_done) struct buf own = { 0 };
	const char *token = NULL;
	struct control_peer *p;
	struct span ours;
	int64_t id;

	if (!json_span_member(m->params, "progressToken", &ours) ||
	    !jsonrpc_number(ours, &id))
		return false;
	p = in_audience(d, relay_progress(d, id, &token));
	if (!p || !token)
		return false;
	put_in_place(&own, m, ours, token);
	control_peer_send(p, CONTROL_TEXT, own.data, own.len);
	d->server->events->shown(d, m->text, m->len, p);
	return true;
}

/* To the command that subscribed (subscriptions/listen); likewise. */
static bool pass_subscribed(struct board *d, const struct message *m)
{
	CLEANUP(buf_done) struct buf own = { 0 };
	const char *theirs = NULL;
	struct control_peer *p;
	struct span meta, ours;
	int64_t id;

	if (!d->held->modern || !json_span_member(m->params, "_meta", &meta) ||
	    !json_span_member(meta, "io.modelcontextprotocol/subscriptionId",
			      &ours) ||
	    !jsonrpc_number(ours, &id))
		return false;
	p = in_audience(d, relay_asker(d, id, &theirs));
	if (!p || !theirs)
		return false;
	put_in_place(&own, m, ours, theirs);
	control_peer_send(p, CONTROL_TEXT, own.data, own.len);
	d->server->events->shown(d, m->text, m->len, p);
	return true;
}

static void withdrawn(struct board *d, const struct message *m)
{
	struct held_question *q;
	struct span id;

	if (!json_span_member(m->params, "requestId", &id))
		return;
	q = take_question(d->held, id, NULL);
	if (q)
		free_question(q);
}

bool held_notification(struct board *d, const struct message *m)
{
	if (strcmp(m->method, "notifications/progress") == 0)
		return pass_progress(d, m);
	if (strcmp(m->method, "notifications/cancelled") == 0)
		withdrawn(d, m);
	else if (strcmp(m->method, "notifications/tools/list_changed") == 0)
		board_list_again(d, loop_now());
	return pass_subscribed(d, m);
}

/* ---- what a command says ---- */

/* It was initialized once, for all. */
static void greet(struct control_peer *p, const struct message *m)
{
	const char *kept = p->device->initialize;
	CLEANUP(message_done) struct message reply = { 0 };
	CLEANUP(mem_free_ptr) char *id = mem_strndup(m->id.text, m->id.len);
	CLEANUP(mem_free_ptr) char *result = NULL;
	CLEANUP(buf_done) struct buf out = { 0 };

	if (kept && message_read(&reply, kept, strlen(kept), NULL) == 0)
		result = mem_strndup(reply.result_text.text,
				     reply.result_text.len);
	if (result)
		jsonrpc_result(&out, id, result);
	else
		jsonrpc_error(&out, id, JSONRPC_INTERNAL_ERROR,
			      "what the server said to initialize is not kept");
	control_peer_send(p, CONTROL_TEXT, out.data, out.len);
}

void held_cancel(struct board *d, int32_t id, const char *reason)
{
	CLEANUP(buf_done) struct buf params = { 0 }, payload = { 0 };

	if (!d->open)
		return;
	buf_printf(&params, "{\"requestId\":%d,\"reason\":", (int)id);
	buf_json_string(&params, reason, strlen(reason));
	buf_char(&params, '}');
	jsonrpc_notification(&payload, "notifications/cancelled",
			     buf_string(&params));
	send_quietly(d, &payload);
}

/* Only of who was asked: others may only look on. */
static void answer(struct control_peer *p, const struct message *m)
{
	struct held_question *q =
		m->id.text ? take_question(p->device->held, m->id, p) : NULL;
	CLEANUP(buf_done) struct buf payload = { 0 };

	if (!q)
		return;
	free_question(q);
	buf_add(&payload, m->text, m->len);
	send_quietly(p->device, &payload);
}

bool held_said(struct control_peer *p, const struct message *m)
{
	switch (m->kind) {
	case MESSAGE_REQUEST:
		if (strcmp(m->method, "initialize") != 0 ||
		    p->device->held->modern)
			return false;
		greet(p, m);
		return true;
	case MESSAGE_NOTIFICATION:
		return strcmp(m->method, "notifications/initialized") == 0;
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		answer(p, m);
		return true;
	case MESSAGE_UNKNOWN:
	case MESSAGE_BATCH:
		break;
	}
	return false;
}
