/* SPDX-License-Identifier: MIT */
/*
 * Calls in flight: numbered, matched with replies in any order, ended by a
 * reply or by the end of the connection; by time in session_clock.c.
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "rpc/session_state.h"

void call_done(struct call *c)
{
	message_done(&c->reply);
	mem_free(c->method);
	mem_free(c->subject);
	mem_free(c->broken);
	error_reset(&c->failure);
	*c = (struct call){ 0 };
}

char *call_label(const struct call *c)
{
	if (c->subject)
		return mem_printf("%s %s", c->method, c->subject);
	return mem_strdup(c->method);
}

struct call *session_find_call(const struct session *s, int64_t id)
{
	struct call *c = s->calls;

	while (c && c->id != id)
		c = c->next;
	return c;
}

static bool unlink_call(struct session *s, const struct call *c)
{
	struct call **at = &s->calls;

	while (*at && *at != c)
		at = &(*at)->next;
	if (!*at)
		return false;
	*at = c->next;
	return true;
}

static void remember(struct session *s, const struct call *c, bool answered)
{
	struct past_call *p = &s->past[s->past_next++ % PAST_CALLS];

	mem_free(p->label);
	*p = (struct past_call){ .id = c->id, .answered = answered };
	p->ended_us = loop_now_us();
	p->label = call_label(c);
}

void session_forget_past(struct session *s)
{
	for (size_t i = 0; i < PAST_CALLS; i++)
		mem_free(s->past[i].label);
}

/* The end of a call: c->failure or c->reply says how. */
void session_end_call(struct session *s, struct call *c, bool answered)
{
	bool there = unlink_call(s, c);

	assert(there);
	(void)there;
	c->next = NULL;
	c->ended_us = loop_now_us();
	c->done = true;
	remember(s, c, answered);
	session_wake(s);
}

void session_forget(struct session *s, struct call *c)
{
	if (!unlink_call(s, c))
		return;
	c->next = NULL;
	remember(s, c, false);
	session_give_up(s, c->id);
}

/*
 * Within int32, never its last: firmware turns what it cannot hold into that
 * one (device.md 3.2).
 */
int32_t session_next_id(const struct session *s)
{
	int32_t id = s->next_id;

	if (id >= INT32_MAX)
		id = 1;
	while (session_find_call(s, id))
		id = id + 1 < INT32_MAX ? id + 1 : 1;
	return id;
}

static int32_t take_id(struct session *s)
{
	int32_t id = session_next_id(s);

	s->next_id = id + 1;
	return id;
}

/* What was there of an earlier use goes, but for the subject. */
static void prepare_call(struct session *s, struct call *c, const char *method,
			 int64_t timeout)
{
	char *subject = TAKE(c->subject);

	call_done(c);
	c->subject = subject;
	c->method = mem_strdup(method);
	c->id = take_id(s);
	c->timeout = timeout ? timeout : s->config.timeout;
}

int session_start(struct session *s, struct call *c, const char *method,
		  const char *params, int64_t timeout, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	prepare_call(s, c, method, timeout);
	c->silence = session_silence_reason(s, c, params);
	jsonrpc_request(&payload, c->id, method, params);
	c->started_us = loop_now_us();
	session_start_clock(c);
	if (session_send(s, &payload, err))
		return -1;
	c->next = s->calls;
	s->calls = c;
	return 0;
}

int session_notify(struct session *s, const char *method, const char *params,
		   struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	jsonrpc_notification(&payload, method, params);
	return session_send(s, &payload, err);
}

static int call_outcome(const struct call *c, struct error *err)
{
	if (c->failure.kind == ERR_NONE)
		return 0;
	error_copy(err, &c->failure);
	return -1;
}

int session_wait(struct session *s, struct call *c, struct error *err)
{
	/* What is not in flight would be waited for without end. */
	assert(c->done || session_find_call(s, c->id) == c);
	for (;;) {
		session_drain(s);
		if (c->done)
			return call_outcome(c, err);
		if (session_turn(s, LOOP_FOREVER, err))
			return -1;
	}
}

void session_call_failed(struct session *s, int64_t id, const struct error *why)
{
	struct call *c = session_find_call(s, id);

	if (!c)
		return;
	error_copy(&c->failure, why);
	session_end_call(s, c, false);
}

static void fail_call(struct session *s, struct call *c)
{
	CLEANUP(mem_free_ptr) char *label = call_label(c);
	bool known = s->why.kind != ERR_NONE;

	error_set(&c->failure, ERR_CONNECT, "connection lost during '%s'%s%s",
		  label, known ? ": " : "", known ? s->why.text : "");
	if (c->silence)
		error_hint(&c->failure, "%s", c->silence);
	else if (known && s->why.hint[0])
		error_hint(&c->failure, "%s", s->why.hint);
	else
		error_hint(&c->failure, "whether the call was carried out is "
					"not known");
	if (s->why.detail)
		error_detail(&c->failure, s->why.detail, strlen(s->why.detail));
	session_end_call(s, c, false);
}

void session_fail_calls(struct session *s)
{
	while (s->calls)
		fail_call(s, s->calls);
}
