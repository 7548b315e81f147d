/* SPDX-License-Identifier: MIT */
/*
 * The relay of one device: which one a command gets, its requests there and
 * the replies back, and what the device says unasked. It changes ids only.
 */
#include "serve/attached.h"

#include <string.h>

#include "base/json_scan.h"
#include "base/loop.h"
#include "base/mem.h"
#include "base/text.h"
#include "diag/finding.h"
#include "net/port_memory.h"
#include "serve/board.h"
#include "serve/board_start.h"
#include "serve/board_tell.h"
#include "serve/control.h"
#include "serve/control_peer.h"
#include "serve/door.h"
#include "serve/held_talk.h"
#include "serve/last_said.h"
#include "serve/leasing.h"
#include "serve/missing.h"
#include "wire/envelope.h"

#define CALLS_MAX 1000 /* on their way for one command */
#define LINGER_MS 2000
#define SOUND_MAX 4096 /* bytes of a packet */

struct attached_call {
	struct relay relay;
	struct control_peer *peer;
	char *id; /* the raw token, of a server that is kept open; NULL */
	bool initialize;
	struct attached_call *next, **link; /* what points to it */
};

/* ---- which device ---- */

/*
 * One that is kept open, and ended, is opened again. A server answers others
 * while it is listed; a board does one thing at a time.
 */
static bool is_at_rest(struct board *d)
{
	if (d->held && !held_wanted(d->held))
		return false;
	return d->state >= (d->held ? DEVICE_LISTING : DEVICE_READY);
}

static void enter(struct control_peer *p, struct board *d)
{
	if (!d->audience)
		d->audience = mem_zalloc(sizeof(*d->audience));
	p->next_there = d->audience->first;
	p->link_there = &d->audience->first;
	if (p->next_there)
		p->next_there->link_there = &p->next_there;
	d->audience->first = p;
	p->device = d;
	if (d->held)
		held_used(d->held);
	records_add(&p->server->records, RECORD_ATTACHED, LEVEL_DEBUG, d->id,
		    NULL, "a command attached (pid %d)", p->pid);
}

static void add_ota(struct buf *out, const struct board *d)
{
	const struct door *door = d->server->door;
	const struct told *told = door ? door_told(door, d) : NULL;

	if (!told)
		return;
	buf_text(out, ",\"ota\":");
	ota_facts_encode(out, &told->asked);
	json_add_text(out, "ota_answer", told->sent_to);
}

/* hello, initialize: what a strange device sent may be too deep to be nested. */
static void describe_attached(struct buf *out, const struct board *d,
			      const char *news, bool with_hello,
			      bool with_initialize)
{
	buf_reset(out);
	control_begin_device(out, "attached", d);
	if (d->hello && with_hello)
		buf_printf(out, ",\"hello\":%s", d->hello);
	if (d->initialize && with_initialize)
		buf_printf(out, ",\"initialize\":%s", d->initialize);
	json_add_text(out, "session_id", d->link.session_id);
	json_add_text(out, "path", d->path);
	if (d->headers)
		buf_printf(out, ",\"headers\":%s", d->headers);
	add_ota(out, d);
	if (d->link.dialect == DIALECT_PLAIN)
		buf_printf(out, ",\"plain\":true,\"tool_side\":%s",
			   d->held ? "false" : "true");
	json_add_text(out, "news", news);
	buf_printf(out, ",\"protocol_version\":%d", d->protocol_version);
	buf_printf(out, ",\"hellos\":%u,\"frame_version\":%d,\"layers\":true}",
		   d->link.hellos, d->link.frame_version);
}

/* What it said before, the oldest first. */
static void send_last(struct control_peer *p, const struct board *d)
{
	for (size_t back = LAST_SAID_KEPT; back-- > 0;) {
		CLEANUP(buf_done) struct buf out = { 0 };

		if (last_said_tell(d->last_said, back, &out))
			control_peer_send(p, CONTROL_JSON, out.data, out.len);
	}
}

static void attach(struct control_peer *p, struct board *d)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *news = NULL;

	p->waiting = false;
	if (!p->tail && leasing_check(p, d, &why)) {
		control_peer_error(p, &why);
		return;
	}
	news = d->held ? held_take_news(d->held) : NULL;
	describe_attached(&out, d, news, true, true);
	if (json_check(out.data, out.len, NULL))
		describe_attached(&out, d, news, false, true);
	if (json_check(out.data, out.len, NULL))
		describe_attached(&out, d, news, false, false);
	enter(p, d);
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
	if (p->last)
		send_last(p, d);
}

/* Who was to come by MQTT, and did not. */
static void add_missing(struct buf *out, const struct control_peer *p)
{
	const struct missing_board *b = missing_last(&p->server->missing);
	struct board_names names = { 0 };
	char time[32];

	if (!b)
		return;
	names.id = names.device_id = b->device_id;
	names.alias = aliases_name(&p->server->aliases, b->device_id, NULL);
	if (!id_fits(p->server, &names, p->pattern))
		return;
	buf_printf(out, "; '%s' was sent to MQTT %s ago, and has not come",
		   b->device_id,
		   text_milliseconds((loop_now() - b->asked_at) / 1000 * 1000,
				     time, sizeof(time)));
}

/* Why it waits; d: the only one that fits, on its way to ready; NULL. */
static void tell_waiting(struct control_peer *p, const struct board *d)
{
	size_t count = p->server->registry.count;
	CLEANUP(buf_done) struct buf out = { 0 }, why = { 0 }, hint = { 0 };

	if (d && d->held) {
		buf_printf(&why, "'%s' is being opened", d->id);
		buf_text(&hint, "--wait waits longer");
	} else {
		departed_hint(&hint, p->server, p->pattern, d);
	}
	if (d && d->held) {
		/* Said. */
	} else if (d) {
		buf_printf(&why, "device '%s' is not ready yet: %s", d->id,
			   board_state_name(d->state));
	} else if (p->pattern && count) {
		buf_printf(&why,
			   "no device fits '%s' yet (there: ", p->pattern);
		registry_names(&p->server->registry, &why);
		buf_char(&why, ')');
	} else if (p->pattern) {
		buf_printf(&why, "no device is there yet, and '%s' is wanted",
			   p->pattern);
	} else {
		buf_text(&why, "no device is there yet");
	}
	if (!d)
		add_missing(&why, p);
	buf_printf(&out,
		   "{\"op\":\"waiting\",\"devices\":%zu,\"text\":", count);
	buf_json_string(&out, why.data, why.len);
	json_add_text(&out, "hint", buf_string(&hint));
	buf_char(&out, '}');
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

#define WHICH_MAX 100 /* devices that a message lists */

static void add_line(struct buf *out, const struct board *d)
{
	CLEANUP(mem_free_ptr) char *pick = device_pattern(d);

	buf_printf(out, "%s%s", out->len ? "\n" : "", pick);
	if (d->alias)
		buf_printf(out, " (%s)", d->alias);
	if (d->board)
		buf_printf(out, ", %s", d->board);
	if (d->state != DEVICE_READY)
		buf_printf(out, ", %s", board_state_word(d));
}

int attached_which(struct serve *s, const char *pattern, struct error *err)
{
	CLEANUP(buf_done) struct buf list = { 0 };
	struct board *d = NULL;
	size_t count = 0;

	while ((d = registry_next_meant(&s->registry, d, pattern))) {
		if (count++ < WHICH_MAX)
			add_line(&list, d);
	}
	if (count > WHICH_MAX)
		buf_printf(&list, "\nand %zu more", count - WHICH_MAX);
	if (pattern)
		error_set(err, ERR_USAGE, "%zu devices fit '%s'", count,
			  pattern);
	else
		error_set(err, ERR_USAGE, "there are %zu devices: which one?",
			  count);
	error_hint(
		err,
		"name one with -d/--device: its id, client id or alias; --all takes all of them, where a command has it");
	return error_detail(err, buf_string(&list), list.len);
}

static void refuse_unnamed(struct error *why)
{
	error_set(
		why, ERR_USAGE,
		"no target: the running serve has no port for boards, and only keeps servers open");
	error_hint(
		why,
		"name the target of one, or its name with -d: 'mcpctl devices' shows them");
}

void attached_look_again(struct control_peer *p)
{
	struct serve *s = p->server;
	struct board *d = registry_next_meant(&s->registry, NULL, p->pattern);
	CLEANUP(error_reset) struct error why = { 0 };

	if (!d && !p->pattern && s->config.no_listen) {
		p->waiting = false;
		refuse_unnamed(&why);
		control_peer_error(p, &why);
	} else if (d && registry_next_meant(&s->registry, d, p->pattern)) {
		p->waiting = false;
		attached_which(s, p->pattern, &why);
		control_peer_error(p, &why);
	} else if (d && is_at_rest(d)) {
		attach(p, d);
	} else if (!d && device_word_check(s, p->pattern, true, &why)) {
		p->waiting = false;
		control_peer_error(p, &why);
	} else {
		tell_waiting(p, d);
	}
}

void attached_ask(struct control_peer *p, const char *pattern, bool tail)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (p->device || p->waiting) {
		error_set(&why, ERR_USAGE, "this connection has its device");
		control_peer_error(p, &why);
		return;
	}
	mem_free(p->pattern);
	p->pattern = mem_strdup(pattern);
	p->tail = tail;
	p->waiting = true;
	attached_look_again(p);
}

/* ---- requests and replies ---- */

static void unlink_call(struct attached_call *call)
{
	struct control_peer *p = call->peer;

	*call->link = call->next;
	if (call->next)
		call->next->link = call->link;
	p->calls_count--;
}

static struct attached_call *new_call(struct control_peer *p)
{
	struct attached_call *call = mem_zalloc(sizeof(*call));

	call->peer = p;
	call->next = p->calls;
	call->link = &p->calls;
	if (call->next)
		call->next->link = &call->next;
	p->calls = call;
	p->calls_count++;
	return call;
}

void attached_leave(struct control_peer *p)
{
	struct board *d = p->device;
	struct attached_call *call;

	if (d && d->held)
		held_abandon(d, p);
	while ((call = p->calls)) {
		if (d && d->held && call->relay.device)
			held_cancel(d, call->relay.id, "the command ended");
		relay_forget(&call->relay);
		unlink_call(call);
		mem_free(call->id);
		mem_free(call);
	}
	relay_leave(&p->server->relays, p);
	if (!d)
		return;
	if (d->held)
		held_used(d->held);
	else
		board_fall_silent(d, p);
	*p->link_there = p->next_there;
	if (p->next_there)
		p->next_there->link_there = p->link_there;
	if (!d->audience->first)
		mem_free(TAKE(d->audience));
	p->device = NULL;
	records_add(&p->server->records, RECORD_DETACHED, LEVEL_DEBUG, d->id,
		    NULL, "a command left (pid %d)", p->pid);
}

static void keep_initialize(struct board *d, const char *frame, size_t len)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };

	if (d && !envelope_decode(&e, frame, len, NULL))
		board_keep_initialize(d, &e.message);
}

/* A request alone, of a server that is kept open. */
static void tell_failed(struct control_peer *p, const char *id,
			const struct error *why)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(&out, "{\"op\":\"failed\",\"id\":%s,\"error\":", id);
	control_error_encode(&out, why);
	buf_char(&out, '}');
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

/* A device that goes fails all of them: `gone` says it once. */
static void on_reply(void *owner, struct relay *r, const char *frame,
		     size_t len, const struct error *why)
{
	struct attached_call *call = owner;
	struct control_peer *p = call->peer;

	(void)r;
	unlink_call(call);
	if (frame && call->initialize)
		keep_initialize(p->device, frame, len);
	if (frame)
		control_peer_send(p, CONTROL_TEXT, frame, len);
	else if (call->id)
		tell_failed(p, call->id, why);
	mem_free(call->id);
	mem_free(call);
}

/* The answer that serve gives itself. id: the raw token. */
static void answer_error(struct control_peer *p, struct span id, int code,
			 const char *message)
{
	CLEANUP(mem_free_ptr) char *token = mem_strndup(id.text, id.len);
	CLEANUP(buf_done) struct buf payload = { 0 }, frame = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (p->device->held && code == SERVE_NOT_SENT) {
		error_set(&why, ERR_CONNECT, "%s", message);
		tell_failed(p, token, &why);
		return;
	}
	jsonrpc_error(&payload, token, code, message);
	link_wrap(&p->device->link, payload.data, payload.len, &frame);
	control_peer_send(p, CONTROL_TEXT, frame.data, frame.len);
}

static void refuse(struct control_peer *p, int code, const char *message)
{
	answer_error(p, (struct span){ "null", 4 }, code, message);
}

static struct span progress_token(const struct message *m)
{
	struct span meta, token = { 0 };

	if (json_span_member(m->params, "_meta", &meta))
		json_span_member(meta, "progressToken", &token);
	return token;
}

static bool is_call(const struct attached_call *call, struct span id)
{
	return call->id && strlen(call->id) == id.len &&
	       memcmp(call->id, id.text, id.len) == 0;
}

/* Our id of the request with that id, which is given up; 0: none. */
static int32_t forget_call(struct control_peer *p, struct span id)
{
	struct attached_call *call = p->calls;
	int32_t ours;

	while (call && !is_call(call, id))
		call = call->next;
	if (!call)
		return 0;
	ours = call->relay.id;
	relay_forget(&call->relay);
	unlink_call(call);
	mem_free(call->id);
	mem_free(call);
	return ours;
}

static bool is_cancel(const struct message *m)
{
	return m->kind == MESSAGE_NOTIFICATION &&
	       strcmp(m->method, "notifications/cancelled") == 0;
}

/* Its ids are its own: what it gives up is named by ours. */
static void give_up(struct control_peer *p, const struct message *m)
{
	CLEANUP(mem_free_ptr) char *why = NULL;
	struct span id, reason;
	int32_t ours;

	if (!json_span_member(m->params, "requestId", &id))
		return;
	if (json_span_member(m->params, "reason", &reason))
		why = json_span_string(reason);
	ours = forget_call(p, id);
	if (ours)
		held_cancel(p->device, ours, why ? why : "given up");
}

static void send_request(struct control_peer *p, const struct message *m)
{
	struct span payload = { m->text, m->len };
	CLEANUP(error_reset) struct error why = { 0 };
	struct attached_call *call;
	int64_t patience =
		p->timeout > 0 ? p->timeout : p->server->config.timeout;

	if (board_admit(p->device, m->method, &why)) {
		answer_error(p, m->id, SERVE_NOT_SENT, why.text);
		return;
	}
	if (p->calls_count >= CALLS_MAX) {
		answer_error(
			p, m->id, SERVE_NOT_SENT,
			"too many requests of this command are on their way");
		return;
	}
	call = new_call(p);
	call->relay.done = on_reply;
	call->relay.owner = call;
	call->relay.whose = p;
	call->relay.patience = patience;
	call->relay.counts = strcmp(m->method, "tools/call") == 0;
	call->initialize = strcmp(m->method, "initialize") == 0;
	if (p->device->held) {
		call->id = mem_strndup(m->id.text, m->id.len);
		call->relay.token = progress_token(m);
	}
	if (!relay_send(&call->relay, p->device, payload, m->id, 0, &why))
		return;
	unlink_call(call);
	mem_free(call->id);
	mem_free(call);
	answer_error(p, m->id, SERVE_NOT_SENT, why.text);
}

static void send_as_it_is(struct control_peer *p, const char *frame, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (board_send(p->device, frame, len, &why))
		refuse(p, SERVE_NOT_SENT, why.text);
}

/*
 * A notification, or what only the device may understand: the command cannot
 * know a session that began since it attached.
 */
static void send_other(struct control_peer *p, struct span frame,
		       const struct envelope *e)
{
	CLEANUP(mem_free_ptr) char *text = mem_strndup(frame.text, frame.len);
	const struct link *l = &p->device->link;
	CLEANUP(buf_done) struct buf wrapped = { 0 };

	if (!e->type.text)
		link_wrap(l, frame.text, frame.len, &wrapped);
	else if (json_span_is(e->type, "mcp") ||
		 link_wrap_device(l, text, &wrapped, NULL))
		buf_add(&wrapped, frame.text, frame.len);
	send_as_it_is(p, wrapped.data, wrapped.len);
}

void attached_text(struct control_peer *p, const char *frame, size_t len)
{
	CLEANUP(envelope_done) struct envelope e = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };
	const struct message *m = &e.message;

	if (envelope_decode(&e, frame, len, &why)) {
		refuse(p, JSONRPC_PARSE_ERROR, why.text);
		return;
	}
	if (!e.type.text && m->kind == MESSAGE_BATCH) {
		refuse(p, JSONRPC_INVALID_REQUEST,
		       p->device->held ?
			       "serve passes no batches to a server that commands share" :
			       "serve passes no batches: devices do not answer them");
		return;
	}
	if (json_span_is(e.type, "hello")) {
		refuse(p, JSONRPC_INVALID_REQUEST,
		       "serve has said hello to the device already");
		return;
	}
	if (leasing_check(p, p->device, &why))
		answer_error(p,
			     m->kind == MESSAGE_REQUEST ?
				     m->id :
				     (struct span){ "null", 4 },
			     SERVE_NOT_SENT, why.text);
	else if (p->device->held && is_cancel(m))
		give_up(p, m);
	else if (p->device->held && held_said(p, m))
		return;
	else if (m->kind == MESSAGE_REQUEST)
		send_request(p, m);
	else
		send_other(p, (struct span){ frame, len }, &e);
	if (e.type.text && p->device)
		board_spoke(p->device, p, (struct span){ frame, len });
}

/* It ends the command's time here if it cannot be sent: who speaks is told why. */
void attached_sound(struct control_peer *p, const char *packet, size_t len)
{
	CLEANUP(error_reset) struct error why = { 0 };

	if (len == 0 || len > SOUND_MAX)
		error_set(&why, ERR_PROTOCOL, "a packet of %zu bytes", len);
	else if (board_speak(p->device, p, packet, len, &why) == 0)
		return;
	control_peer_error(p, &why);
}

/* ---- what the device says ---- */

static void offer_all(const struct board *d, enum control_kind kind,
		      const void *data, size_t len, bool tail_only)
{
	struct control_peer *p = d->audience->first;
	struct packet *packet;

	while (p && tail_only && !p->tail)
		p = p->next_there;
	if (!p || len > CONTROL_FRAME_MAX)
		return;
	packet = packet_new(kind, data, len);
	for (; p; p = p->next_there) {
		if (p->tail || !tail_only)
			control_peer_offer(p, packet);
	}
	packet_release(packet);
}

void control_text_tail(struct board *d, const char *frame, size_t len,
		       const struct control_peer *but)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;
	struct packet *packet;

	if (!p || len > CONTROL_FRAME_MAX)
		return;
	packet = packet_new(CONTROL_TEXT, frame, len);
	for (; p; p = p->next_there) {
		if (p->tail && p != but)
			control_peer_offer(p, packet);
	}
	packet_release(packet);
}

void control_text(struct board *d, const char *frame, size_t len)
{
	if (d->audience)
		offer_all(d, CONTROL_TEXT, frame, len, false);
}

/* To those who know no findings, in words. */
static void odd_words(struct buf *out, const struct board_finding *what,
		      struct span message)
{
	CLEANUP(buf_done) struct buf title = { 0 };

	finding_title(&title, what->finding, what->detail);
	buf_text(out, "{\"op\":\"odd\"");
	json_add_text(out, "text", buf_string(&title));
	if (message.text) {
		buf_text(out, ",\"message\":");
		buf_json_string(out, message.text, message.len);
	}
	buf_char(out, '}');
}

static void finding_words(struct buf *out, const struct board *d,
			  const struct board_finding *what, struct span message)
{
	buf_text(out, "{\"op\":\"finding\",\"finding\":");
	finding_facts(out, what->finding, what->detail, d->id);
	if (message.text) {
		buf_text(out, ",\"message\":");
		buf_json_string(out, message.text, message.len);
	}
	buf_char(out, '}');
}

/* What a command that knows no findings cannot see for itself. */
static bool is_old_odd(enum diag_code code)
{
	return code == B250 || code == D123 || code == D115 || code == D116 ||
	       code == D143 || code == D125;
}

/* Without tail a code is told once. */
static bool wants(struct control_peer *p, const struct finding *f)
{
	bool first = !p->told[f->code];

	p->told[f->code] = true;
	if (!p->findings)
		return is_old_odd(f->code);
	return p->tail || first;
}

void control_finding(struct board *d, const struct board_finding *what)
{
	for (struct control_peer *p = d->audience ? d->audience->first : NULL;
	     p; p = p->next_there) {
		const struct span message =
			what->whose == p ? what->own : what->message;
		CLEANUP(buf_done) struct buf out = { 0 };
		struct packet *packet;

		if (!wants(p, what->finding))
			continue;
		if (p->findings)
			finding_words(&out, d, what, message);
		else
			odd_words(&out, what, message);
		packet = packet_new(CONTROL_JSON, out.data, out.len);
		control_peer_offer(p, packet);
		packet_release(packet);
	}
}

/* For those that asked: an older command knows no such object. */
void control_picture(struct board *d, const struct picture_news *n)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct packet *packet;

	buf_text(&out, "{\"op\":\"picture\"");
	json_add_text(&out, "text", n->text);
	json_add_text(&out, "file", n->file);
	buf_char(&out, '}');
	packet = packet_new(CONTROL_JSON, out.data, out.len);
	for (; p; p = p->next_there) {
		if (p->pictures)
			control_peer_offer(p, packet);
	}
	packet_release(packet);
}

void control_serial(struct board *d, const struct serial_told *told)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct packet *packet;

	buf_text(&out, "{\"op\":\"serial\"");
	json_add_text(&out, "name", told->name);
	if (told->text.text) {
		buf_text(&out, ",\"text\":");
		buf_json_string(&out, told->text.text, told->text.len);
	}
	json_add_text(&out, "note", told->note);
	buf_char(&out, '}');
	packet = packet_new(CONTROL_JSON, out.data, out.len);
	for (; p; p = p->next_there) {
		if (p->serial)
			control_peer_offer(p, packet);
	}
	packet_release(packet);
}

/* ---- the layers of its connection ---- */

static void send_layers(struct control_peer *p)
{
	const struct transport *t = &p->device->transport;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct layers now = { .pong_us = -1 };

	if (t->impl && t->ops->layers)
		t->ops->layers(t, 0, &now);
	if (p->pinging)
		now.pong_us = -1;
	buf_text(&out, "{\"op\":\"layers\"");
	layers_encode(&out, &now);
	buf_char(&out, '}');
	control_peer_send(p, CONTROL_JSON, out.data, out.len);
}

/* The facts are those of before the Ping. */
void attached_layers(struct control_peer *p)
{
	CLEANUP(error_reset) struct error why = { 0 };
	struct transport *t;

	if (!p->device) {
		error_set(&why, ERR_USAGE, "'layers' needs a device");
		control_peer_error(p, &why);
		return;
	}
	t = &p->device->transport;
	p->pinging = true;
	send_layers(p);
	if (!t->impl || !t->ops->ping || t->ops->ping(t, &why))
		p->pinging = false;
}

void control_pong(struct board *d)
{
	struct control_peer *p = d->audience ? d->audience->first : NULL;

	for (; p; p = p->next_there) {
		if (!p->pinging)
			continue;
		p->pinging = false;
		send_layers(p);
	}
}

void control_audio(struct board *d, const void *packet, size_t len)
{
	if (d->audience)
		offer_all(d, CONTROL_BINARY, packet, len, true);
}

void control_gone(struct board *d, const struct error *why)
{
	CLEANUP(error_reset) struct error reason = { 0 };
	struct control_peer *p, *next;

	if (why && why->kind != ERR_NONE)
		error_copy(&reason, why);
	else
		error_set(&reason, ERR_CONNECT,
			  "the device closed its connection");
	for (p = d->audience ? d->audience->first : NULL; p; p = next) {
		next = p->next_there;
		control_tell_error(p, "gone", &reason);
		control_peer_finish(p, LINGER_MS);
	}
}
