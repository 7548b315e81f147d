/* SPDX-License-Identifier: MIT */
/*
 * What comes in: every frame goes through the link, then to a call or into
 * the queue of events. Runs inside callbacks: it records, and sends only what
 * the link must answer at once.
 */
#include <string.h>

#include "base/mem.h"
#include "rpc/session_state.h"

enum { AUDIO_EVENT_MS = 1000 };

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void send_quietly(struct session *s, const struct buf *frame)
{
	struct error ignored = { 0 };

	if (frame->len)
		session_transmit(s, frame, &ignored);
	error_reset(&ignored);
}

static void take_one(struct session *s, struct message *m)
{
	switch (m->kind) {
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		session_reply_take(s, m);
		break;
	case MESSAGE_REQUEST:
		session_request(s, m);
		break;
	case MESSAGE_NOTIFICATION:
		session_progress(s, m);
		session_event(s, EVENT_NOTIFICATION, m->method, m->text,
			      m->len);
		break;
	case MESSAGE_BATCH:
		session_odd(s, m->text, m->len,
			    "a batch inside a batch is not read");
		break;
	case MESSAGE_UNKNOWN:
		session_odd(s, m->text, m->len,
			    "JSON, but neither a reply nor a request nor a "
			    "notification");
		break;
	}
}

static bool has_batches(const struct session *s)
{
	return !s->revision[0] || strcmp(s->revision, "2025-03-26") == 0;
}

/* It is not read, but who waits for a reply in it is not to wait in vain. */
static void fail_reply(struct session *s, const struct message *m)
{
	bool reply = m->kind == MESSAGE_RESULT || m->kind == MESSAGE_ERROR;
	struct call *c =
		reply && m->has_number ? session_find_call(s, m->number) : NULL;
	CLEANUP(mem_free_ptr) char *label = c ? call_label(c) : NULL;

	if (!c)
		return;
	error_set(&c->failure, ERR_PROTOCOL,
		  "the reply to '%s' came in a batch, which revision %s does "
		  "not have",
		  label, s->revision);
	error_detail(&c->failure, m->text, m->len);
	session_end_call(s, c, true);
}

/*
 * Each element becomes a message of its own; its tree moves out of the array,
 * its bytes are found beside.
 */
static void take_batch(struct session *s, struct message *batch)
{
	struct span whole = { batch->text, batch->len }, bytes;
	bool good = has_batches(s);
	size_t at = 0;

	if (!batch->json->child)
		session_odd(s, batch->text, batch->len, "an empty batch");
	else if (!good)
		session_odd(s, batch->text, batch->len,
			    "a batch is not read: revision %s does not have "
			    "them",
			    s->revision);
	while (batch->json->child && json_span_next(whole, &at, &bytes)) {
		cJSON *tree = cJSON_DetachItemViaPointer(batch->json,
							 batch->json->child);
		struct message m;

		if (message_decode_take(&m, tree, bytes.text, bytes.len, NULL))
			return;
		if (good)
			take_one(s, &m);
		else
			fail_reply(s, &m);
		message_done(&m);
	}
}

/*
 * Older firmware has no "features" at all (device.md 7.3); session_wait_up
 * judges.
 */
static void take_hello(struct session *s, const char *text, size_t len)
{
	/* Serve answered it, and it is news of the device. */
	if (s->link.relayed) {
		session_event(s, EVENT_HELLO, "hello", text, len);
		return;
	}
	/* Over MQTT each voice session begins with one (device.md 2.3). */
	if (s->link.hellos > 1 && !s->link.has_udp) {
		session_odd(s, text, len,
			    "the device said hello again (%u times by now); "
			    "it was answered again",
			    s->link.hellos);
		return;
	}
	if (s->link.hellos == 1)
		s->times.hello = (loop_now_us() - s->opened_us) / 1000;
	if (s->times.up < 0)
		s->times.up = s->times.hello;
	session_event(s, EVENT_HELLO, "hello", text, len);
}

static void take_audio(struct session *s, const struct link_item *item)
{
	int64_t now = loop_now();
	struct event *e;

	if (item->problem.kind != ERR_NONE && s->link.audio_broken == 1)
		session_odd(s, NULL, 0, "%s", item->problem.text);
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

static void take_item(struct session *s, struct link_item *item,
		      const char *text, size_t len)
{
	switch (item->kind) {
	case LINK_NOTHING:
		break;
	case LINK_HELLO:
		take_hello(s, text, len);
		break;
	case LINK_PAYLOAD:
		if (item->message.kind == MESSAGE_BATCH)
			take_batch(s, &item->message);
		else
			take_one(s, &item->message);
		break;
	case LINK_DEVICE:
		session_event(s, EVENT_DEVICE, item->type, text, len);
		break;
	case LINK_AUDIO:
		take_audio(s, item);
		break;
	case LINK_BROKEN:
		session_broken_reply(s, item, text, len);
		break;
	}
}

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
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct link_item item;

	session_trace(s, false, kind == FRAME_TEXT ? "text" : "binary", data,
		      len);
	hear(s, kind);
	link_receive(&s->link, kind, data, len, &item, &reply);
	/*
	 * The server hello goes out before anything else can (device.md 1.5).
	 */
	send_quietly(s, &reply);
	take_item(s, &item, data, len);
	link_item_done(&item);
}
