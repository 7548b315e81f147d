/* SPDX-License-Identifier: MIT */
/*
 * Frames in, meaning out. Sends nothing itself, matches no replies, and
 * knows no MCP method.
 */
#include "rpc/link.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/random.h"
#include "base/text.h"

void link_item_done(struct link_item *i)
{
	message_done(&i->message);
	mem_free(i->type);
	cJSON_Delete(i->json);
	salvage_done(&i->salvage);
	error_reset(&i->problem);
	*i = (struct link_item){ .kind = LINK_NOTHING };
}

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
	take_old_hello(l, relay->hello, relay->hello_len);
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

static void receive_audio(struct link *l, const void *data, size_t len,
			  struct link_item *out)
{
	struct audio_frame frame;

	out->kind = LINK_AUDIO;
	l->audio_frames++;
	l->audio_bytes += len;
	if (audio_decode(&frame, audio_version(l), data, len, &out->problem))
		l->audio_broken++;
}

static void answer_hello(struct link *l, struct buf *reply)
{
	if (l->relayed)
		return;
	if (!l->session_id[0])
		make_session_id(l->session_id, sizeof(l->session_id));
	if (l->udp && strcmp(l->hello.transport, "udp") == 0)
		hello_encode_udp(reply, l->session_id, l->udp);
	else
		hello_encode_server(reply, l->session_id);
}

static void receive_hello(struct link *l, struct envelope *e,
			  struct link_item *out, struct buf *reply)
{
	struct hello hello;

	if (hello_decode_take(&hello, TAKE(e->json), &out->problem)) {
		out->kind = LINK_BROKEN;
		return;
	}
	hello_done(&l->hello);
	l->hello = hello;
	l->has_hello = true;
	l->hellos++;
	if (hello.version >= 1 && hello.version <= 3)
		l->frame_version = hello.version;
	answer_hello(l, reply);
	link_settle(l, DIALECT_DEVICE);
	out->kind = LINK_HELLO;
}

/* json is taken; NULL: text is parsed, again. */
static void receive_payload(cJSON *json, struct span text,
			    struct link_item *out)
{
	if (message_decode_take(&out->message, json, text.text, text.len,
				&out->problem))
		out->kind = LINK_BROKEN;
	else
		out->kind = LINK_PAYLOAD;
}

static void receive_enveloped(struct link *l, struct envelope *e,
			      struct link_item *out)
{
	bool batch = e->payload_text.len && e->payload_text.text[0] == '[';

	if (l->dialect == DIALECT_UNKNOWN)
		link_settle(l, DIALECT_DEVICE);
	if (e->payload) {
		receive_payload(cJSON_DetachItemViaPointer(e->json, e->payload),
				e->payload_text, out);
	} else if (batch) {
		receive_payload(NULL, e->payload_text, out);
	} else {
		out->kind = LINK_BROKEN;
		error_set(&out->problem, ERR_PROTOCOL,
			  "message of type \"mcp\" without a payload object");
	}
}

/*
 * Boards with a server of their own answer bare, whatever the question came in;
 * so only an open question is settled.
 */
static void receive_bare(struct link *l, struct envelope *e, struct span text,
			 struct link_item *out)
{
	receive_payload(TAKE(e->json), text, out);
	if (l->dialect == DIALECT_UNKNOWN &&
	    out->message.kind != MESSAGE_UNKNOWN)
		link_settle(l, DIALECT_PLAIN);
}

static void receive_text(struct link *l, struct span text,
			 struct link_item *out, struct buf *reply)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };

	if (envelope_decode(&e, text.text, text.len, &out->problem)) {
		out->kind = LINK_BROKEN;
		jsonrpc_salvage(text.text, text.len, &out->salvage);
		return;
	}
	l->gone_camel = l->gone_camel || e.camel_case;
	if (!e.type) {
		receive_bare(l, &e, text, out);
	} else if (strcmp(e.type, "mcp") == 0) {
		receive_enveloped(l, &e, out);
	} else if (strcmp(e.type, "hello") == 0 &&
		   l->dialect != DIALECT_PLAIN) {
		receive_hello(l, &e, out, reply);
	} else {
		out->kind = LINK_DEVICE;
		out->type = TAKE(e.type);
		out->json = TAKE(e.json);
	}
}

void link_receive(struct link *l, enum frame_kind kind, const void *data,
		  size_t len, struct link_item *out, struct buf *reply)
{
	*out = (struct link_item){ .kind = LINK_NOTHING };
	if (kind == FRAME_BINARY)
		receive_audio(l, data, len, out);
	else
		receive_text(l, (struct span){ data, len }, out, reply);
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
