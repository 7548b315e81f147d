/* SPDX-License-Identifier: MIT */
#include "cli/round_trip.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "diag/facts.h"
#include "diag/ladder.h"
#include "mcp/tools.h"
#include "rpc/session_calls.h"

/* The engine, of ours or of serve, saw that since the call began; NULL. */
static const char *seen_since(const struct connection *c, enum diag_code code)
{
	const struct finding *f = diag_finding(&c->diag, code);

	return f && f->last_us >= session_silence(c->session)->started_us ?
		       f->detail :
		       NULL;
}

/* A question that is under way. */
struct climb {
	struct session *session;
	bool strayed;
	struct call loop;
	bool pinged, looped;
	int64_t from_us, asked_us;
};

#define SERVE_MS 200 /* for its answer, which it gives at once */

static bool has_pong(const struct climb *a, struct layers *now)
{
	session_layers(a->session, now);
	return now->pong_us >= 0;
}

static bool is_answered(const struct call *call)
{
	return call->done && (call->broken || call->failure.kind == ERR_NONE ||
			      call->failure.kind == ERR_PEER);
}

/*
 * All is said that can be. Where the loop answers, and the tool does not, what
 * is left of the time is waited for its reply, before that is called lost.
 */
static bool is_over(const struct climb *a)
{
	const struct session_silence *s = session_silence(a->session);
	struct layers now;

	if (s->late_us)
		return true;
	if (s->tool && !a->strayed && is_answered(&a->loop))
		return false;
	return (!a->pinged || has_pong(a, &now)) &&
	       (!a->looped || a->loop.done);
}

/* Any answer of the main loop counts; firmware has no ping. */
static void begin(struct climb *a, bool board)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	a->from_us = loop_now_us();
	a->pinged = session_ping(a->session, &ignored) == 0;
	a->loop.probe = true;
	a->looped = board && session_start(a->session, &a->loop, "ping", NULL,
					   LADDER_ASK_MS, &ignored) == 0;
}

/* -1: err, the connection ended, or the user ended it. */
static int wait_until(struct climb *a, bool (*over)(const struct climb *a),
		      int64_t ms, struct error *err)
{
	const int64_t deadline = loop_now() + ms;

	while (!over(a) && loop_now() < deadline) {
		if (session_step(a->session, NULL, deadline, err))
			return -1;
	}
	return 0;
}

static bool is_told(const struct climb *a)
{
	struct layers now;

	return session_layers(a->session, &now);
}

static int wait_for(struct climb *a, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct layers now;

	if (wait_until(a, is_over, LADDER_ASK_MS, err))
		return -1;
	a->asked_us = loop_now_us() - a->from_us;
	/* serve told how its TCP was then: how is it now? */
	if (!a->pinged || !session_link(a->session)->relayed ||
	    has_pong(a, &now) || session_ping(a->session, &ignored))
		return 0;
	return wait_until(a, is_told, SERVE_MS, err);
}

static void look(struct ladder *l, const struct climb *a)
{
	const struct session_silence *s = session_silence(a->session);
	struct layers now;
	const bool pong = has_pong(a, &now);

	l->asked_ms = a->asked_us / 1000;
	/* Over HTTP the connection ended with the request. */
	l->layers = now.tcp ? now : s->layers;
	l->waited_ms = (s->over_us - s->started_us) / 1000;
	if (a->pinged && now.ping)
		l->pong = pong ? RUNG_ANSWERED : RUNG_SILENT;
	l->pong_us = now.pong_us;
	if (a->looped && is_answered(&a->loop))
		l->loop = RUNG_ANSWERED;
	else if (a->looped &&
		 (!a->loop.done || a->loop.failure.kind == ERR_TIMEOUT))
		l->loop = RUNG_SILENT;
	l->loop_us = a->loop.ended_us - a->loop.started_us;
	l->late_us = s->late_us;
	l->tool = s->tool;
}

static void tell(struct connection *c, const struct ladder *l,
		 const struct verdict *v, struct error *err)
{
	CLEANUP(buf_done) struct buf lines = { 0 }, proof = { 0 }, json = { 0 };

	ladder_lines(&lines, l, v);
	ladder_proof(&proof, l);
	ladder_json(&json, l, v);
	error_detail(err, buf_string(&lines), lines.len);
	error_hint(err, "%s", v->next);
	render_keep_ladder(&c->app->out, buf_string(&json));
	/* Those were found in a frame. */
	if (v->code < 0 || v->code == D116 || v->code == D143)
		return;
	c->worded = true;
	diag_found(&c->diag, (enum diag_code)v->code,
		   (struct span){ buf_string(&proof), proof.len }, "%s",
		   buf_string(&proof));
	session_drain(c->session);
	c->worded = false;
}

/* What only may be a board lists its tools, and none of stock firmware's. */
static bool is_other_make(const struct connection *c)
{
	return c->tools.count > 0 &&
	       !tool_list_find(&c->tools, "self.get_device_status");
}

void silence_ask(struct connection *c, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	const struct session_silence *silence =
		c->session ? session_silence(c->session) : NULL;
	struct climb a = { .session = c->session };
	struct ladder l = { .board = c->client.device ||
				     client_may_be_board(&c->client) };
	struct verdict v;

	if (err->kind != ERR_TIMEOUT || !silence || !silence->id ||
	    silence->known || !session_is_open(c->session))
		return;
	l.stray = seen_since(c, D116);
	a.strayed = l.stray != NULL;
	c->probing = true;
	begin(&a, l.board);
	c->probing = false;
	if (wait_for(&a, &why) && why.kind != ERR_INTERRUPTED)
		l.ended = why.text;
	look(&l, &a);
	l.odd = seen_since(c, D143) != NULL;
	l.board &= c->client.device || !is_other_make(c);
	l.owed = diag_owes(&c->diag, silence->id);
	l.serve = session_link(c->session)->relayed;
	l.threads = firmware_has_threads(c->client.server_version);
	session_forget(c->session, &a.loop);
	call_done(&a.loop);
	if (why.kind != ERR_INTERRUPTED && ladder_judge(&l, &v))
		tell(c, &l, &v, err);
}

#define PONG_MS 1000 /* that a Pong may be slower than the request */

/* The Pong may come behind the answer. -1: the user, or the end. */
static int await_pong(struct session *s, struct layers *now, struct error *err)
{
	const int64_t deadline = loop_now() + PONG_MS;

	session_layers(s, now);
	while (now->pong_us < 0 && loop_now() < deadline) {
		if (session_step(s, NULL, deadline, err))
			return -1;
		session_layers(s, now);
	}
	return 0;
}

static void tell_silent(struct connection *c, const struct ping_record *p)
{
	char proof[80], time[TEXT_ROOM];
	const int len =
		snprintf(proof, sizeof(proof),
			 "loop answers after %s; ws silent for %d s more",
			 text_microseconds(p->took_us, time, sizeof(time)),
			 PONG_MS / 1000);

	diag_found(&c->diag, D138, (struct span){ proof, (size_t)len },
		   "no Pong within %d s behind another answer", PONG_MS / 1000);
}

int round_trip(struct connection *c, struct ping_record *out, struct error *err)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct layers now = { .pong_us = -1 };
	bool pinged = session_ping(c->session, &ignored) == 0;
	int status;

	*out = (struct ping_record){ .device = c->client.device,
				     .tcp_us = -1,
				     .ws_us = -1 };
	c->probing = true;
	status = client_ping(&c->client, &out->took_us, &out->was_error, err);
	c->probing = false;
	if (status)
		return -1;
	if (pinged && await_pong(c->session, &now, err))
		return -1;
	if (!pinged)
		session_layers(c->session, &now);
	/* A broker's tells nothing of who is behind it. */
	if (now.tcp && !now.broker && now.rtt_us > 0)
		out->tcp_us = now.rtt_us;
	if (pinged && now.ping) {
		out->ws_us = now.pong_us;
		out->ws_silent = now.pong_us < 0;
	}
	if (out->ws_silent)
		tell_silent(c, out);
	return 0;
}
