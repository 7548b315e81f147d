/* SPDX-License-Identifier: MIT */
/*
 * What comes in: frames, requests of the peer, and the queue between callbacks,
 * which record, and the main line, which hands events to the observer.
 */
#include <string.h>

#include "base/mem.h"
#include "rpc/session_state.h"

/*
 * What the peer asks: ping is answered here and at once, the rest as the
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

static void answer_ping(struct session *s, struct span id)
{
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(mem_free_ptr) char *token = raw_id(id);

	session_answer(s, token, "{}", &ignored);
}

/* Requests of the peer; in the callback, then on the main line */
static void take_request(void *owner, const struct message *m)
{
	struct session *s = owner;
	bool ping = strcmp(m->method, "ping") == 0;
	struct event *e =
		session_event(s, EVENT_REQUEST, m->method, m->text, m->len);

	if (e)
		e->answered = ping;
	if (s->link.relayed) /* serve does */
		return;
	if (ping)
		answer_ping(s, m->id);
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
	e.note = mem_printf("%llu events were lost: the queue was full",
			    (unsigned long long)e.count);
	s->events.dropped = 0;
	tell(s, &e);
	event_done(&e);
}

static void tell_unshown(struct session *s)
{
	struct event e = { .kind = EVENT_NOTICE, .at = event_time(s) };

	e.name = mem_strdup("notice");
	e.notice = NOTICE_CHILD;
	e.text = mem_printf("(%llu lines more came than could be kept)",
			    (unsigned long long)s->events.unshown);
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

void session_trace(struct session *s, bool outgoing, const char *kind,
		   const void *data, size_t len)
{
	struct trace t = { .outgoing = outgoing, .kind = kind };

	if (!s->config.trace || !s->observer.trace)
		return;
	t.at_us = loop_now_us() - s->opened_us;
	t.data = data;
	t.len = len;
	s->observer.trace(s->observer.owner, &t);
}

/*
 * What comes in: every frame goes through the link, then to a call or into
 * the queue of events. Runs inside callbacks: it records, and sends only what
 * the link must answer at once.
 */

enum { AUDIO_EVENT_MS = 1000 };

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void send_quietly(void *owner, const struct buf *frame)
{
	CLEANUP(error_reset) struct error ignored = { 0 };

	session_transmit(owner, frame, &ignored);
}

static void take_notification(void *owner, const struct message *m)
{
	struct session *s = owner;

	session_progress(s, m);
	session_event(s, EVENT_NOTIFICATION, m->method, m->text, m->len);
}

static void take_odd(void *owner, const struct message *m, const char *why)
{
	session_odd(owner, m->text, m->len, "%s%s",
		    m->kind == MESSAGE_UNKNOWN ? "JSON, but " : "", why);
}

static bool take_batch(void *owner, const struct message *batch)
{
	struct session *s = owner;

	if (!s->revision[0] || strcmp(s->revision, "2025-03-26") == 0)
		return true;
	session_odd(s, batch->text, batch->len,
		    "a batch is not read: revision %s does not have them",
		    s->revision);
	return false;
}

/* It is not read, but who waits for a reply in it is not to wait in vain. */
static void fail_reply(void *owner, const struct message *m)
{
	struct session *s = owner;
	bool reply = m->kind == MESSAGE_RESULT || m->kind == MESSAGE_ERROR;
	struct call *c =
		reply && m->has_number ? session_find_call(s, m->number) : NULL;
	CLEANUP(mem_free_ptr) char *label = c ? call_label(c) : NULL;

	if (!c)
		return;
	error_set(
		&c->failure, ERR_PROTOCOL,
		"the reply to '%s' came in a batch, which revision %s does not have",
		label, s->revision);
	error_detail(&c->failure, m->text, m->len);
	session_end_call(s, c, true);
}

/*
 * Older firmware has no "features" at all (device.md 7.3); session_wait_up
 * judges.
 */
static void take_hello(void *owner, struct span frame)
{
	struct session *s = owner;

	/* Serve answered it, and it is news of the device. */
	if (s->link.relayed) {
		session_event(s, EVENT_HELLO, "hello", frame.text, frame.len);
		return;
	}
	/* Over MQTT each voice session begins with one (device.md 2.3). */
	if (s->link.hellos > 1 && !s->link.has_udp) {
		session_odd(
			s, frame.text, frame.len,
			"the device said hello again (%u times by now); it was answered again",
			s->link.hellos);
		return;
	}
	if (s->link.hellos == 1)
		s->times.hello = (loop_now_us() - s->opened_us) / 1000;
	if (s->times.up < 0)
		s->times.up = s->times.hello;
	session_event(s, EVENT_HELLO, "hello", frame.text, frame.len);
}

static void take_device(void *owner, const char *type, struct span frame)
{
	session_event(owner, EVENT_DEVICE, type, frame.text, frame.len);
}

static void take_audio(void *owner, struct span frame,
		       const struct error *problem)
{
	struct session *s = owner;
	int64_t now = loop_now();
	struct event *e;

	(void)frame;
	if (problem->kind != ERR_NONE && s->link.audio_broken == 1)
		session_odd(s, NULL, 0, "%s", problem->text);
	if (s->link.audio_frames > 1 && now - s->audio_told < AUDIO_EVENT_MS)
		return;
	s->audio_told = now;
	e = session_event(s, EVENT_AUDIO, "audio", NULL, 0);
	if (!e)
		return;
	e->count = s->link.audio_frames;
	e->bytes = s->link.audio_bytes;
	if (s->link.audio_broken)
		e->note = mem_printf("%llu of them broken",
				     (unsigned long long)s->link.audio_broken);
}

static const struct link_events link_events = {
	.send = send_quietly,
	.hello = take_hello,
	.reply = session_take_reply,
	.request = take_request,
	.notification = take_notification,
	.odd = take_odd,
	.batch = take_batch,
	.unread = fail_reply,
	.device = take_device,
	.audio = take_audio,
	.broken = session_take_broken,
};

static void hear(struct session *s, enum frame_kind kind)
{
	s->heard.at = loop_now();
	s->heard.audio = kind == FRAME_BINARY;
	if (kind == FRAME_TEXT)
		s->heard.messages++;
	/*
	 * A stream of audio must not keep the wait for a hello alive for ever.
	 */
	if (kind == FRAME_TEXT || s->link.audio_frames == 0)
		session_sign_of_life(s);
}

void session_frame(struct session *s, enum frame_kind kind, const void *data,
		   size_t len)
{
	session_trace(s, false, kind == FRAME_TEXT ? "text" : "binary", data,
		      len);
	hear(s, kind);
	link_receive(&s->link, kind, (struct span){ data, len }, &link_events,
		     s);
}
