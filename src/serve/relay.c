/* SPDX-License-Identifier: MIT */
/*
 * Requests in flight, in one table by id for all devices, and in a list of
 * each device. What the replies mean is their askers' matter.
 */
#include "serve/relay.h"

#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"
#include "mcp/modern.h"
#include "serve/board.h"
#include "serve/board_tell.h"
#include "serve/photos.h"
#include "serve/serve_state.h"

static uint64_t hash_of(int64_t id)
{
	return map_hash(&id, sizeof(id));
}

static struct relay *find(const struct relay_table *t, int64_t id)
{
	uint64_t hash = hash_of(id);
	struct relay *r;
	size_t at = 0;

	while ((r = map_find(&t->by_id, hash, &at))) {
		if (r->id == id)
			break;
	}
	return r;
}

/*
 * Not from 1, nor near to where another serve may be: a device at a broker
 * answers both where both hear it.
 */
static void choose_first(struct relay_table *t)
{
	uint32_t bits;

	random_bytes(&bits, sizeof(bits));
	t->first = 10000 + (int32_t)(bits % (INT32_MAX / 2));
	t->last = t->first - 1;
}

static int32_t next_id(struct relay_table *t)
{
	if (!t->first)
		choose_first(t);
	do
		t->last = t->last < INT32_MAX ? t->last + 1 : 1;
	while (find(t, t->last));
	return t->last;
}

int32_t relay_probe_id(struct relay_table *t)
{
	if (!t->probe)
		t->probe = next_id(t);
	return t->probe;
}

bool relay_is_probe(const struct relay_table *t, int64_t id)
{
	return t->probe && id == t->probe;
}

bool relay_issued(const struct relay_table *t, int64_t id)
{
	return t->first && id >= t->first && id <= t->last;
}

static void put_in(struct relay *r, struct board *d)
{
	map_add(&d->server->relays.by_id, hash_of(r->id), r);
	r->device = d;
	r->next_of_device = d->relays;
	r->link_of_device = &d->relays;
	if (r->next_of_device)
		r->next_of_device->link_of_device = &r->next_of_device;
	d->relays = r;
}

#define PAST_RELAYS 512u
#define TOKEN_KEPT \
	64 /* bytes: who asks with more is not told of what comes late */

static size_t past_count(const struct relay_table *t)
{
	return t->past_next < PAST_RELAYS ? t->past_next : PAST_RELAYS;
}

static void remember(struct relay_table *t, const struct relay *r)
{
	struct past_relay *p;

	if (!t->past)
		t->past = mem_zalloc(PAST_RELAYS * sizeof(*t->past));
	p = &t->past[t->past_next++ % PAST_RELAYS];
	mem_free(p->asker_id);
	*p = (struct past_relay){ .id = r->id };
	p->device = r->device;
	if (!r->whose || strlen(r->asker_id) > TOKEN_KEPT)
		return;
	p->whose = r->whose;
	p->asker_id = mem_strdup(r->asker_id);
}

static void give_up(const struct board *d, int32_t id, int64_t at_us)
{
	if (d->diag)
		diag_gave_up(d->diag, id, at_us);
}

/* The asker's id is the caller's now. */
static char *take_out(struct relay *r, bool answered)
{
	if (!answered)
		give_up(r->device, r->id, loop_now_us());
	remember(&r->device->server->relays, r);
	map_remove(&r->device->server->relays.by_id, hash_of(r->id), r);
	*r->link_of_device = r->next_of_device;
	if (r->next_of_device)
		r->next_of_device->link_of_device = r->link_of_device;
	r->next_of_device = NULL;
	r->link_of_device = NULL;
	r->device = NULL;
	mem_free(TAKE(r->asker_token));
	return TAKE(r->asker_id);
}

/* The newest of that id, since ids may wrap. */
static const struct past_relay *find_past(const struct relay_table *t,
					  int64_t id)
{
	for (size_t back = 1; back <= past_count(t); back++) {
		const struct past_relay *p =
			&t->past[(t->past_next - back) % PAST_RELAYS];

		if (p->id == id)
			return p;
	}
	return NULL;
}

const void *relay_asker(const struct board *d, int64_t id,
			const char **asker_id)
{
	const struct relay_table *t = &d->server->relays;
	const struct relay *r = find(t, id);
	const struct past_relay *p = r ? NULL : find_past(t, id);

	if (r && r->device == d && r->whose) {
		*asker_id = r->asker_id;
		return r->whose;
	}
	if (!p || p->device != d)
		return NULL;
	*asker_id = p->asker_id;
	return p->whose;
}

bool relay_asked(const struct board *d, int64_t id)
{
	const struct relay_table *t = &d->server->relays;
	const struct relay *r = find(t, id);
	const struct past_relay *p = r ? NULL : find_past(t, id);

	return (r && r->device == d) || (p && p->device == d);
}

void relay_leave(struct relay_table *t, const void *who)
{
	for (size_t i = 0; i < past_count(t); i++) {
		struct past_relay *p = &t->past[i];

		if (p->whose == who)
			p->whose = NULL;
		if (p->device == who)
			p->device = p->whose = NULL;
	}
}

bool relay_is_on_its_way(const struct relay_table *t, int64_t id)
{
	return find(t, id) != NULL;
}

static int64_t soonest_of(const struct relay *r)
{
	return r->silent_at < r->deadline ? r->silent_at : r->deadline;
}

/* Who is silent is asked by serve alone, to find out what it is. */
static bool is_up(const struct board *d, const struct relay *r)
{
	return d->link.up || (d->link.dialect == DIALECT_UNKNOWN && d->start &&
			      r == &d->start->relay);
}

static int check_device(const struct board *d, const struct relay *r,
			struct error *err)
{
	if (d->held && !d->open)
		return error_set(err, ERR_CONNECT,
				 "the server has ended, or is being opened");
	if (d->closing)
		return error_set(err, ERR_CONNECT,
				 "the connection of the device is closing");
	if (!is_up(d, r))
		return error_set(err, ERR_CONNECT,
				 "the device has not said hello yet");
	return 0;
}

/* With our id in place of the one, and of the other where there is one. */
static void put_id(struct buf *out, struct span payload, struct span one,
		   struct span other, int32_t id)
{
	const struct span first =
		other.text && other.text < one.text ? other : one;
	const struct span second = first.text == one.text ? other : one;
	const char *at = first.text + first.len,
		   *end = payload.text + payload.len;

	buf_add(out, payload.text, (size_t)(first.text - payload.text));
	buf_printf(out, "%d", (int)id);
	if (second.text) {
		buf_add(out, at, (size_t)(second.text - at));
		buf_printf(out, "%d", (int)id);
		at = second.text + second.len;
	}
	buf_add(out, at, (size_t)(end - at));
}

int relay_send(struct relay *r, struct board *d, struct span payload,
	       struct span id, int64_t timeout, struct error *err)
{
	CLEANUP(buf_done) struct buf ours = { 0 }, frame = { 0 };

	if (check_device(d, r, err))
		return -1;
	r->id = next_id(&d->server->relays);
	put_id(&ours, payload, id, r->token, r->id);
	link_wrap(&d->link, ours.data, ours.len, &frame);
	if (board_send(d, frame.data, frame.len, err)) {
		board_untold(d);
		return -1;
	}
	if (!d->asked_ms)
		d->asked_ms = unix_now_ms();
	r->asker_id = mem_strndup(id.text, id.len);
	if (r->token.text)
		r->asker_token = mem_strndup(r->token.text, r->token.len);
	r->token = (struct span){ 0 };
	r->started_us = loop_now_us();
	r->deadline = timeout > 0 ? loop_now() + timeout : LOOP_FOREVER;
	r->silent_at = r->patience > 0 ? loop_now() + r->patience : r->deadline;
	put_in(r, d);
	if (r->patience > 0)
		give_up(d, r->id, r->started_us + r->patience * 1000);
	if (soonest_of(r) < LOOP_FOREVER)
		d->server->events->due(d->server, soonest_of(r));
	return 0;
}

/* A kept server of 2026-07-28 wants to know with each request who asks. */
static const char *params_for(const struct board *d, const char *params,
			      struct buf *room)
{
	const struct client_answers none = { 0 };
	const struct modern_meta meta = {
		.revision = d->held ? d->held->modern : NULL, .answers = &none
	};

	if (!meta.revision)
		return params;
	modern_params(room, params, &meta);
	return buf_string(room);
}

int relay_request(struct relay *r, struct board *d, const char *method,
		  const char *params, int64_t timeout, struct error *err)
{
	static const char head[] = "{\"jsonrpc\":\"2.0\",\"id\":";
	static const char none[] = "null,\"method\":";
	CLEANUP(buf_done) struct buf payload = { 0 }, room = { 0 };
	struct span id;

	params = params_for(d, params, &room);
	buf_text(&payload, head);
	buf_text(&payload, none);
	buf_json_string(&payload, method, strlen(method));
	if (params) {
		buf_text(&payload, ",\"params\":");
		buf_text(&payload, params);
	}
	buf_char(&payload, '}');
	id = (struct span){ payload.data + sizeof(head) - 1, 4 };
	return relay_send(r, d, (struct span){ payload.data, payload.len }, id,
			  timeout, err);
}

/* Once for each request. */
static void count_silence(struct relay *r)
{
	if (r->silent_at < LOOP_FOREVER)
		board_unanswered(r->device);
	r->silent_at = LOOP_FOREVER;
}

/*
 * Who asked gives up when its own time is over, which is told by its clock: a
 * tenth is allowed for that. What is given up earlier says nothing.
 */
static void judge_forgotten(struct relay *r)
{
	int64_t started = r->started_us / 1000;
	int64_t patience = r->silent_at - started;

	if (r->silent_at < LOOP_FOREVER &&
	    loop_now() - started >= patience - patience / 10)
		count_silence(r);
	else
		board_untold(r->device);
}

void relay_forget(struct relay *r)
{
	if (!r->device)
		return;
	judge_forgotten(r);
	mem_free(take_out(r, false));
}

void relay_restore_id(struct buf *out, struct span frame, struct span id,
		      const char *to)
{
	size_t before = (size_t)(id.text - frame.text);
	int64_t number;
	bool quoted = *id.text == '"' && *to != '"' &&
		      jsonrpc_number((struct span){ to, strlen(to) }, &number);

	buf_add(out, frame.text, before);
	buf_printf(out, quoted ? "\"%s\"" : "%s", to);
	buf_add(out, id.text + id.len, frame.len - before - id.len);
}

bool relay_answer(struct board *d, int64_t id, struct span frame,
		  struct span id_text)
{
	struct relay *r = find(&d->server->relays, id);
	CLEANUP(buf_done) struct buf answer = { 0 }, room = { 0 };
	CLEANUP(mem_free_ptr) char *asker_id = NULL;
	struct span reply;

	if (!r || r->device != d)
		return false;
	asker_id = take_out(r, true);
	if (r->counts)
		board_calls_add(&d->calls, loop_now_us() - r->started_us);
	board_answered(d);
	relay_restore_id(&answer, frame, id_text, asker_id);
	reply = (struct span){ buf_string(&answer), answer.len };
	if (!r->pictures)
		reply = photos_unmark(d->photos, reply, &room);
	r->done(r->owner, r, reply.text, reply.len, NULL);
	return true;
}

static void fail(struct relay *r, const struct error *why)
{
	mem_free(take_out(r, false));
	r->done(r->owner, r, NULL, 0, why);
}

const void *relay_progress(const struct board *d, int64_t id,
			   const char **token)
{
	const struct relay *r = find(&d->server->relays, id);

	if (!r || r->device != d || !r->asker_token)
		return NULL;
	*token = r->asker_token;
	return r->whose;
}

void relay_failed(struct board *d, int64_t id, const struct error *why)
{
	struct relay *r = find(&d->server->relays, id);

	if (r && r->device == d)
		fail(r, why);
}

void relay_fail_all(struct board *d, const struct error *why)
{
	while (d->relays)
		fail(d->relays, why);
}

static void time_over(struct relay *r)
{
	int64_t took = r->deadline - r->started_us / 1000;
	struct error why = { 0 };
	char text[32];

	count_silence(r);
	text_milliseconds(took, text, sizeof(text));
	error_set(&why, ERR_TIMEOUT, "no answer within %s", text);
	fail(r, &why);
}

/* Whoever is told may ask and forget others: each is looked for anew. */
static void end_over(struct relay_table *t, int64_t now)
{
	int32_t *over = mem_alloc((t->by_id.count + 1) * sizeof(*over));
	size_t count = 0, at = 0;
	struct relay *r;

	while ((r = map_each(&t->by_id, &at))) {
		if (r->deadline <= now)
			over[count++] = r->id;
	}
	while (count > 0) {
		r = find(t, over[--count]);
		if (r && r->deadline <= now)
			time_over(r);
	}
	mem_free(over);
}

int64_t relay_sweep(struct relay_table *t, int64_t now)
{
	int64_t soonest = LOOP_FOREVER;
	struct relay *r;
	size_t at = 0;

	end_over(t, now);
	while ((r = map_each(&t->by_id, &at))) {
		if (r->silent_at <= now)
			count_silence(r);
		if (soonest_of(r) < soonest)
			soonest = soonest_of(r);
	}
	return soonest;
}

void relay_done(struct relay_table *t)
{
	map_done(&t->by_id);
	for (size_t i = 0; i < past_count(t); i++)
		mem_free(t->past[i].asker_id);
	mem_free(t->past);
	t->past = NULL;
	t->past_next = 0;
}
