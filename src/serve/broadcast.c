/* SPDX-License-Identifier: MIT */
/*
 * One request or message to many devices: sent in slices, each answer a row as
 * it comes. It waits for a command that does not read its rows.
 */
#include "serve/broadcast.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/mem.h"
#include "base/text.h"
#include "serve/board_tell.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/leasing.h"
#include "serve/photos.h"
#include "wire/envelope.h"

#define FLIGHT_MAX 500 /* requests on their way at once */
#define SLICE 500 /* devices in one turn */
#define TIMEOUT_DEFAULT 10000
#define TIMEOUT_MAX (INT64_C(10) * 24 * 3600 * 1000)
/* More waits: a row tells so in place of its reply. */
#define REPLY_ROOM (OUTBOX_MAX - (8u << 20))

struct broadcast_call {
	struct relay relay;
	struct broadcast *fan;
	struct board *device;
	int64_t started_us;
	struct broadcast_call *next, **link; /* what points to it */
};

struct broadcast {
	struct control_peer *peer;
	char *method, *notify; /* one of the three; NULL */
	char *message;
	char *params; /* JSON text; NULL */
	int64_t timeout;
	bool idle; /* not to boards that are asked something already */
	int64_t photos; /* bytes that one may have; 0: none is wanted */
	struct words ids; /* of the devices, in their order */
	size_t next; /* of ids */
	struct broadcast_call *calls;
	size_t calls_count;
};

/* ---- rows ---- */

static void end_row(struct broadcast *f, struct buf *row)
{
	buf_char(row, '}');
	control_peer_send(f->peer, CONTROL_JSON, row->data, row->len);
}

static void begin_row(struct buf *row, const struct board *d,
		      int64_t started_us)
{
	control_begin_device(row, "row", d);
	buf_printf(row, ",\"took_us\":%lld",
		   (long long)(started_us ? loop_now_us() - started_us : 0));
}

static void add_error(struct buf *row, const struct error *why)
{
	buf_text(row, ",\"error\":");
	control_error_encode(row, why);
}

static void error_row(struct broadcast *f, const struct board *d,
		      int64_t started_us, const struct error *why)
{
	CLEANUP(buf_done) struct buf row = { 0 };

	begin_row(&row, d, started_us);
	add_error(&row, why);
	end_row(f, &row);
}

static void gone_row(struct broadcast *f, const char *id)
{
	CLEANUP(buf_done) struct buf row = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	error_set(&why, ERR_CONNECT, "the device went away");
	buf_text(&row, "{\"op\":\"row\",\"device\":{\"id\":");
	buf_json_string(&row, id, strlen(id));
	buf_text(&row, "},\"took_us\":0");
	add_error(&row, &why);
	end_row(f, &row);
}

/* Firmware writes errors that are no JSON (device.md 3.7). */
static int salvaged_reply(struct buf *out, const char *frame, size_t len,
			  struct error *err)
{
	struct salvage found;

	jsonrpc_salvage(frame, len, &found);
	if (found.is_error && found.message) {
		buf_text(out, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{");
		if (found.has_code)
			buf_printf(out, "\"code\":%d,", found.code);
		buf_text(out, "\"message\":");
		buf_json_string(out, found.message, strlen(found.message));
		buf_text(out, "}}");
		salvage_done(&found);
		return 0;
	}
	salvage_done(&found);
	error_set(err, ERR_PROTOCOL, "the reply is no JSON-RPC");
	return error_detail(err, frame, len);
}

static int add_reply(struct buf *out, const struct control_peer *p,
		     const char *frame, size_t len, struct error *err)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };

	if (p->out.bytes + len > REPLY_ROOM)
		return error_set(
			err, ERR_PROTOCOL,
			"a reply of %zu bytes was left out: the command reads too slowly",
			len);
	if (!envelope_decode(&e, frame, len, NULL) && envelope_has_object(&e))
		return buf_add(out, e.message.text, e.message.len);
	return salvaged_reply(out, frame, len, err);
}

/* A reply, and the member for its picture ("": none was wanted). */
struct answer_row {
	struct span frame;
	struct buf unmarked; /* what frame is in, if it was changed */
	struct buf photo;
};

static void answer_row_done(struct answer_row *r)
{
	buf_done(&r->unmarked);
	buf_done(&r->photo);
}

/* Yours; NULL: it can be sent. */
static char *no_photo(const struct broadcast *f, const struct call_photo *p)
{
	if (p->state == PHOTO_NONE && f->peer->server->config.vision_url)
		return mem_strdup(
			"the boards of this serve send theirs to another service (serve --vision-url)");
	if (f->peer->out.bytes + p->data.len * 2 > REPLY_ROOM)
		return mem_strdup("the command reads too slowly");
	return photos_explain(p, (size_t)f->photos);
}

static void add_photo(struct buf *out, const struct broadcast *f,
		      const struct call_photo *p)
{
	CLEANUP(mem_free_ptr) char *why = no_photo(f, p);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_text(out, ",\"photo\":{");
	if (why) {
		buf_text(out, "\"why\":");
		buf_json_string(out, why, strlen(why));
	} else {
		text_base64_encode(&text, p->data.text, p->data.len);
		buf_printf(out, "\"data\":\"%s\"", buf_string(&text));
	}
	buf_char(out, '}');
}

/* At the end of the call the pictures are forgotten: so before that. */
static void take_answer(struct answer_row *out,
			const struct broadcast_call *call, struct span frame)
{
	const struct broadcast *f = call->fan;
	const struct photos *photos = call->device->photos;
	struct call_photo photo = { 0 };

	out->frame = frame;
	if (!f->photos)
		return;
	out->frame = photos_unmark(photos, frame, &out->unmarked);
	photos_find(&photo, photos, frame, call->started_us, (size_t)f->photos);
	add_photo(&out->photo, f, &photo);
}

static void reply_row(struct broadcast *f, const struct broadcast_call *call,
		      const struct answer_row *r)
{
	CLEANUP(buf_done) struct buf row = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	begin_row(&row, call->device, call->started_us);
	buf_text(&row, ",\"reply\":");
	if (!add_reply(&row, f->peer, r->frame.text, r->frame.len, &why)) {
		buf_add(&row, r->photo.data, r->photo.len);
		buf_char(&row, '}');
		/* A bare reply may be as deep as JSON may be: now it is deeper. */
		if (!json_check(row.data, row.len, &why)) {
			control_peer_send(f->peer, CONTROL_JSON, row.data,
					  row.len);
			return;
		}
	}
	error_row(f, call->device, call->started_us, &why);
}

/* ---- calls ---- */

static void free_call(struct broadcast_call *call)
{
	struct broadcast *f = call->fan;

	*call->link = call->next;
	if (call->next)
		call->next->link = call->link;
	f->calls_count--;
	if (f->photos)
		photos_end(call->device->photos, &f->peer->server->photos);
	mem_free(call);
}

/* A row may end the peer, and the fan with all its calls: this one is out. */
static void on_reply(void *owner, struct relay *r, const char *frame,
		     size_t len, const struct error *why)
{
	struct broadcast_call *call = owner, mine = *call;
	struct broadcast *f = mine.fan;
	CLEANUP(answer_row_done) struct answer_row answer = { 0 };

	(void)r;
	if (frame)
		take_answer(&answer, &mine, (struct span){ frame, len });
	free_call(call);
	control_peer_later(f->peer);
	if (frame)
		reply_row(f, &mine, &answer);
	else
		error_row(f, mine.device, mine.started_us, why);
}

static int send_call(struct broadcast *f, struct board *d, struct error *err)
{
	struct broadcast_call *call;

	if (board_admit(d, f->method, err))
		return -1;
	call = mem_zalloc(sizeof(*call));
	call->fan = f;
	call->device = d;
	call->started_us = loop_now_us();
	call->relay.done = on_reply;
	call->relay.owner = call;
	call->relay.pictures = f->photos != 0;
	call->relay.counts = !f->idle && strcmp(f->method, "tools/call") == 0;
	call->next = f->calls;
	call->link = &f->calls;
	if (call->next)
		call->next->link = &call->next;
	f->calls = call;
	f->calls_count++;
	if (f->photos)
		photos_begin(&d->photos);
	if (!relay_request(&call->relay, d, f->method, f->params, f->timeout,
			   err))
		return 0;
	free_call(call);
	return -1;
}

/* Needs no answer, so the row is made at once. */
static int send_one_way(struct broadcast *f, struct board *d, struct error *err)
{
	CLEANUP(buf_done)
	struct buf payload = { 0 }, frame = { 0 }, row = { 0 };

	if (f->message) {
		if (link_wrap_device(&d->link, f->message, &frame, err))
			return -1;
	} else {
		jsonrpc_notification(&payload, f->notify, f->params);
		link_wrap(&d->link, payload.data, payload.len, &frame);
	}
	if (board_send(d, frame.data, frame.len, err))
		return -1;
	begin_row(&row, d, 0);
	buf_text(&row, ",\"reply\":null");
	end_row(f, &row);
	return 0;
}

/*
 * A device without MCP takes device messages all the same; one whose listing
 * failed was initialized, and is asked as by a command that is attached to it.
 */
static int check_ready(const struct broadcast *f, const struct board *d,
		       struct error *err)
{
	if (f->idle && d->relays)
		return error_set(err, ERR_UNMET,
				 "the device is asked something else now");
	if (d->state == DEVICE_READY || (f->message && d->link.up) ||
	    (d->state == DEVICE_FAILED && d->initialize))
		return 0;
	error_set(err, ERR_CONNECT, "the device is not ready (%s)%s%s",
		  board_state_word(d), d->reason ? ": " : "",
		  d->reason ? d->reason : "");
	return -1;
}

static void send_to(struct broadcast *f, const char *id)
{
	struct board *d = registry_find(&f->peer->server->registry, id);
	CLEANUP(error_reset) struct error why = { 0 };
	int status;

	if (!d || d->closing) {
		gone_row(f, id);
		return;
	}
	status = leasing_check(f->peer, d, &why);
	if (!status)
		status = check_ready(f, d, &why);
	if (!status)
		status = f->method ? send_call(f, d, &why) :
				     send_one_way(f, d, &why);
	if (status)
		error_row(f, d, 0, &why);
}

/* ---- from the start to the end ---- */

static void free_fan(struct broadcast *f)
{
	f->peer->fan = NULL;
	while (f->calls) {
		relay_forget(&f->calls->relay);
		free_call(f->calls);
	}
	mem_free(f->method);
	mem_free(f->notify);
	mem_free(f->message);
	mem_free(f->params);
	words_done(&f->ids);
	mem_free(f);
}

void broadcast_abandon(struct control_peer *p)
{
	if (p->fan)
		free_fan(p->fan);
}

static void end_fan(struct broadcast *f)
{
	struct control_peer *p = f->peer;
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"op\":\"end\",\"count\":%zu}", f->ids.count);
	free_fan(f);
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
	/* What was asked meanwhile. */
	control_peer_later(p);
}

void broadcast_step(struct broadcast *f)
{
	struct control_peer *p = f->peer;

	for (int i = 0; i < SLICE; i++) {
		if (f->next == f->ids.count || f->calls_count >= FLIGHT_MAX ||
		    p->out.bytes > OUTBOX_LONG)
			break;
		send_to(f, f->ids.word[f->next++]);
		if (p->fan != f)
			return;
	}
	if (f->next < f->ids.count) {
		/* Replies and room in the queue go on with it. */
		if (f->calls_count < FLIGHT_MAX && p->out.bytes <= OUTBOX_LONG)
			control_peer_later(p);
	} else if (!f->calls_count) {
		end_fan(f);
	}
}

static void collect(struct broadcast *f, const char *pattern, const char *list,
		    bool ready)
{
	struct serve *s = f->peer->server;
	struct board *d = NULL;

	while ((d = registry_next(&s->registry, d, pattern))) {
		if ((d->state == DEVICE_READY) != ready)
			continue;
		if (list && (!d->tools || strcmp(d->tools->id, list) != 0))
			continue;
		words_add(&f->ids, d->id);
	}
}

static char *span_text(struct span text, const char *name)
{
	struct span member;

	if (!json_span_member(text, name, &member))
		return NULL;
	return mem_strndup(member.text, member.len);
}

static int check_question(const cJSON *question, struct error *err)
{
	const cJSON *message = json_member(question, "message");
	int given = (json_string(question, "method") != NULL) +
		    (json_string(question, "notify") != NULL) +
		    (message != NULL);

	if (given != 1)
		return error_set(
			err, ERR_USAGE,
			"'fan' needs one of method, notify and message");
	if (message && text_same(json_string(message, "type"), "hello"))
		return error_set(err, ERR_USAGE,
				 "serve has said hello to the devices already");
	return 0;
}

/* Pictures are of calls of tools. */
static int64_t photos_of(const struct broadcast *f, const cJSON *question)
{
	int64_t most;

	if (!text_equal(f->method, "tools/call") ||
	    json_integer(question, "photos", &most) || most <= 0)
		return 0;
	return most < PHOTOS_LARGEST ? most : PHOTOS_LARGEST;
}

void broadcast_ask(struct control_peer *p, const struct control_question *q)
{
	const char *pattern = json_string(q->json, "device");
	const char *list = json_string(q->json, "list");
	CLEANUP(error_reset) struct error why = { 0 };
	struct broadcast *f;

	if (check_question(q->json, &why)) {
		control_peer_error(p, &why);
		return;
	}
	f = mem_zalloc(sizeof(*f));
	f->peer = p;
	f->method = mem_strdup(json_string(q->json, "method"));
	f->notify = mem_strdup(json_string(q->json, "notify"));
	f->message = span_text(q->text, "message");
	f->params = span_text(q->text, "params");
	f->idle = json_true(q->json, "idle");
	f->photos = photos_of(f, q->json);
	if (json_integer(q->json, "timeout", &f->timeout) || f->timeout <= 0 ||
	    f->timeout > TIMEOUT_MAX)
		f->timeout = TIMEOUT_DEFAULT;
	collect(f, pattern, list, true);
	collect(f, pattern, list, false);
	p->fan = f;
	broadcast_step(f);
}
