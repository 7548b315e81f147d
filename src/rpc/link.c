/* SPDX-License-Identifier: MIT */
/*
 * Frames in, meaning out. Sends nothing itself, matches no replies, and
 * knows no MCP method.
 */
#include "rpc/link.h"

#include <stdio.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

void link_init(struct link *l, enum dialect dialect, int frame_version)
{
	*l = (struct link){ .dialect = dialect, .frame_version = 1 };
	l->up = dialect == DIALECT_PLAIN;
	if (frame_version >= 1 && frame_version <= 3)
		l->frame_version = frame_version;
}

void link_done(struct link *l)
{
	hello_done(&l->hello);
	*l = (struct link){ .dialect = DIALECT_UNKNOWN };
}

void link_connected(struct link *l, bool dialled_in, int frame_version)
{
	if (frame_version >= 1 && frame_version <= 3)
		l->frame_version = frame_version;
	if (l->dialect == DIALECT_UNKNOWN && dialled_in)
		l->dialect = DIALECT_DEVICE;
	/* A server on the board itself never says hello (device.md 3.11). */
	if (l->dialect == DIALECT_DEVICE && !dialled_in)
		l->up = true;
}

/* It was good enough for serve; one that is not is none. */
static void take_old_hello(struct link *l, const char *text, size_t len)
{
	cJSON *json = text ? json_parse(text, len, NULL) : NULL;
	struct hello hello;

	if (!json || hello_decode_take(&hello, json, NULL))
		return;
	hello_done(&l->hello);
	l->hello = hello;
	l->has_hello = true;
	l->hellos = 1;
}

void link_relayed(struct link *l, const struct relay_info *relay)
{
	l->relayed = true;
	if (relay->frame_version >= 1 && relay->frame_version <= 3)
		l->frame_version = relay->frame_version;
	snprintf(l->session_id, sizeof(l->session_id), "%s", relay->session_id);
	l->has_udp = relay->mqtt;
	take_old_hello(l, relay->hello, relay->hello_len);
	if (relay->hellos > l->hellos)
		l->hellos = relay->hellos;
	link_settle(l, DIALECT_DEVICE);
}

void link_offer_udp(struct link *l, const struct udp_offer *offer)
{
	l->has_udp = l->has_udp || offer;
	l->udp = offer;
}

void link_settle(struct link *l, enum dialect dialect)
{
	l->dialect = dialect;
	l->up = true;
}

/*
 * Nobody can guess it, so that a device's old session is never taken for this
 * one.
 */
static void make_session_id(char *out, size_t size)
{
	uint64_t bits;

	random_bytes(&bits, sizeof(bits));
	snprintf(out, size, "mcpctl-%016llx", (unsigned long long)bits);
}

/* Over UDP and through serve packets come without a head, as in version 1. */
static int audio_version(const struct link *l)
{
	return l->relayed || l->has_udp ? 1 : l->frame_version;
}

/* Who takes what a link hands out. */
struct taker {
	struct link *link;
	const struct link_events *events;
	void *owner;
};

static void tell_frame(const struct taker *t, enum frame_kind kind,
		       struct span frame, const struct json_places *at)
{
	if (t->events->frame)
		t->events->frame(t->owner, kind, frame, at);
}

static void receive_audio(const struct taker *t, struct span frame)
{
	CLEANUP(error_reset) struct error problem = { 0 };
	struct link *l = t->link;
	struct audio_frame audio;

	tell_frame(t, FRAME_BINARY, frame, NULL);
	l->audio_frames++;
	l->audio_bytes += frame.len;
	if (audio_decode(&audio, audio_version(l), frame.text, frame.len,
			 &problem))
		l->audio_broken++;
	t->events->audio(t->owner, frame, &problem);
}

static void answer_hello(const struct taker *t)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	struct link *l = t->link;

	if (l->relayed) {
		/* serve may have made a new one, which the device shows. */
		l->learned = true;
		return;
	}
	if (!l->session_id[0] || l->learned)
		make_session_id(l->session_id, sizeof(l->session_id));
	l->learned = false;
	if (l->udp && strcmp(l->hello.transport, "udp") == 0)
		hello_encode_udp(&reply, l->session_id, l->udp);
	else
		hello_encode_server(&reply, l->session_id);
	t->events->send(t->owner, &reply);
}

/* -1: it cannot be read. */
static int receive_hello(const struct taker *t, struct span frame, bool odd,
			 struct error *err)
{
	cJSON *json = json_tree(frame, odd, err);
	struct link *l = t->link;
	struct hello hello;

	if (!json || hello_decode_take(&hello, json, err))
		return -1;
	hello_done(&l->hello);
	l->hello = hello;
	l->has_hello = true;
	l->hellos++;
	if (hello.version >= 1 && hello.version <= 3)
		l->frame_version = hello.version;
	answer_hello(t);
	link_settle(l, DIALECT_DEVICE);
	t->events->hello(t->owner, frame);
	return 0;
}

static void hand_out(const struct taker *t, struct message *m,
		     struct span frame)
{
	m->frame = frame;
	switch (m->kind) {
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		t->events->reply(t->owner, m);
		break;
	case MESSAGE_REQUEST:
		t->events->request(t->owner, m);
		break;
	case MESSAGE_NOTIFICATION:
		t->events->notification(t->owner, m);
		break;
	case MESSAGE_BATCH:
		t->events->odd(t->owner, m,
			       "a batch inside a batch is not read");
		break;
	case MESSAGE_UNKNOWN:
		t->events->odd(
			t->owner, m,
			"neither a reply nor a request nor a notification");
		break;
	}
}

static void hand_out_part(const struct taker *t, struct span bytes, bool read)
{
	CLEANUP(buf_done) struct buf frame = { 0 };
	CLEANUP(message_done) struct message m = { 0 };
	const char *inside;

	link_wrap(t->link, bytes.text, bytes.len, &frame);
	inside = frame.data + frame.len - bytes.len -
		 (t->link->dialect == DIALECT_DEVICE);
	if (message_read(&m, inside, bytes.len, NULL))
		return;
	if (read)
		hand_out(t, &m, (struct span){ frame.data, frame.len });
	else
		t->events->unread(t->owner, &m);
}

static void hand_out_batch(const struct taker *t, struct message *batch)
{
	struct span whole = { batch->text, batch->len }, bytes;
	size_t at = 0;
	bool read;

	batch->frame = whole;
	if (!json_span_next(whole, &at, &bytes)) {
		t->events->odd(t->owner, batch, "an empty batch");
		return;
	}
	read = !t->events->batch || t->events->batch(t->owner, batch);
	do
		hand_out_part(t, bytes, read);
	while (json_span_next(whole, &at, &bytes));
}

static int receive_payload(const struct taker *t, struct envelope *e,
			   struct span frame, struct error *err)
{
	if (e->message.kind == MESSAGE_BATCH)
		hand_out_batch(t, &e->message);
	else if (envelope_has_object(e))
		hand_out(t, &e->message, frame);
	else
		return error_set(
			err, ERR_PROTOCOL,
			"message of type \"mcp\" without a payload object");
	return 0;
}

/*
 * Boards with a server of their own answer bare, whatever the question came in;
 * so a bare message settles only an open question. A hello shows a device, and
 * must be read before the link is up.
 */
static void settle_by(struct link *l, const struct envelope *e)
{
	if (l->dialect != DIALECT_UNKNOWN)
		return;
	if (json_span_is(e->type, "hello"))
		l->dialect = DIALECT_DEVICE;
	else if (json_span_is(e->type, "mcp"))
		link_settle(l, DIALECT_DEVICE);
	else if (!e->type.text && e->message.kind != MESSAGE_UNKNOWN)
		link_settle(l, DIALECT_PLAIN);
}

/*
 * Over MQTT a session may have begun before we came, and goes on (device.md
 * 2.2): a goodbye needs its id.
 */
static void learn_session(struct link *l, const struct envelope *e)
{
	CLEANUP(mem_free_ptr) char *id = NULL;

	if (l->dialect != DIALECT_DEVICE || (l->session_id[0] && !l->learned) ||
	    !e->session_id.text || json_span_is(e->type, "hello"))
		return;
	id = json_span_string(e->session_id);
	if (!id || !*id || strlen(id) >= sizeof(l->session_id))
		return;
	snprintf(l->session_id, sizeof(l->session_id), "%s", id);
	l->learned = true;
}

/* -1: it is broken, and nothing was handed out. */
static int receive_text(const struct taker *t, struct span frame,
			struct salvage *salvage, struct error *err)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(mem_free_ptr) char *type = NULL;
	struct link *l = t->link;
	const bool broken = envelope_decode(&e, frame.text, frame.len, err);

	/* Who judges frames is to know whose they are. */
	if (!broken)
		settle_by(l, &e);
	tell_frame(t, FRAME_TEXT, frame, broken ? NULL : &e.at);
	if (broken) {
		jsonrpc_salvage(frame.text, frame.len, salvage);
		return -1;
	}
	l->gone_camel = l->gone_camel || e.camel_case;
	learn_session(l, &e);
	if (!e.type.text || json_span_is(e.type, "mcp"))
		return receive_payload(t, &e, frame, err);
	if (json_span_is(e.type, "hello") && l->dialect != DIALECT_PLAIN)
		return receive_hello(t, frame, e.message.odd, err);
	type = json_span_string(e.type);
	t->events->device(t->owner, type, frame);
	return 0;
}

void link_receive(struct link *l, enum frame_kind kind, struct span frame,
		  const struct link_events *events, void *owner)
{
	const struct taker t = { l, events, owner };
	CLEANUP(salvage_done) struct salvage salvage = { 0 };
	CLEANUP(error_reset) struct error problem = { 0 };

	if (kind == FRAME_BINARY)
		receive_audio(&t, frame);
	else if (receive_text(&t, frame, &salvage, &problem))
		events->broken(owner, frame, &problem, &salvage);
}

/* ---- frames to send ---- */

void link_wrap_sound(const struct link *l, uint32_t timestamp,
		     const void *packet, size_t len, struct buf *out)
{
	audio_encode(out, audio_version(l), timestamp, packet, len);
}

/* NULL while there is none: then the member is left out. */
static const char *session_or_null(const struct link *l)
{
	return l->session_id[0] ? l->session_id : NULL;
}

void link_wrap(const struct link *l, const char *payload, size_t len,
	       struct buf *out)
{
	if (l->dialect == DIALECT_DEVICE)
		envelope_encode(out, session_or_null(l), payload, len);
	else
		buf_add(out, payload, len);
}

/* The message as the user wrote it, with the session put in front. */
static void add_with_session(const char *json, const char *session_id,
			     struct buf *out)
{
	const char *inside = strchr(json, '{') + 1;

	buf_text(out, "{\"session_id\":");
	buf_json_string(out, session_id, strlen(session_id));
	buf_char(out, ',');
	buf_text(out, inside);
}

int link_wrap_device(const struct link *l, const char *json, struct buf *out,
		     struct error *err)
{
	CLEANUP(json_free_ptr) cJSON *tree = NULL;
	CLEANUP(error_reset) struct error why = { 0 };

	if (l->dialect == DIALECT_PLAIN) {
		error_set(
			err, ERR_USAGE,
			"the peer speaks plain JSON-RPC and takes no device messages");
		return error_hint(
			err,
			"for a JSON-RPC message use 'request' or 'notify'");
	}
	tree = json_parse(json, strlen(json), &why);
	if (!tree)
		return error_set(err, ERR_USAGE, "device message: %s",
				 why.text);
	if (!json_string(tree, "type")) {
		error_set(
			err, ERR_USAGE,
			"a device message is a JSON object with the text member 'type'");
		return error_hint(
			err,
			"for example {\"type\":\"system\",\"command\":\"reboot\"}");
	}
	if (l->relayed && text_same(json_string(tree, "type"), "hello"))
		return error_set(err, ERR_USAGE,
				 "serve has said hello to the device already");
	if (json_member(tree, "session_id") || !session_or_null(l))
		buf_text(out, json);
	else
		add_with_session(json, l->session_id, out);
	return 0;
}
