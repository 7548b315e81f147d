/* SPDX-License-Identifier: MIT */
/*
 * How long calls may take: deadlines, progress that moves them, clocks that
 * stand still, and the end of a call by time. Runs no loop.
 */
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "rpc/session_state.h"

/* No sum with it passes INT64_MAX: --timeout ends at ten days. */
void session_start_clock(struct call *c)
{
	c->deadline = loop_now() + c->timeout;
	c->latest = loop_now() + c->timeout * PROGRESS_TIMES;
}

int64_t session_next_deadline(const struct session *s)
{
	int64_t next = LOOP_FOREVER;

	if (s->holds)
		return next;
	for (const struct call *c = s->calls; c; c = c->next) {
		if (c->deadline < next)
			next = c->deadline;
	}
	return next;
}

void session_give_up(struct session *s, int32_t id)
{
	const struct transport_ops *ops = s->transport.ops;

	if (s->open && ops->forget)
		ops->forget(&s->transport, id);
}

bool session_cancel(struct session *s, const struct call *c, const char *reason)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *params = NULL;

	if (!s->open || s->link.dialect != DIALECT_PLAIN)
		return false;
	params = mem_printf("{\"requestId\":%d,\"reason\":\"%s\"}", (int)c->id,
			    reason);
	return session_notify(s, "notifications/cancelled", params, &ignored) ==
	       0;
}

/*
 * A server that works on in vain should know (mcp.md, 2025-11-25: time-outs);
 * never of initialize.
 */
static void expire(struct session *s, struct call *c)
{
	session_explain_timeout(s, c);
	if (strcmp(c->method, "initialize") != 0)
		session_cancel(s, c, "time over");
	session_end_call(s, c, false);
	session_give_up(s, c->id);
}

void session_expire_calls(struct session *s)
{
	int64_t now = loop_now();
	struct call *next;

	if (s->holds)
		return;
	for (struct call *c = s->calls; c; c = next) {
		next = c->next;
		if (c->deadline <= now)
			expire(s, c);
	}
}

/* Its token is the id of the call, which some give back as a text. */
static struct call *call_of_progress(const struct session *s,
				     const struct message *m)
{
	const cJSON *token = json_member(m->params, "progressToken");
	int64_t id;

	if (cJSON_IsString(token)) {
		if (text_integer(token->valuestring, 1, INT32_MAX, &id))
			return NULL;
	} else if (json_integer(m->params, "progressToken", &id)) {
		return NULL;
	}
	return session_find_call(s, id);
}

void session_progress(struct session *s, const struct message *m)
{
	struct call *c = NULL;
	int64_t deadline;

	if (strcmp(m->method, "notifications/progress") == 0)
		c = call_of_progress(s, m);
	if (!c)
		return;
	c->progress++;
	deadline = loop_now() + c->timeout;
	c->deadline = deadline < c->latest ? deadline : c->latest;
}

/* What a call lost since the clocks stood still, or since its own began. */
static void shift(struct call *c, int64_t held_at, int64_t now)
{
	int64_t began = c->deadline - c->timeout;
	int64_t lost = now - (began > held_at ? began : held_at);

	if (lost <= 0)
		return;
	c->deadline += lost;
	c->latest += lost;
}

void session_hold(struct session *s, bool hold)
{
	int64_t now = loop_now();

	if (hold) {
		if (s->holds++ == 0)
			s->held_at = now;
		return;
	}
	if (s->holds == 0 || --s->holds > 0)
		return;
	for (struct call *c = s->calls; c; c = c->next)
		shift(c, s->held_at, now);
	session_wake(s);
}
