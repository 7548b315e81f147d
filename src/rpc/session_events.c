/* SPDX-License-Identifier: MIT */
/*
 * What a session tells: the peer, by frames and answers; and the observer, by
 * the queue between callbacks, which record, and the main line.
 */
#include "rpc/session_events.h"

#include <string.h>

#include "base/mem.h"
#include "rpc/session_state.h"
#include "wire/envelope.h"

void session_wake(struct session *s)
{
	s->wake = true;
	if (s->config.woken)
		*s->config.woken = true;
}

int session_closed_error(const struct session *s, struct error *err)
{
	if (s->why.kind == ERR_NONE)
		return error_set(err, ERR_CONNECT, "connection closed");
	error_copy(err, &s->why);
	return -1;
}

int session_transmit(struct session *s, const struct buf *frame,
		     const struct json_places *at, struct error *err)
{
	const char *text = buf_string(frame);
	const struct transport_ops *ops = s->transport.ops;
	const struct headers *headers = TAKE(s->headers);
	const bool pieces = s->pieces;

	s->pieces = false;
	if (s->ended)
		return session_closed_error(s, err);
	if (!s->open)
		return error_set(err, ERR_CONNECT, "not connected yet");
	/* No queue takes it: that is no matter of the peer. */
	if (frame->len > TRANSPORT_QUEUE_MAX)
		return error_set(
			err, ERR_USAGE,
			"a message of %zu bytes is too long to be sent: %u are the limit",
			frame->len, TRANSPORT_QUEUE_MAX);
	if (headers && ops->send_with ?
		    ops->send_with(&s->transport, text, frame->len, headers,
				   err) :
		    (pieces ? ops->send_pieces : ops->send)(&s->transport, text,
							    frame->len, err))
		return -1;
	session_trace(s, true, "text", text, frame->len);
	session_pass(s, true, FRAME_TEXT, (struct span){ text, frame->len },
		     at);
	return 0;
}

int session_send_sound(struct session *s, uint32_t timestamp,
		       const void *packet, size_t len, struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	const struct transport_ops *ops = s->transport.ops;

	if (s->ended)
		return session_closed_error(s, err);
	if (!s->open)
		return error_set(err, ERR_CONNECT, "not connected yet");
	if (!ops->send_sound) {
		error_set(err, ERR_USAGE, "no sound can be sent over '%s'",
			  ops->scheme);
		return error_hint(
			err,
			"a board of serve (-d), of listen: or of mqtt:// hears it");
	}
	link_wrap_sound(&s->link, timestamp, packet, len, &frame);
	if (ops->send_sound(&s->transport, buf_string(&frame), frame.len, err))
		return -1;
	session_trace(s, true, "binary", frame.data, frame.len);
	session_pass(s, true, FRAME_BINARY,
		     (struct span){ frame.data, frame.len }, NULL);
	return 0;
}

int session_send(struct session *s, const struct buf *payload,
		 struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };

	link_wrap(&s->link, buf_string(payload), payload->len, &frame);
	return session_transmit(s, &frame, NULL, err);
}

int session_send_noted(struct session *s, const struct buf *payload,
		       const struct span member[MESSAGE_MEMBERS],
		       struct error *err)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	struct json_places at;

	link_wrap(&s->link, payload->data, payload->len, &frame);
	envelope_places(&at, (struct span){ frame.data, frame.len },
			(struct span){ payload->data, payload->len }, member);
	return session_transmit(s, &frame, &at, err);
}

/*
 * What the peer asks: some is answered here and at once, the rest as the
 * observer says on the main line, and refused if it says nothing.
 */

int session_answer(struct session *s, const char *id, const char *result,
		   struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	jsonrpc_result(&payload, id, result);
	return session_send(s, &payload, err);
}

int session_refuse(struct session *s, const char *id, int code,
		   const char *message, struct error *err)
{
	CLEANUP(buf_done) struct buf payload = { 0 };

	jsonrpc_error(&payload, id, code, message);
	return session_send(s, &payload, err);
}

/* The raw token, so that an id beyond a double comes back unharmed; yours. */
static char *raw_id(struct span id)
{
	return mem_strndup(id.text, id.len);
}

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void refuse_method(struct session *s, const char *method, struct span id)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *token = raw_id(id);
	CLEANUP(mem_free_ptr)
	char *words = mem_printf("method not found: %s", method);

	session_refuse(s, token, JSONRPC_METHOD_NOT_FOUND, words, &ignored);
}

static void answer_at_once(struct session *s, struct span id,
			   const char *result)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *token = raw_id(id);

	session_answer(s, token, result, &ignored);
}

/* Requests of the peer; in the callback, then on the main line */
void session_take_request(void *owner, const struct message *m)
{
	struct session *s = owner;
	const char *result = s->config.rules->answer(m->method);

	if (s->alone) {
		session_odd(
			s, m->text, m->len,
			"a request came, which a server of this revision must not send: it is not answered");
		return;
	}
	struct event *e =
		session_event(s, EVENT_REQUEST, m->method, m->text, m->len);

	if (e)
		e->answered = result != NULL;
	if (s->link.relayed) /* serve does */
		return;
	if (result)
		answer_at_once(s, m->id, result);
	else if (!e || !s->observer.request)
		refuse_method(s, m->method, m->id);
}

static void session_judge_request(struct session *s, struct event *e)
{
	struct span whole = { e->text, e->len }, id;

	if (e->answered || s->link.relayed || !s->observer.request)
		return;
	e->answered = s->observer.request(s->observer.owner, e);
	if (!e->answered && json_span_member(whole, "id", &id))
		refuse_method(s, e->name, id);
}

/*
 * The queue between callbacks, which record, and the main line, which hands
 * events to the observer; and the tap for traces. Decides nothing.
 */

/* Texts of waiting events together; a peer fills it only while nobody waits. */
enum { EVENT_BYTES_MAX = 64 << 20 };

void event_done(struct event *e)
{
	mem_free(e->name);
	mem_free(e->text);
	mem_free(e->note);
	mem_free(e->file);
	mem_free(e->finding);
	*e = (struct event){ .kind = EVENT_NOTICE };
}

/* The end of the connection is always told. */
static bool queue_full(const struct session *s, enum event_kind kind,
		       size_t len)
{
	const struct event_queue *q = &s->events;

	return kind != EVENT_CLOSED && (q->count >= s->config.events_max ||
					len > EVENT_BYTES_MAX - q->bytes);
}

static struct event *queue_add(struct event_queue *q)
{
	if (q->first && q->first + q->count == q->capacity) {
		memmove(q->item, q->item + q->first,
			q->count * sizeof(*q->item));
		q->first = 0;
	}
	q->item = mem_grow(q->item, &q->capacity, q->first + q->count,
			   sizeof(*q->item));
	q->count++;
	return &q->item[q->first + q->count - 1];
}

static int64_t event_time(const struct session *s)
{
	return (loop_now_us() - s->opened_us) / 1000;
}

struct event *session_event(struct session *s, enum event_kind kind,
			    const char *name, const void *text, size_t len)
{
	struct event *e;

	session_wake(s);
	if (queue_full(s, kind, len)) {
		s->events.dropped++;
		return NULL;
	}
	e = queue_add(&s->events);
	*e = (struct event){ .kind = kind, .at = event_time(s) };
	e->name = mem_strdup(name);
	if (text) {
		e->text = mem_copy(text, len);
		e->len = len;
		s->events.bytes += len;
	}
	return e;
}

void session_odd(struct session *s, const void *text, size_t len,
		 const char *format, ...)
{
	struct event *e = session_event(s, EVENT_ODD, "odd", text, len);
	va_list args;

	if (!e)
		return;
	va_start(args, format);
	e->note = mem_vprintf(format, args);
	va_end(args);
}

static void tell(struct session *s, const struct event *e)
{
	if (s->observer.event)
		s->observer.event(s->observer.owner, e);
}

static void tell_dropped(struct session *s)
{
	struct event e = { .kind = EVENT_DROPPED, .at = event_time(s) };

	e.name = mem_strdup("dropped");
	e.count = s->events.dropped;
	e.note = mem_printf("%llu %s lost: the queue was full",
			    (unsigned long long)e.count,
			    e.count == 1 ? "event was" : "events were");
	s->events.dropped = 0;
	tell(s, &e);
	event_done(&e);
}

static void tell_unshown(struct session *s)
{
	struct event e = { .kind = EVENT_NOTICE, .at = event_time(s) };

	e.name = mem_strdup("notice");
	e.notice = NOTICE_CHILD;
	e.text = mem_printf("(%llu more line%s came than could be kept)",
			    (unsigned long long)s->events.unshown,
			    s->events.unshown == 1 ? "" : "s");
	e.len = strlen(e.text);
	s->events.unshown = 0;
	tell(s, &e);
	event_done(&e);
}

/*
 * An event leaves the queue before it is told, so that the observer may call
 * the session.
 */
void session_deliver(struct session *s, const bool *stop)
{
	struct event_queue *q = &s->events;

	while (q->count && !(stop && *stop)) {
		struct event e = q->item[q->first++];

		q->count--;
		q->bytes -= e.len;
		if (!q->count)
			q->first = 0;
		if (e.kind == EVENT_REQUEST)
			session_judge_request(s, &e);
		tell(s, &e);
		event_done(&e);
	}
	if (!q->count && q->unshown)
		tell_unshown(s);
	if (!q->count && q->dropped)
		tell_dropped(s);
}

void session_drain(struct session *s)
{
	session_deliver(s, NULL);
}

void session_drop_events(struct session *s)
{
	struct event_queue *q = &s->events;

	for (size_t i = 0; i < q->count; i++)
		event_done(&q->item[q->first + i]);
	mem_free(q->item);
	*q = (struct event_queue){ 0 };
}

void session_pass(struct session *s, bool outgoing, enum frame_kind kind,
		  struct span frame, const struct json_places *at)
{
	/* Who stands between does, or began without us. */
	if (s->observer.frame && !s->link.relayed && !s->peer.held)
		s->observer.frame(s->observer.owner, outgoing, kind, frame, at);
}

void session_judged(struct session *s, const char *code, const char *detail,
		    struct span frame)
{
	struct span shown = envelope_payload(frame);
	struct event *e =
		session_event(s, EVENT_FINDING, code, shown.text, shown.len);

	if (e)
		e->note = mem_strdup(detail);
}

void session_serial(struct session *s, const char *name, struct span line,
		    const char *note)
{
	struct event *e =
		session_event(s, EVENT_SERIAL, name, line.text, line.len);

	if (e)
		e->note = mem_strdup(note);
}

void session_serial_found(struct session *s, const char *finding)
{
	struct event *e = session_event(s, EVENT_FINDING, "finding", NULL, 0);

	if (e)
		e->finding = mem_strdup(finding);
}

static void trace(struct session *s, struct trace *t)
{
	if (!s->config.trace || !s->observer.trace)
		return;
	t->at_us = loop_now_us() - s->opened_us;
	t->id = s->peer.device_id;
	s->observer.trace(s->observer.owner, t);
}

void session_trace_close(struct session *s)
{
	static const char words[] = "ended here";
	const struct error why = { .code = s->transport.ops->close_code };
	struct trace t = { .outgoing = true,
			   .kind = "closed",
			   .data = words,
			   .len = sizeof(words) - 1,
			   .why = &why };

	trace(s, &t);
}

void session_trace_serial(struct session *s, const char *name, struct span line,
			  const char *note)
{
	const bool told = line.text != NULL;
	struct trace t = { .kind = told ? "line" : "notice",
			   .leg = "serial",
			   .data = told ? line.text : note,
			   .len = told ? line.len :
				  note ? strlen(note) :
					 0,
			   .device = name };

	trace(s, &t);
}

void session_trace(struct session *s, bool outgoing, const char *kind,
		   const void *data, size_t len)
{
	struct trace t = { .outgoing = outgoing,
			   .kind = kind,
			   .data = data,
			   .len = len,
			   .leg = s->link.udp && strcmp(kind, "binary") == 0 ?
					  "udp" :
					  NULL,
			   .why = s->ended ? &s->why : NULL };

	trace(s, &t);
}
