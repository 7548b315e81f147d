/* SPDX-License-Identifier: MIT */
/*
 * One device of a running serve: what serve says of it becomes the peer, what
 * passes between are its frames. It knows no ids and no MCP.
 */
#include "net/attach.h"
#include "base/mem.h"
#include "base/text.h"
#include "net/camera.h"
#include "net/control_client.h"
#include "net/head.h"

#include <limits.h>
#include <string.h>

struct attach {
	struct transport *transport; /* NULL: it was never opened */
	struct control_client *client;
	struct greeting serve;
	struct error why; /* of closed */
	bool attached, closing;
	char *waiting; /* why nothing is attached yet; NULL */
	int64_t waiting_at; /* loop_now() ms when that was told */
	char *waiting_hint; /* NULL */
	attach_tool_answer *answer; /* NULL: nothing was asked */
	void *answer_owner;
	unsigned forgotten; /* questions whose answer is still to come */
	struct layers layers; /* as serve told last */
	bool has_layers;
	bool tells_layers; /* an older serve does not */
};

static void fail(struct attach *a)
{
	a->closing = true;
	control_client_close(a->client);
}

/* ---- what serve says ---- */

/* A member as it came; empty if it is absent or null. */
static struct span member(const struct control_frame *f, const char *name)
{
	struct span whole = { f->data, f->len }, found;

	if (!json_span_member(whole, name, &found) || *found.text == 'n')
		return (struct span){ 0 };
	return found;
}

static void on_waiting(struct attach *a, const cJSON *json)
{
	static const char none[] = "no device is connected to serve yet";
	const char *text = json_string(json, "text");
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct notice n = { .kind = NOTICE_LISTENING };
	bool again = a->waiting != NULL;

	mem_free(a->waiting);
	mem_free(a->waiting_hint);
	a->waiting_hint = mem_strdup(json_string(json, "hint"));
	a->waiting = mem_strdup(text && *text ? text : none);
	a->waiting_at = loop_now();
	if (again || !a->transport->events->notice)
		return;
	line = mem_printf("%s; waiting", a->waiting);
	n.text = line;
	a->transport->events->notice(a->transport->owner, &n);
}

/* Without secrets already. NULL: it told none. */
static const struct headers *take_headers(struct headers *out,
					  const cJSON *object)
{
	const cJSON *one;

	cJSON_ArrayForEach(one, object) {
		if (cJSON_IsString(one))
			headers_add(out, one->string, one->valuestring);
	}
	return object ? out : NULL;
}

/* What became of a server that is kept open. */
static void tell_news(const struct attach *a, const char *text)
{
	const struct notice n = { .kind = NOTICE_OTHER, .text = text };

	if (text && a->transport->events->notice)
		a->transport->events->notice(a->transport->owner, &n);
}

static void on_attached(struct attach *a, const struct control_frame *f,
			const cJSON *json)
{
	const cJSON *device = json_object(json, "device");
	struct span hello = member(f, "hello"), reply = member(f, "initialize"),
		    object = member(f, "device");
	CLEANUP(mem_free_ptr)
	char *text = mem_strndup(object.text ? object.text : "{}",
				 object.text ? object.len : 2);
	const char *session = json_string(json, "session_id");
	struct relay_info relay = { .hello = hello.text,
				    .hello_len = hello.len,
				    .session_id = session ? session : "" };
	struct peer_kept kept = { .initialize = reply.text,
				  .initialize_len = reply.len,
				  .id = json_string(device, "id"),
				  .device = text };
	const bool plain = json_true(json, "plain");
	const bool tool_side = json_true(json, "tool_side");
	struct peer_info peer = { .envelope = !plain,
				  .plain = plain,
				  .held = plain && !tool_side,
				  .kept = &kept };
	struct ota_request ota;
	struct headers headers = { 0 };
	int64_t version = 0, hellos = 0, protocol = 0;

	if (a->attached)
		return;
	a->attached = true;
	a->tells_layers = json_true(json, "layers");
	json_integer(json, "hellos", &hellos);
	relay.hellos = hellos > 0 && hellos < UINT_MAX ? (unsigned)hellos : 0;
	relay.mqtt = text_same(json_string(device, "transport"), "mqtt");
	json_integer(json, "frame_version", &version);
	relay.frame_version = version >= 1 && version <= 3 ? (int)version : 1;
	tell_news(a, json_string(json, "news"));
	peer.relay = peer.held ? NULL : &relay;
	peer.device_id = plain ? NULL : kept.id;
	if (!kept.id)
		kept.id = "";
	peer.path = json_string(json, "path");
	peer.headers = take_headers(&headers, json_object(json, "headers"));
	if (json_object(json, "ota")) {
		ota_facts_decode(&ota, json_object(json, "ota"));
		peer.ota = &ota;
		peer.ota_answer = json_string(json, "ota_answer");
	}
	json_integer(json, "protocol_version", &protocol);
	peer.protocol_version =
		protocol > 0 && protocol <= UINT8_MAX ? (int)protocol : 0;
	peer.client_id = json_string(device, "client_id");
	peer.address = json_string(device, "address");
	if (!peer.address)
		peer.address = kept.id;
	a->transport->events->ready(a->transport->owner, &peer);
	headers_done(&headers);
}

/* Answers come in the order of the questions. */
static bool is_forgotten(struct attach *a)
{
	if (!a->forgotten)
		return false;
	a->forgotten--;
	return true;
}

/* Of serve's own connection. */
static void on_layers(struct attach *a, const cJSON *json)
{
	const struct transport *t = a->transport;

	layers_decode(&a->layers, json);
	a->has_layers = true;
	if (t->events->pong)
		t->events->pong(t->owner);
}

/* The end, or the answer to what was asked. */
static void on_error(struct attach *a, const cJSON *json)
{
	struct error why = { 0 };

	if (is_forgotten(a))
		return;
	control_error_decode(&why, json_object(json, "error"));
	if (a->answer) {
		attach_tool_answer *answer = TAKE(a->answer);

		answer(a->answer_owner, NULL, 0, NULL, why.text);
		error_reset(&why);
		return;
	}
	if (why.kind == ERR_PROTOCOL)
		greeting_blame(&a->serve, &why);
	error_copy(&a->why, &why);
	error_reset(&why);
	fail(a);
}

static void on_tool(struct attach *a, const struct control_frame *f,
		    const cJSON *json)
{
	struct span tool = member(f, "tool");
	attach_tool_answer *answer;

	if (is_forgotten(a))
		return;
	answer = TAKE(a->answer);
	if (answer)
		answer(a->answer_owner, tool.text, tool.len,
		       json_string(json, "nearest"),
		       json_string(json, "broke"));
}

static void on_upload(struct attach *a, const cJSON *json)
{
	const char *url = json_string(json, "url");
	attach_tool_answer *answer;

	if (is_forgotten(a))
		return;
	answer = TAKE(a->answer);
	if (answer)
		answer(a->answer_owner, url, url ? strlen(url) : 0, NULL, NULL);
}

/* It did not read what the device said: the rest goes on. */
static void on_lost(struct attach *a, const cJSON *json)
{
	CLEANUP(mem_free_ptr) char *line = NULL;
	struct notice n = { .kind = NOTICE_LOST };
	int64_t count = 0;

	json_integer(json, "count", &count);
	n.count = count > 0 ? (uint64_t)count : 0;
	line = mem_printf(
		"%lld messages of the device were left out here: they came faster than they were read",
		(long long)count);
	n.text =
		count == 1 ?
			"1 message of the device was left out here: it came faster than it was read" :
			line;
	if (a->transport->events->notice)
		a->transport->events->notice(a->transport->owner, &n);
}

static void on_odd(struct attach *a, const cJSON *json)
{
	CLEANUP(error_reset) struct error what = { 0 };
	const char *text = json_string(json, "text");
	const char *message = json_string(json, "message");

	error_set(&what, ERR_PROTOCOL, "%s", text ? text : "something odd");
	if (message)
		error_detail(&what, message, strlen(message));
	a->transport->events->failed(a->transport->owner, 0, &what);
}

static void on_finding(struct attach *a, const struct control_frame *f,
		       const cJSON *json)
{
	const struct span finding = member(f, "finding");

	if (finding.text && a->transport->events->found)
		a->transport->events->found(a->transport->owner, finding,
					    json_string(json, "message"));
}

/* Of a server that is kept open: one request alone. */
static void on_request_failed(struct attach *a, const cJSON *json)
{
	CLEANUP(error_reset) struct error why = { 0 };
	int64_t id;

	if (json_integer(json, "id", &id))
		return;
	control_error_decode(&why, json_object(json, "error"));
	a->transport->events->failed(a->transport->owner, id, &why);
}

static void on_picture(struct attach *a, const cJSON *json)
{
	const char *text = json_string(json, "text");

	camera_tell(a->transport, text ? text : "sent a picture",
		    json_string(json, "file"));
}

static void on_serial(struct attach *a, const cJSON *json)
{
	const char *name = json_string(json, "name");
	const char *text = json_string(json, "text");

	if (a->transport->events->serial)
		a->transport->events->serial(
			a->transport->owner, name ? name : "serial",
			(struct span){ text, text ? strlen(text) : 0 },
			json_string(json, "note"));
}

static void on_json(struct attach *a, const struct control_frame *f)
{
	CLEANUP(json_free_ptr) cJSON *json = json_parse(f->data, f->len, NULL);
	const char *op = json_string(json, "op");

	if (text_same(op, "attached")) {
		on_attached(a, f, json);
	} else if (text_same(op, "waiting")) {
		on_waiting(a, json);
	} else if (text_same(op, "tool")) {
		on_tool(a, f, json);
	} else if (text_same(op, "upload")) {
		on_upload(a, json);
	} else if (text_same(op, "layers")) {
		on_layers(a, json);
	} else if (text_same(op, "lost")) {
		on_lost(a, json);
	} else if (text_same(op, "odd")) {
		on_odd(a, json);
	} else if (text_same(op, "finding")) {
		on_finding(a, f, json);
	} else if (text_same(op, "serial")) {
		on_serial(a, json);
	} else if (text_same(op, "picture")) {
		on_picture(a, json);
	} else if (text_same(op, "failed")) {
		on_request_failed(a, json);
	} else if (text_same(op, "error")) {
		on_error(a, json);
	} else if (text_same(op, "gone")) {
		control_error_decode(&a->why, json_object(json, "error"));
		fail(a);
	} else {
		error_set(&a->why, ERR_PROTOCOL,
			  "serve sent what this version does not know");
		greeting_blame(&a->serve, &a->why);
		error_detail(&a->why, f->data, f->len);
		fail(a);
	}
}

static int on_greeted(void *owner, const struct greeting *g, struct error *err)
{
	struct attach *a = owner;
	const struct transport *t = a->transport;
	CLEANUP(buf_done) struct buf line = { 0 };
	struct notice n = { .kind = NOTICE_OTHER };

	a->serve = *g;
	if (greeting_check(g, err))
		return -1;
	if (a->closing || !greeting_differs(g) || !t->events->notice)
		return 0;
	greeting_tell(&line, g);
	n.text = buf_string(&line);
	t->events->notice(t->owner, &n);
	return 0;
}

static void on_frame(void *owner, const struct control_frame *f)
{
	struct attach *a = owner;
	const struct transport_events *events;

	if (a->closing)
		return;
	if (f->kind == CONTROL_JSON) {
		on_json(a, f);
		return;
	}
	events = a->transport->events;
	if (a->attached)
		events->message(a->transport->owner,
				f->kind == CONTROL_TEXT ? FRAME_TEXT :
							  FRAME_BINARY,
				f->data, f->len);
}

/* A reason that serve gave tells more than the end of its socket. */
static void on_closed(void *owner, const struct error *why)
{
	struct attach *a = owner;
	struct transport *t = a->transport;

	if (a->why.kind == ERR_NONE)
		error_copy(&a->why, why);
	if (t) {
		t->impl = NULL;
		t->events->closed(t->owner, &a->why);
	}
	error_reset(&a->why);
	mem_free(a->waiting);
	mem_free(a->waiting_hint);
	mem_free(a);
}

static const struct control_client_events client_events = {
	.greeted = on_greeted,
	.frame = on_frame,
	.closed = on_closed,
};

/* ---- what the owner says ---- */

static int ask_attach(struct attach *a, const struct endpoint *to,
		      struct error *err)
{
	CLEANUP(mem_free_ptr)
	char *held = to->held ? mem_printf("held:%s", to->held) : NULL;
	const struct serve_question q = { .op = "attach",
					  .device = held ? held : to->device,
					  .timeout = to->call_timeout,
					  .tail = to->tail,
					  .pictures = true,
					  .findings = true,
					  .serial = to->tail };

	return control_client_ask(a->client, &q, err);
}

static int attach_open(struct transport *t, const struct endpoint *to,
		       struct error *err)
{
	const char *at = to->held ? to->held_at : to->path;
	bool given = at && *at;
	CLEANUP(mem_free_ptr) char *path = NULL;
	struct attach *a;

	if (control_path(&path, given ? at : NULL, false, err))
		return -1;
	a = mem_zalloc(sizeof(*a));
	if (control_client_open(&a->client, t->loop, path, &client_events, a,
				err) != 0) {
		mem_free(a);
		return -1;
	}
	if (ask_attach(a, to, err)) {
		fail(a);
		return -1;
	}
	a->transport = t;
	t->impl = a;
	return 0;
}

static int attach_send(struct transport *t, const char *text, size_t len,
		       struct error *err)
{
	struct attach *a = t->impl;

	if (!a || a->closing || !a->attached)
		return error_set(err, ERR_CONNECT,
				 "no device of serve is attached");
	if (len > TRANSPORT_QUEUE_MAX)
		return error_set(err, ERR_CONNECT,
				 "a message of %zu bytes is too long", len);
	return control_client_send(a->client, CONTROL_TEXT, text, len, err);
}

static int attach_send_sound(struct transport *t, const void *data, size_t len,
			     struct error *err)
{
	struct attach *a = t->impl;

	if (!a || a->closing || !a->attached)
		return error_set(err, ERR_CONNECT,
				 "no device of serve is attached");
	return control_client_send(a->client, CONTROL_BINARY, data, len, err);
}

static void attach_close(struct transport *t)
{
	struct attach *a = t->impl;

	if (!a || a->closing)
		return;
	error_reset(&a->why);
	fail(a);
}

static int attach_explain(struct transport *t, struct error *err)
{
	const struct attach *a = t->impl;
	char since[64];

	if (!a || a->closing || a->attached)
		return 0;
	if (!a->waiting)
		return control_client_silent(ERR_CONNECT, err);
	error_set(err, ERR_CONNECT, "%s", a->waiting);
	if (!a->waiting_hint)
		return error_hint(err, "'mcpctl devices' shows who is there");
	return error_hint(
		err, "%s%s", a->waiting_hint,
		text_since(since, sizeof(since), loop_now() - a->waiting_at));
}

/* q NULL: nothing. */
static int ask(struct transport *t, const struct serve_question *q,
	       attach_tool_answer *answer, void *owner, struct error *err)
{
	struct attach *a = t->ops == &attach_ops ? t->impl : NULL;

	if (!a || a->closing)
		return error_set(err, ERR_CONNECT, "not connected to serve");
	a->forgotten += a->answer != NULL;
	a->answer = NULL;
	if (!q)
		return 0;
	if (control_client_ask(a->client, q, err))
		return -1;
	a->answer = answer;
	a->answer_owner = owner;
	return 0;
}

int attach_ask_tool(struct transport *t, const char *name,
		    attach_tool_answer *answer, void *owner, struct error *err)
{
	const struct serve_question q = { .op = "tool", .name = name };

	return ask(t, name ? &q : NULL, answer, owner, err);
}

int attach_ask_upload(struct transport *t, attach_tool_answer *answer,
		      void *owner, struct error *err)
{
	const struct serve_question q = { .op = "upload" };

	return ask(t, &q, answer, owner, err);
}

static bool attach_layers(const struct transport *t, int64_t id,
			  struct layers *out)
{
	const struct attach *a = t->impl;

	(void)id;
	*out = (struct layers){ .pong_us = -1 };
	if (!a || !a->has_layers)
		return false;
	*out = a->layers;
	return true;
}

static int attach_ping(struct transport *t, struct error *err)
{
	static const struct serve_question q = { .op = "layers" };
	struct attach *a = t->impl;

	if (!a || a->closing || !a->attached || !a->tells_layers)
		return error_set(err, ERR_CONNECT,
				 "serve cannot be asked about its connection");
	a->has_layers = false;
	return control_client_ask(a->client, &q, err);
}

const struct transport_ops attach_ops = {
	.scheme = "attach",
	.open = attach_open,
	.send = attach_send,
	.close = attach_close,
	.explain = attach_explain,
	.layers = attach_layers,
	.ping = attach_ping,
	.send_sound = attach_send_sound,
};
