/* SPDX-License-Identifier: MIT */
#include "bridge/bridge_peer.h"

#include <string.h>

#include "base/clock.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"

enum {
	BURST = 10, /* calls that need not wait for the rate */
	AGAIN_MS =
		250, /* it said that it is not ready, and we know no better */
	PREFIX_MAX = 32, /* bytes of a target that are its name */
	GRACE_MS = 1000 /* the peer's own limit strikes first */
};

/* ---- lists ---- */

struct bridge_list *bridge_list_new(const char *id, struct tool_list *tools)
{
	struct bridge_list *l = mem_zalloc(sizeof(*l));

	l->id = mem_strdup(id);
	l->tools = *tools;
	l->users = 1;
	*tools = (struct tool_list){ 0 };
	return l;
}

struct bridge_list *bridge_list_hold(struct bridge_list *l)
{
	if (l)
		l->users++;
	return l;
}

void bridge_list_release(struct bridge_list *l)
{
	if (!l || --l->users)
		return;
	tool_list_done(&l->tools);
	mem_free(l->id);
	mem_free(l);
}

/* ---- what is known ---- */

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9');
}

char *bridge_peer_prefix(const char *target)
{
	const char *at = strchr(target, ':');
	struct buf out = { 0 };

	if (!at)
		return mem_strdup(target);
	/* sim: and the like. */
	at = at[1] ? at + 1 : target;
	for (; *at && out.len < PREFIX_MAX; at++) {
		if (is_plain(*at))
			buf_char(&out, *at);
		else if (out.len && out.data[out.len - 1] != '_')
			buf_char(&out, '_');
	}
	buf_trim(&out, 0, "_");
	return buf_take(&out);
}

/* A host sees that something is asleep, and tools; not that one is on its way. */
void bridge_peer_state(struct bridge_peer *p, enum peer_state state,
		       const char *reason)
{
	if ((p->state == PEER_AWAY) != (state == PEER_AWAY))
		*p->changed = true;
	if (state == PEER_READY || p->state == PEER_READY)
		p->seen = unix_now_ms();
	if (state == PEER_READY)
		p->not_before = 0;
	p->state = state;
	if (!text_equal(p->reason, reason)) {
		mem_free(p->reason);
		p->reason = mem_strdup(reason);
	}
	*p->woken = true;
}

void bridge_peer_away(struct bridge_peer *p, enum peer_lacks lacks,
		      const char *reason)
{
	if (p->state == PEER_AWAY && p->lacks != lacks)
		*p->changed = true;
	p->lacks = lacks;
	bridge_peer_state(p, PEER_AWAY, reason);
}

const char *bridge_peer_away_word(const struct bridge_peer *p)
{
	if (p->state != PEER_AWAY)
		return NULL;
	if (p->lacks == LACKS_WAKING)
		return "asleep";
	return p->lacks == LACKS_START ? "not connected" : "away";
}

void bridge_peer_name(struct bridge_peer *p, const char *prefix,
		      const char *about)
{
	if (prefix && !text_equal(p->prefix, prefix)) {
		mem_free(p->prefix);
		p->prefix = mem_strdup(prefix);
		*p->changed = true;
	}
	if (about && !text_equal(p->about, about)) {
		mem_free(p->about);
		p->about = mem_strdup(about);
	}
}

void bridge_peer_list(struct bridge_peer *p, struct bridge_list *l)
{
	if (p->list == l)
		return;
	bridge_list_release(p->list);
	p->list = bridge_list_hold(l);
	*p->changed = *p->woken = true;
}

/* ---- calls ---- */

void bridge_call_free(struct bridge_call *c)
{
	if (!c)
		return;
	mem_free(c->method);
	mem_free(c->params);
	mem_free(c->photo);
	mem_free(c->no_photo);
	message_done(&c->reply);
	error_reset(&c->why);
	mem_free(c);
}

static void finish(struct bridge_call *c)
{
	if (!c->abandoned)
		c->done(c->owner, c);
	bridge_call_free(c);
}

static void put_first(struct bridge_peer *p, struct bridge_call *c)
{
	c->next = p->first;
	p->first = c;
	p->waiting++;
}

static struct bridge_call *take_first(struct bridge_peer *p)
{
	struct bridge_call *c = p->first;

	p->first = c->next;
	c->next = NULL;
	p->waiting--;
	return c;
}

bool bridge_peer_ask(struct bridge_peer *p, struct bridge_call *c)
{
	struct bridge_call **at = &p->first;

	/* One may be about to begin. */
	if (p->waiting >= (size_t)PEER_QUEUE_MAX + !p->current)
		return false;
	while (*at)
		at = &(*at)->next;
	*at = c;
	c->peer = p;
	p->waiting++;
	*p->woken = true;
	return true;
}

void bridge_call_abandon(struct bridge_call *c)
{
	struct bridge_peer *p = c->peer;

	c->abandoned = true;
	for (struct bridge_call **at = &p->first; *at; at = &(*at)->next) {
		if (*at != c)
			continue;
		*at = c->next;
		p->waiting--;
		bridge_call_free(c);
		return;
	}
	/* With the peer: it is busy until that has ended. */
}

/* ---- the end of one ---- */

/* It is put back, and asked once more when the peer is there. */
static bool goes_again(const struct bridge_peer *p, const struct bridge_call *c)
{
	if (c->abandoned || loop_now() + AGAIN_MS >= c->deadline)
		return false;
	if (c->end == CALL_UNSENT)
		return c->why.kind == ERR_CONNECT;
	return c->end == CALL_LOST && c->why.kind == ERR_CONNECT &&
	       c->repeatable && c->sends < 2 && p->kind;
}

static void settle(struct bridge_peer *p)
{
	struct bridge_call *c = p->current;

	if (!c || c->end == CALL_OPEN)
		return;
	p->current = NULL;
	c->sends += c->end != CALL_UNSENT;
	if (!goes_again(p, c)) {
		finish(c);
		return;
	}
	if (p->state == PEER_READY)
		p->not_before = loop_now() + AGAIN_MS;
	c->awake_by = c->deadline;
	c->end = CALL_OPEN;
	put_first(p, c);
}

static void give_up(struct bridge_peer *p)
{
	struct bridge_call *c = p->current;

	if (!c || p->held || loop_now() < c->deadline + GRACE_MS)
		return;
	p->kind->drop(p->owner, c);
	c->end = CALL_LOST;
	error_set(&c->why, ERR_TIMEOUT, "no answer came");
}

/* ---- the queue ---- */

static int64_t due_of(const struct bridge_peer *p, const struct bridge_call *c)
{
	return p->state != PEER_READY && c->awake_by < c->deadline ?
		       c->awake_by :
		       c->deadline;
}

static void expire(struct bridge_peer *p)
{
	struct bridge_call **at = &p->first;

	while (*at) {
		struct bridge_call *c = *at;

		if (loop_now() < due_of(p, c)) {
			at = &c->next;
			continue;
		}
		*at = c->next;
		p->waiting--;
		c->end = c->sends ? CALL_LOST : CALL_UNSENT;
		/* What went wrong before says more. */
		if (c->why.kind == ERR_NONE)
			error_set(&c->why, ERR_TIMEOUT,
				  "it was not sent in time");
		finish(c);
		/* Whoever is told may abandon others. */
		at = &p->first;
	}
}

/* From when on the next one may begin. */
static int64_t ready_at(const struct bridge_peer *p)
{
	int64_t at = p->credit_at - BURST * p->interval;

	return at > p->not_before ? at : p->not_before;
}

static void pay(struct bridge_peer *p, int64_t now)
{
	if (p->credit_at < now)
		p->credit_at = now;
	p->credit_at += p->interval;
}

static void begin(struct bridge_peer *p)
{
	struct bridge_call *c = take_first(p);
	int64_t now = loop_now();

	error_reset(&c->why);
	p->current = c;
	pay(p, now);
	if (p->kind->start(p->owner, c, c->deadline - now, &c->why))
		c->end = CALL_UNSENT;
}

void bridge_peer_hold(struct bridge_peer *p, bool hold)
{
	if (p->held == hold)
		return;
	p->held = hold;
	if (hold)
		p->held_at = loop_now();
	else if (p->current)
		p->current->deadline += loop_now() - p->held_at;
	*p->woken = true;
}

/* When its peer is to give it up, and when we do. */
static int64_t ends_at(const struct bridge_call *c)
{
	return loop_now() <= c->deadline ? c->deadline + 1 :
					   c->deadline + GRACE_MS;
}

int64_t bridge_peer_tend(struct bridge_peer *p)
{
	int64_t next = LOOP_FOREVER;

	/* Most of a thousand have nothing to do. */
	if (!p->current && !p->first)
		return LOOP_FOREVER;
	give_up(p);
	settle(p);
	expire(p);
	if (!p->current && p->first && p->state == PEER_READY) {
		if (loop_now() >= ready_at(p))
			begin(p);
		else
			next = ready_at(p);
	}
	if (p->current && p->current->end != CALL_OPEN)
		return loop_now();
	if (p->current && !p->held && ends_at(p->current) < next)
		next = ends_at(p->current);
	for (const struct bridge_call *c = p->first; c; c = c->next) {
		if (due_of(p, c) < next)
			next = due_of(p, c);
	}
	return next;
}

void bridge_peer_done(struct bridge_peer *p)
{
	while (p->first)
		bridge_call_free(take_first(p));
	if (p->current && p->kind)
		p->kind->drop(p->owner, p->current);
	bridge_call_free(TAKE(p->current));
	bridge_list_release(TAKE(p->list));
	mem_free(TAKE(p->prefix));
	mem_free(TAKE(p->id));
	mem_free(TAKE(p->about));
	mem_free(TAKE(p->reason));
}

/* ---- in words ---- */

static int64_t waited_of(const struct bridge_call *c)
{
	return (loop_now_us() - c->began_us) / 1000;
}

/* " (WHY); it was last seen at TIME over MQTT", as far as that is known. */
static void add_last(struct buf *out, const struct bridge_peer *p)
{
	char stamp[STAMP_SIZE];

	if (p->reason)
		buf_printf(out, " (%s)", p->reason);
	if (!p->seen || p->lacks == LACKS_WAKING || p->lacks == LACKS_START)
		return;
	buf_printf(out, "; it was last seen at %s",
		   clock_utc_at(stamp, p->seen));
	if (p->way)
		buf_printf(out, " over %s", p->way);
}

static void explain_away(const struct bridge_peer *p, const char *waited,
			 struct error *out)
{
	static const struct {
		const char *what, *todo;
	} words[] = {
		[LACKS_WAKING] = { "is asleep",
				   "say its wake word or press its button" },
		[LACKS_ITSELF] = { "is not heard of at the broker",
				   "see whether it has power and Wi-Fi (it comes back by itself)" },
		[LACKS_SERVE] = { "cannot be reached: the 'mcpctl serve' that it comes to is not there",
				  "start serve" },
		[LACKS_BROKER] = { "cannot be reached: serve has no way to the broker",
				   "see to that broker (the board comes back to it by itself)" },
		[LACKS_START] = { "cannot be reached", "start it" },
	};
	CLEANUP(buf_done) struct buf last = { 0 };

	add_last(&last, p);
	error_set(out, p->lacks == LACKS_WAKING ? ERR_TIMEOUT : ERR_CONNECT,
		  "%s %s%s: %s, then try again; waited %s", p->prefix,
		  words[p->lacks].what, buf_string(&last), words[p->lacks].todo,
		  waited);
}

static void explain_unsent(const struct bridge_call *c, struct error *out)
{
	const struct bridge_peer *p = c->peer;
	char waited[32];

	text_milliseconds(waited_of(c), waited, sizeof(waited));
	if (p->state == PEER_READY)
		error_set(
			out, ERR_TIMEOUT,
			"%s is busy with other calls: try again later; waited %s",
			p->prefix, waited);
	else if (p->state == PEER_COMING)
		error_set(
			out, ERR_TIMEOUT,
			"%s is %s, but not ready%s%s: try again later; waited %s",
			p->prefix,
			p->lacks == LACKS_START ? "dialled" : "connected",
			p->reason ? ": " : "", p->reason ? p->reason : "",
			waited);
	else
		explain_away(p, waited, out);
}

void bridge_call_explain(const struct bridge_call *c, struct error *out)
{
	const struct bridge_peer *p = c->peer;
	char waited[32];

	text_milliseconds(waited_of(c), waited, sizeof(waited));
	if (c->end == CALL_UNSENT && p->state == PEER_READY &&
	    c->why.kind != ERR_TIMEOUT)
		error_set(out, c->why.kind, "%s was not asked: %s", p->prefix,
			  c->why.text);
	else if (c->end == CALL_UNSENT)
		explain_unsent(c, out);
	else if (c->why.kind == ERR_TIMEOUT && c->sends)
		error_set(
			out, ERR_TIMEOUT,
			"%s did not answer within %s: it may be at it still, so look at its state before you try again",
			p->prefix, waited);
	else if (c->why.kind == ERR_CONNECT && c->repeatable)
		error_set(
			out, ERR_CONNECT,
			"%s went away in the midst of the call (%s), and %s: try again later",
			p->prefix, c->why.text,
			c->sends > 1 ? "again when it was repeated" :
				       "did not come back in time");
	else if (c->why.kind == ERR_CONNECT)
		error_set(
			out, ERR_CONNECT,
			"%s went away in the midst of the call (%s): whether it was carried out is not known, so look at its state before you try again",
			p->prefix, c->why.text);
	else
		error_set(out, c->why.kind,
			  "%s did not answer as it should: %s", p->prefix,
			  c->why.text);
}
