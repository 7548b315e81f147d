/* SPDX-License-Identifier: MIT */
/*
 * What a held device says: replies go to their askers, the rest becomes
 * records and goes to the commands that are attached to it.
 */
#include <string.h>

#include "base/mem.h"
#include "serve/board_private.h"

#define HELLO_MAX 65536
/* What of a frame is shown in a line, and given as detail. */
#define SHOWN_MAX 600
#define DETAIL_MAX 8192

/* Nobody waits for these: if the connection is gone, its end is told anyway. */
static void send_quietly(struct board *d, const struct buf *frame)
{
	struct error ignored = { 0 };

	if (frame->len)
		board_send(d, frame->data, frame->len, &ignored);
	error_reset(&ignored);
}

static void forward(struct board *d, const char *text, size_t len)
{
	if (d->audience)
		control_text(d, text, len);
}

static int shown(size_t len)
{
	return len < SHOWN_MAX ? (int)len : SHOWN_MAX;
}

/* The message itself for -o json; nothing if it is long. */
static void add_message(struct record *r, const char *text, size_t len)
{
	struct buf detail = { 0 };

	if (!r || len > DETAIL_MAX)
		return;
	buf_text(&detail, "\"message\":");
	json_minify(&detail, text, len);
	r->detail = buf_take(&detail);
}

/* What cannot be read, or is out of place: as text, since it may be no JSON. */
static void record_odd(struct board *d, const char *text, size_t len,
		       const char *why)
{
	struct record *r = board_record(d, RECORD_ODD, LEVEL_WARN, "%s: %.*s",
					why, shown(len), text);
	struct buf detail = { 0 };

	if (!r)
		return;
	buf_text(&detail, "\"frame\":");
	buf_json_string(&detail, text, len < DETAIL_MAX ? len : DETAIL_MAX);
	r->detail = buf_take(&detail);
}

/* ---- JSON-RPC ---- */

/*
 * A reply that nobody asked for is never handed on: its id is one of ours, and
 * could be taken for one of the command's own.
 */
static void take_reply(struct board *d, const struct message *m,
		       const char *frame, size_t len)
{
	if (m->has_number && (relay_answer(d, m->number, frame, len) ||
			      relay_is_probe(m->number)))
		return;
	record_odd(d, frame, len,
		   m->has_number && relay_issued(m->number) ?
			   "a reply that nobody waits for any more" :
			   "a reply to nothing that was asked");
}

/* The raw token, so that an id beyond a double comes back unharmed. */
static void refuse_request(struct board *d, const struct message *m)
{
	struct span whole = { m->text, m->len }, id;
	CLEANUP(mem_free_ptr) char *token = NULL, *text = NULL;
	CLEANUP(buf_done) struct buf payload = { 0 }, frame = { 0 };

	if (!json_span_member(whole, "id", &id))
		return;
	token = mem_strndup(id.text, id.len);
	text = mem_printf("method not found: %s", m->method);
	jsonrpc_error(&payload, token, JSONRPC_METHOD_NOT_FOUND, text);
	link_wrap(&d->link, payload.data, payload.len, &frame);
	send_quietly(d, &frame);
}

static void record_call(struct board *d, const struct message *m,
			enum record_kind kind)
{
	struct span whole = { m->text, m->len }, params = { .text = "" };
	struct record *r;

	json_span_member(whole, "params", &params);
	r = board_record(d, kind, LEVEL_INFO, "%s%s%.*s", m->method,
			 params.len ? " " : "", shown(params.len), params.text);
	add_message(r, m->text, m->len);
}

static void take_message(struct board *d, const struct message *m,
			 const char *frame, size_t len)
{
	switch (m->kind) {
	case MESSAGE_RESULT:
	case MESSAGE_ERROR:
		take_reply(d, m, frame, len);
		return;
	case MESSAGE_REQUEST:
		record_call(d, m, RECORD_REQUEST);
		refuse_request(d, m);
		break;
	case MESSAGE_NOTIFICATION:
		record_call(d, m, RECORD_NOTIFICATION);
		break;
	case MESSAGE_BATCH:
		record_odd(d, frame, len, "a batch inside a batch is not read");
		break;
	case MESSAGE_UNKNOWN:
		record_odd(d, frame, len,
			   "neither a reply nor a request nor a notification");
		break;
	}
	forward(d, frame, len);
}

/* Each element by itself, in a frame of its own. */
static void take_batch(struct board *d, const struct message *batch)
{
	struct span whole = { batch->text, batch->len }, bytes;
	size_t at = 0;

	if (!batch->json->child)
		record_odd(d, batch->text, batch->len, "an empty batch");
	while (json_span_next(whole, &at, &bytes)) {
		CLEANUP(buf_done) struct buf frame = { 0 };
		CLEANUP(message_done) struct message m = { 0 };

		if (message_decode_take(&m, NULL, bytes.text, bytes.len, NULL))
			return;
		link_wrap(&d->link, bytes.text, bytes.len, &frame);
		take_message(d, &m, buf_string(&frame), frame.len);
	}
}

/* Firmware pastes error texts in without escaping (device.md 3.7). */
static void take_broken(struct board *d, const struct link_item *item,
			const char *text, size_t len)
{
	const struct salvage *salvage = &item->salvage;
	const char *why = item->problem.text;

	if (salvage->has_id && relay_answer(d, salvage->id, text, len)) {
		board_record(d, RECORD_ODD, LEVEL_DEBUG,
			     "a reply whose JSON is broken (%s): %.*s", why,
			     shown(len), text);
		return;
	}
	record_odd(d, text, len, why);
	if (!salvage->has_id)
		forward(d, text, len);
}

/* ---- hello ---- */

static void record_hello(struct board *d)
{
	const struct hello *h = &d->link.hello;
	bool again = d->link.hellos > 1;
	/* Over MQTT each voice session begins with one (device.md 2.3). */
	bool odd = again && !d->mqtt;
	const char *format = h->audio.format[0] ? h->audio.format : "no audio";
	struct record *r = board_record(
		d, RECORD_HELLO, odd ? LEVEL_WARN : LEVEL_INFO,
		"said hello%s: version %d, transport '%s', %s %d Hz%s",
		again ? " again" : "", h->version, h->transport, format,
		h->audio.sample_rate,
		odd ? "; one is enough on a connection, it was answered again" :
		      "");

	if (r && d->hello)
		add_message(r, d->hello, strlen(d->hello));
}

static void check_features(struct board *d)
{
	struct error why = { 0 };

	if (d->link.hello.mcp) {
		board_start(d);
		return;
	}
	error_set(&why, ERR_CONNECT, "the device offers no MCP: its hello %s",
		  d->link.hello.has_features ? "says features.mcp is not true" :
					       "has no features");
	error_hint(&why, "MCP needs firmware 1.6.6 or later, built with the "
			 "MCP protocol");
	board_unfit(d, DEVICE_NO_MCP, &why);
}

static void take_hello(struct board *d, const char *text, size_t len)
{
	/* All that is needed of it stands in its other members. */
	cJSON_Delete(TAKE(d->link.hello.json));
	mem_free(TAKE(d->hello));
	if (len <= HELLO_MAX)
		d->hello = mem_strndup(text, len);
	d->deadline = LOOP_FOREVER;
	board_said_hello(d);
	record_hello(d);
	/* Who waits for it to be ready is told of its hello then. */
	forward(d, text, len);
	if (d->state == DEVICE_CONNECTED)
		check_features(d);
}

/* ---- the rest ---- */

static void take_device_message(struct board *d, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	struct record *r;

	json_minify(&line, text, len);
	r = board_record(d, RECORD_MESSAGE, LEVEL_INFO, "%.*s", shown(line.len),
			 buf_string(&line));
	add_message(r, text, len);
	forward(d, text, len);
}

static void take_item(struct board *d, const struct link_item *item,
		      const char *text, size_t len)
{
	switch (item->kind) {
	case LINK_NOTHING:
		break;
	case LINK_HELLO:
		take_hello(d, text, len);
		break;
	case LINK_PAYLOAD:
		if (item->message.kind == MESSAGE_BATCH)
			take_batch(d, &item->message);
		else
			take_message(d, &item->message, text, len);
		break;
	case LINK_DEVICE:
		take_device_message(d, text, len);
		if (!strcmp(item->type, "goodbye"))
			board_audio_over(d);
		break;
	case LINK_AUDIO:
		board_audio_take(d, item, text, len);
		break;
	case LINK_BROKEN:
		take_broken(d, item, text, len);
		break;
	}
}

void board_frame(struct board *d, enum frame_kind kind, const void *data,
		 size_t len)
{
	CLEANUP(buf_done) struct buf reply = { 0 };
	CLEANUP(link_item_done) struct link_item item;

	link_receive(&d->link, kind, data, len, &item, &reply);
	/* The server hello goes out before anything else can (device.md 1.5). */
	send_quietly(d, &reply);
	take_item(d, &item, data, len);
}
