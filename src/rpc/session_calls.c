/* SPDX-License-Identifier: MIT */
/*
 * Calls in flight: numbered, matched with replies in any order, ended by a
 * reply, by time, or by the end of the connection; why one stayed silent.
 */
#include <assert.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/head.h"
#include "rpc/session_calls.h"
#include "rpc/session_events.h"
#include "rpc/session_state.h"
#include "wire/refusal.h"

/*
 * Replies: matched with their calls by id, in any order; errors put into
 * words; what matches nothing becomes an event. Never fatal.
 */

/* What is longer than this is given as detail too, since error.text is cut. */
enum { MESSAGE_FITS = 400 };

/* s may be NULL: then only the standard ones have names. */
static const char *code_name(const struct session *s, int code)
{
	const char *name = s && s->code_name ? s->code_name(code) : NULL;

	return name ? name : jsonrpc_code_name(code);
}

/* Many peers begin with the name of the code, or say nothing else: once will do. */
static void describe_named(struct error *e, const char *name, int code,
			   const char *message)
{
	const char *found = text_find(message, name);
	const char *rest = found ? found + strlen(name) : NULL;

	if (rest && !*rest)
		error_set(e, ERR_PEER, "%s (%d)", message, code);
	else if (found == message && text_starts(rest, ": "))
		error_set(e, ERR_PEER, "%s (%d): %s", name, code, rest + 2);
	else
		error_set(e, ERR_PEER, "%s (%d): %s", name, code, message);
}

static void describe_error(const struct session *s, struct error *e,
			   const char *message, const int *code_sent)
{
	bool has_code = code_sent != NULL;
	int code = has_code ? *code_sent : 0;
	const char *name = has_code ? code_name(s, code) : NULL;

	if (!message || !message[0])
		message = "the peer sent an error without a message";
	if (name)
		describe_named(e, name, code, message);
	else if (has_code)
		error_set(e, ERR_PEER, "error %d: %s", code, message);
	else
		error_set(e, ERR_PEER, "%s", message);
	if (has_code)
		error_code(e, code);
	if (strlen(message) > MESSAGE_FITS)
		error_detail(e, message, strlen(message));
}

/* What the peer adds under "data", as it came. */
static void add_data(struct error *e, const struct message *m)
{
	struct span data;

	if (!e->detail && json_span_member(m->error_text, "data", &data) &&
	    !json_span_literal(data, "null"))
		error_detail(e, data.text, data.len);
}

static void describe_reply(const struct session *s, struct error *e,
			   const struct message *m)
{
	int64_t code = 0;
	bool has_code = json_integer(m->error, "code", &code) == 0 &&
			code >= INT_MIN && code <= INT_MAX;
	int narrow = has_code ? (int)code : 0;

	if (s && s->link.relayed && narrow == SERVE_NOT_SENT) {
		error_set(e, ERR_CONNECT, "%s", message_error_text(m));
		error_code(e, narrow);
		return;
	}
	describe_error(s, e, message_error_text(m), has_code ? &narrow : NULL);
	add_data(e, m);
}

/* s may be NULL. */
static void reply_error(const struct session *s,
			const struct session_rules *rules, struct error *e,
			const struct message *m)
{
	describe_reply(s, e, m);
	error_retry_after(e, rules->retry_after(m->error));
}

void session_peer_error(const struct session_rules *rules, struct error *e,
			const struct message *m)
{
	reply_error(NULL, rules, e, m);
}

static void note_late(struct session *s, int64_t id)
{
	struct session_silence *silence = &s->silence;

	if (id != silence->id || silence->late_us)
		return;
	silence->late_us = loop_now_us() - silence->over_us;
	if (silence->late_us <= 0)
		silence->late_us = 1;
	session_wake(s);
}

/*
 * Through serve, which hands on what is for us only: it came between the end of
 * our time and of its own.
 */
static void report_late(struct session *s, const struct message *m)
{
	const bool probe = m->has_number && m->number == s->probe;

	if (m->has_number)
		note_late(s, m->number);
	if (s->link.relayed && !s->told && !probe)
		session_odd(s, m->text, m->len,
			    "a reply came just after it was given up");
	s->told = false;
}

/* One that was asked with an id like that. */
static struct call *find_token(const struct session *s, struct span id)
{
	struct call *c = s->calls;

	while (c && !(c->token && id.text && strlen(c->token) == id.len &&
		      memcmp(c->token, id.text, id.len) == 0))
		c = c->next;
	return c;
}

void session_take_reply(void *owner, struct message *m)
{
	struct session *s = owner;
	struct call *c = find_token(s, m->id);

	if (!c && m->has_number)
		c = session_find_call(s, m->number);
	if (!c) {
		report_late(s, m);
		return;
	}
	s->told = false;
	if (message_keep(m, &c->failure) == 0 && m->kind == MESSAGE_ERROR)
		reply_error(s, s->config.rules, &c->failure, m);
	message_take(&c->reply, m);
	session_end_call(s, c, true);
}

/* device.md 3.7: the text is what the device meant, the frame is in detail. */
static void end_broken(struct session *s, struct call *c,
		       const struct error *problem,
		       const struct salvage *salvage)
{
	CLEANUP(mem_free_ptr) char *label = call_label(c);

	if (salvage->is_error) {
		describe_error(s, &c->failure, salvage->message,
			       salvage->has_code ? &salvage->code : NULL);
		error_hint(
			&c->failure,
			"the JSON of this reply is broken (%s)%s; shown is what it meant",
			problem->text,
			s->link.dialect == DIALECT_DEVICE ?
				": firmware pastes error texts in without escaping" :
				"");
	} else {
		error_set(&c->failure, ERR_PROTOCOL,
			  "the reply to '%s' is broken: %s", label,
			  problem->text);
	}
	error_detail(&c->failure, c->broken, strlen(c->broken));
	session_end_call(s, c, true);
}

void session_take_broken(void *owner, struct span frame,
			 const struct error *problem,
			 const struct salvage *salvage)
{
	struct session *s = owner;
	struct call *c =
		salvage->has_id ? session_find_call(s, salvage->id) : NULL;

	if (c) {
		c->broken = mem_strndup(frame.text, frame.len);
		end_broken(s, c, problem, salvage);
	} else if (!s->shared || !salvage->has_id) {
		s->said = refusal_words(frame.text, frame.len);
	}
}

/*
 * Why no answer came, as far as it can be known: what was heard last, and
 * whether one can come at all. Sends and ends nothing.
 */

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

static void add_heard(struct buf *out, const struct session *s)
{
	const struct heard *h = &s->heard;
	uint64_t frames = s->link.audio_frames;
	char ago[32];

	if (!h->messages && !frames) {
		buf_text(
			out,
			s->link.relayed ?
				"nothing of it came here meanwhile; 'mcpctl devices' shows when it was heard last" :
				"nothing at all was heard since it connected");
		return;
	}
	text_milliseconds(loop_now() - h->at, ago, sizeof(ago));
	if (h->audio) {
		buf_printf(
			out,
			"last heard: audio %s ago, %llu frame%s; %llu message%s",
			ago, (unsigned long long)frames, plural(frames),
			(unsigned long long)h->messages, plural(h->messages));
		return;
	}
	buf_printf(out, "last heard: a message %s ago; %llu message%s", ago,
		   (unsigned long long)h->messages, plural(h->messages));
	if (frames)
		buf_printf(out, ", %llu audio frame%s",
			   (unsigned long long)frames, plural(frames));
}

/* "10 s", where text_milliseconds would give a fraction. */
static void add_duration(struct buf *out, int64_t ms)
{
	char text[32];

	if (ms >= 1000 && ms < 120000 && ms % 1000 == 0)
		snprintf(text, sizeof(text), "%d s", (int)(ms / 1000));
	else
		text_milliseconds(ms, text, sizeof(text));
	buf_text(out, text);
}

/* Progress starts the time anew, but not for ever. */
static void add_limit(struct buf *out, const struct call *c)
{
	bool latest = c->progress && c->deadline >= c->latest;

	add_duration(out, c->timeout * (latest ? PROGRESS_TIMES : 1));
	if (latest)
		buf_text(out, ", for all its progress");
	else if (c->progress)
		buf_text(out, " after its last progress");
}

bool session_is_mute(const struct session *s)
{
	return !s->heard.messages && !s->link.audio_frames;
}

/* Of a child process, or a device that need not say hello (peer_info.standby), the transport may know why nobody answers. */
static bool explain_silence(struct session *s, struct error *why)
{
	const struct transport_ops *ops = s->transport.ops;

	if (!session_is_mute(s))
		return false;
	if (why && ops->explain)
		ops->explain(&s->transport, why);
	return true;
}

bool session_unheard(struct session *s, struct error *why)
{
	return s->peer.standby && explain_silence(s, why);
}

static bool add_transport(struct buf *out, struct session *s)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (!explain_silence(s, &why) || why.kind == ERR_NONE)
		return false;
	buf_printf(out, "%s%s%s", why.text, why.hint[0] ? "; " : "", why.hint);
	return true;
}

static void session_explain_timeout(struct session *s, struct call *c)
{
	CLEANUP(mem_free_ptr) char *label = call_label(c);
	CLEANUP(buf_done) struct buf within = { 0 }, hint = { 0 };

	add_limit(&within, c);
	error_set(&c->failure, ERR_TIMEOUT, "no reply to '%s' within %s", label,
		  buf_string(&within));
	s->silence.known = c->silence != NULL;
	if (add_transport(&hint, s)) {
		s->silence.known = true;
		error_hint(&c->failure, "%s", buf_string(&hint));
		return;
	}
	add_heard(&hint, s);
	if (c->silence)
		buf_printf(&hint, "; %s", c->silence);
	else if (s->link.dialect == DIALECT_DEVICE)
		buf_printf(
			&hint,
			"; %s: firmware runs one tool at a time (1.7 to 1.9.1: several), and over WebSocket sends no answer above 65,535 bytes; --timeout waits longer",
			c->subject ? "the call may still be running" :
				     "a call may stand in its way");
	else
		buf_text(&hint, "; --timeout waits longer");
	error_hint(&c->failure, "%s", buf_string(&hint));
}

/*
 * How long calls may take: deadlines, progress that moves them, clocks that
 * stand still, and the end of a call by time. Runs no loop.
 */

/*
 * No sum with it passes INT64_MAX: --timeout ends at ten days.
 */
static void session_start_clock(struct call *c)
{
	if (c->lasts) {
		c->deadline = c->latest = LOOP_FOREVER;
		return;
	}
	c->deadline = loop_now() + c->timeout;
	c->latest = loop_now() + c->timeout * PROGRESS_TIMES;
}

int64_t session_next_deadline(const struct session *s)
{
	int64_t next = LOOP_FOREVER;

	if (s->open && !s->link.up && s->ask_at > loop_now())
		next = s->ask_at;
	if (s->holds)
		return next;
	for (const struct call *c = s->calls; c; c = c->next) {
		if (c->deadline < next)
			next = c->deadline;
	}
	return next;
}

/* Nobody waits for the answer any more: the transport is told. */
static void session_give_up(struct session *s, int32_t id)
{
	const struct transport_ops *ops = s->transport.ops;

	if (s->open && ops->forget)
		ops->forget(&s->transport, id);
}

bool session_cancel(struct session *s, const struct call *c, const char *reason)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(buf_done) struct buf params = { 0 };
	const char *method;

	if (!s->open || s->link.dialect != DIALECT_PLAIN)
		return false;
	if (s->alone && s->transport.ops->alone) {
		session_give_up(s, c->id);
		return true;
	}
	method = s->config.rules->cancel(c, reason, &params);
	return method &&
	       session_notify(s, method, buf_string(&params), &ignored) == 0;
}

static void note_silence(struct session *s, const struct call *c)
{
	struct session_silence *silence = &s->silence;
	const struct transport_ops *ops = s->transport.ops;

	*silence = (struct session_silence){
		.id = c->id,
		.tool = c->subject != NULL,
		.started_us = c->started_us,
		.over_us = loop_now_us(),
		.layers = { .pong_us = -1 },
	};
	if (s->open && ops->layers)
		ops->layers(&s->transport, c->id, &silence->layers);
}

/* A server that works on in vain should know. */
static void expire(struct session *s, struct call *c)
{
	if (!c->probe)
		note_silence(s, c);
	session_explain_timeout(s, c);
	session_cancel(s, c, "time over");
	session_end_call(s, c, false);
	session_give_up(s, c->id);
}

static void expire_calls(struct session *s)
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

/* One that lasts: it stands, or the peer has ended it. */
static void hear_lasting(struct session *s, struct call *c,
			 const struct message *m)
{
	if (!c->first)
		c->first = mem_strndup(m->text, m->len);
	session_wake(s);
}

static bool ends_lasting(struct session *s, const struct message *m)
{
	struct call *c = NULL;
	struct span token;
	int64_t id;

	if (s->config.rules->ends && s->config.rules->ends(m, &token) &&
	    jsonrpc_number(token, &id))
		c = session_find_call(s, id);
	if (!c || !c->lasts)
		return false;
	error_set(&c->failure, ERR_CONNECT, "the server ended '%s'", c->method);
	session_end_call(s, c, true);
	return true;
}

void session_progress(struct session *s, const struct message *m)
{
	struct call *c = NULL;
	struct span token;
	int64_t deadline, id;

	if (ends_lasting(s, m))
		return;
	/* Some give it back as a text. */
	if (s->config.rules->progress(m, &token) && jsonrpc_number(token, &id))
		c = session_find_call(s, id);
	if (c && c->lasts)
		hear_lasting(s, c, m);
	if (!c || c->lasts)
		return;
	c->progress++;
	deadline = loop_now() + c->timeout;
	c->deadline = deadline < c->latest ? deadline : c->latest;
}

/* What a clock lost since all stood still, or since it began itself. */
static int64_t lost(int64_t began, int64_t held_at, int64_t now)
{
	const int64_t since = began > held_at ? began : held_at;

	return now > since ? now - since : 0;
}

/* Progress starts the one anew, and not the other. */
static void shift(struct call *c, int64_t held_at, int64_t now)
{
	c->deadline += lost(c->deadline - c->timeout, held_at, now);
	c->latest +=
		lost(c->latest - c->timeout * PROGRESS_TIMES, held_at, now);
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
	for (struct call *c = s->calls; c; c = c->next) {
		if (!c->lasts)
			shift(c, s->held_at, now);
	}
	session_wake(s);
}

bool session_is_held(const struct session *s)
{
	return s->holds > 0;
}

/*
 * Calls in flight: numbered, matched with replies in any order, ended by a
 * reply or by the end of the connection; by time below.
 */

void call_done(struct call *c)
{
	message_done(&c->reply);
	mem_free(c->method);
	mem_free(c->subject);
	mem_free(c->token);
	mem_free(c->broken);
	mem_free(c->first);
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

/* The end of a call: c->failure or c->reply says how. */
static void give_up_waiting(const struct session *s, const struct call *c)
{
	if (s->observer.gave_up && !c->probe)
		s->observer.gave_up(s->observer.owner, c->id);
}

void session_end_call(struct session *s, struct call *c, bool answered)
{
	bool there = unlink_call(s, c);

	assert(there);
	(void)there;
	c->next = NULL;
	c->ended_us = loop_now_us();
	c->done = true;
	if (!answered)
		give_up_waiting(s, c);
	session_wake(s);
}

void session_forget(struct session *s, struct call *c)
{
	if (!unlink_call(s, c))
		return;
	c->next = NULL;
	give_up_waiting(s, c);
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
static void prepare_call(struct call *c, const char *method, int64_t timeout)
{
	char *subject = TAKE(c->subject);
	bool probe = c->probe, lasts = c->lasts;

	call_done(c);
	c->subject = subject;
	c->probe = probe;
	c->lasts = lasts;
	c->method = mem_strdup(method);
	c->timeout = timeout;
}

static int send_call(struct session *s, struct call *c,
		     const struct buf *payload, const struct span *member,
		     struct error *err)
{
	if (!c->timeout)
		c->timeout = s->config.timeout;
	c->started_us = loop_now_us();
	session_start_clock(c);
	if (member ? session_send_noted(s, payload, member, err) :
		     session_send(s, payload, err))
		return -1;
	c->next = s->calls;
	s->calls = c;
	return 0;
}

int session_start_order(struct session *s, struct call *c,
			const struct request_order *order, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };
	struct span member[MESSAGE_MEMBERS] = { { 0 } };

	prepare_call(c, order->method, order->timeout);
	c->id = take_id(s);
	c->silence =
		s->config.rules->silence(s->link.dialect, c, order->params);
	jsonrpc_request_noted(&payload, c->id, order->method, order->params,
			      member);
	if (c->probe)
		s->probe = c->id;
	s->headers = order->headers;
	return send_call(s, c, &payload, member, err);
}

int session_start(struct session *s, struct call *c, const char *method,
		  const char *params, int64_t timeout, struct error *err)
{
	const struct request_order order = { .method = method,
					     .params = params,
					     .timeout = timeout };

	return session_start_order(s, c, &order, err);
}

int session_start_raw(struct session *s, struct call *c,
		      const struct raw_request *rq, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	assert(!session_find_call(s, rq->id));
	prepare_call(c, rq->method, rq->timeout);
	c->id = rq->id == session_next_id(s) ? take_id(s) : rq->id;
	c->token = mem_strdup(rq->token);
	buf_add(&payload, rq->payload.text, rq->payload.len);
	s->pieces = rq->pieces;
	return send_call(s, c, &payload, NULL, err);
}

bool session_has_pieces(const struct session *s)
{
	return s->transport.ops->send_pieces != NULL;
}

const struct session_silence *session_silence(const struct session *s)
{
	return &s->silence;
}

bool session_layers(const struct session *s, struct layers *out)
{
	const struct transport_ops *ops = s->transport.ops;

	*out = (struct layers){ .pong_us = -1 };
	return s->open && ops->layers && ops->layers(&s->transport, 0, out);
}

int session_ping(struct session *s, struct error *err)
{
	const struct transport_ops *ops = s->transport.ops;

	if (!s->open || !ops->ping)
		return error_set(err, ERR_CONNECT,
				 "there is no Ping over this connection");
	return ops->ping(&s->transport, err);
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

int session_turn(struct session *s, int64_t deadline, struct error *err)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t next = session_next_deadline(s);
	int status;

	s->wake = false;
	status = loop_wait(s->loop, &s->wake, next < deadline ? next : deadline,
			   &why);
	expire_calls(s);
	if (s->times.up < 0 && session_is_usable(s))
		s->times.up = (loop_now_us() - s->opened_us) / 1000;
	if (!status || why.kind == ERR_TIMEOUT)
		return 0;
	error_copy(err, &why);
	return -1;
}

int64_t session_tend(struct session *s)
{
	expire_calls(s);
	session_drain(s);
	return session_next_deadline(s);
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

	if (!c && s->observer.failed)
		s->observer.failed(s->observer.owner, id, why);
	if (!c)
		return;
	error_copy(&c->failure, why);
	session_end_call(s, c, false);
}

static void fail_call(struct session *s, struct call *c)
{
	CLEANUP(mem_free_ptr) char *label = call_label(c);
	/* A proper end has words, too: it was none for this call. */
	bool known = s->why.kind != ERR_NONE || *s->why.text;
	/* Towards a board, and through serve, nobody was asked for any. */
	bool asked = !s->link.relayed && s->link.dialect != DIALECT_DEVICE;
	bool refused = asked && s->said && refusal_is_credentials(s->said);

	error_set(&c->failure,
		  refused || s->why.kind == ERR_AUTH ? ERR_AUTH : ERR_CONNECT,
		  "connection lost during '%s'%s%s%s%s", label,
		  known ? ": " : "", known ? s->why.text : "",
		  s->said ? "; the last that it said: " : "",
		  s->said ? s->said : "");
	if (known && *s->why.finding)
		error_finding(&c->failure, s->why.finding);
	if (refused)
		error_hint(
			&c->failure, "%s: MCPCTL_TOKEN or --token-file",
			s->to && headers_get(&s->to->headers, "Authorization") ?
				"credentials were sent, check them" :
				"give credentials");
	else if (c->silence)
		error_hint(&c->failure, "%s", c->silence);
	else if (known && s->why.hint[0])
		error_hint(&c->failure, "%s", s->why.hint);
	else if (c->subject)
		error_hint(&c->failure,
			   "whether the call was carried out is not known");
	else if (asked)
		error_hint(&c->failure, "the server's own log may tell why");
	if (s->why.detail)
		error_detail(&c->failure, s->why.detail, strlen(s->why.detail));
	session_end_call(s, c, false);
}

void session_fail_calls(struct session *s)
{
	while (s->calls)
		fail_call(s, s->calls);
}
