/* SPDX-License-Identifier: MIT */
/*
 * tools/call: the tool found, its arguments checked as the board means them, the
 * call put into its peer's queue, its end made a result.
 */
#include "bridge/host_call.h"

#include <string.h>

#include "base/loop.h"
#include "base/mask.h"
#include "base/mem.h"
#include "bridge/hints.h"
#include "bridge/host_asked.h"
#include "bridge/host_reply.h"
#include "bridge/host_rules.h"
#include "bridge/host_told.h"
#include "bridge/mend.h"
#include "bridge/mend_result.h"
#include "bridge/mend_schema.h"
#include "bridge/own_answers.h"
#include "bridge/own_tools.h"
#include "mcp/modern.h"
#include "mcp/name_set.h"
#include "mcp/schema.h"
#include "mcp/tool_effect.h"

#define META_CLIENT "io.modelcontextprotocol/clientInfo"
#define LOG_NAME_MAX 200 /* bytes of a tool's name in the log */
#define TOOL_CAMERA "self.camera.take_photo"
#define PROGRESS_MAX 200 /* characters of what a server says how far it is */

/* ---- results ---- */

static struct bridge *bridge_of(const struct host_part *p)
{
	return p->question->client->host->bridge;
}

static void log_end(struct host_part *p, const char *peer, bool ok,
		    const char *why)
{
	const struct bridge_deed d = {
		.host = p->who ? p->who : "unknown",
		.peer = peer,
		.tool = p->tool,
		.arguments = p->arguments,
		.took_us = loop_now_us() - p->began_us,
		.ok = ok,
		.why = why,
	};

	bridge_log(bridge_of(p), &d);
}

/* A sentence for the model, which it can act upon. */
static void fail(struct host_part *p, const char *peer, const struct error *why,
		 const cJSON *error)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	mend_failure(&out, why, error);
	log_end(p, peer, false, why->text);
	host_result(p, buf_string(&out));
}

static void fail_text(struct host_part *p, const char *peer, const char *format,
		      ...) PRINTF_LIKE(3, 4);
static void fail_text(struct host_part *p, const char *peer, const char *format,
		      ...)
{
	CLEANUP(error_reset) struct error why = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	va_list args;

	va_start(args, format);
	text = mem_vprintf(format, args);
	va_end(args);
	error_set(&why, ERR_USAGE, "%s", text);
	fail(p, peer, &why, NULL);
}

static void own_result(struct host_part *p, const char *text, bool is_error)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_text(&out, "{\"content\":[{\"type\":\"text\",\"text\":");
	buf_json_string(&out, text, strlen(text));
	buf_printf(&out, "}],\"isError\":%s}", is_error ? "true" : "false");
	log_end(p, NULL, !is_error, is_error ? text : NULL);
	host_result(p, buf_string(&out));
}

static bool is_failure(const struct buf *result)
{
	struct span member;

	return json_span_member((struct span){ result->data, result->len },
				"isError", &member) &&
	       json_span_literal(member, "true");
}

/* Why there is none is said where there should be one. */
static void find_photo(struct mend_photo *out, const struct bridge_call *c)
{
	if (!c->photos)
		return;
	out->data = c->photo;
	if (c->camera)
		out->why = c->no_photo ?
				   c->no_photo :
				   "--photos has those of serve's boards alone";
}

static void answer(struct host_part *p, const struct bridge_call *c)
{
	const char *peer = c->peer->prefix;
	struct mend_rules rules = bridge_of(p)->mend;
	struct mend_photo photo = { 0 };
	CLEANUP(buf_done) struct buf out = { 0 };
	CLEANUP(error_reset) struct error why = { 0 };

	if (c->end != CALL_ANSWERED) {
		bridge_call_explain(c, &why);
		fail(p, peer, &why, NULL);
		return;
	}
	if (c->reply.kind == MESSAGE_ERROR) {
		const char *text = message_error_text(&c->reply);

		error_set(&why, ERR_PEER, "%s",
			  text ? text :
				 "the board told an error without words");
		fail(p, peer, &why, c->reply.error);
		return;
	}
	rules.reads_json = host_reads_json(p->who);
	find_photo(&photo, c);
	mend_result(&out, c->reply.result, &rules, &photo);
	log_end(p, peer, !is_failure(&out), "the tool says so");
	host_result(p, buf_string(&out));
}

static void on_done(void *owner, struct bridge_call *c)
{
	struct host_part *p = owner;

	p->call = NULL;
	p->drop = NULL;
	answer(p, c);
	host_settle(p->question);
}

static void drop(struct host_part *p)
{
	struct bridge_call *c = p->call;

	p->call = NULL;
	log_end(p, c->peer->prefix, false, "the host gave it up");
	host_asked_give_up(p->question->client->host, c);
	bridge_call_abandon(c);
}

/* ---- signs of life ---- */

static void tell_progress(const struct host_part *p, const cJSON *progress,
			  const cJSON *total, const char *message)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_printf(
		&out,
		"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{\"progressToken\":%s,\"progress\":",
		p->token);
	json_print(&out, progress);
	if (cJSON_IsNumber(total)) {
		buf_text(&out, ",\"total\":");
		json_print(&out, total);
	}
	json_add_text(&out, "message", message);
	buf_text(&out, "}}");
	host_tell(p, out.data, out.len);
}

/* Its numbers and ours would not fit: from now on it speaks for itself. */
static void on_progress(void *owner, const cJSON *params)
{
	struct host_part *p = owner;
	const cJSON *progress = json_member(params, "progress");
	const char *message = json_string(params, "message");
	CLEANUP(buf_done) struct buf text = { 0 };

	/* Another round may be without a token. */
	if (!cJSON_IsNumber(progress) || !p->token)
		return;
	if (message)
		mend_text(&text, message, PROGRESS_MAX);
	p->tell_at = LOOP_FOREVER;
	tell_progress(p, progress, json_member(params, "total"),
		      message ? buf_string(&text) : NULL);
}

int64_t host_call_progress(struct host_part *p)
{
	CLEANUP(json_free_ptr) cJSON *seconds = NULL;
	const struct bridge_peer *peer;
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!p->call || !p->token || !p->question->hearer.tell)
		return LOOP_FOREVER;
	if (loop_now() < p->tell_at)
		return p->tell_at;
	peer = p->call->peer;
	buf_printf(&text, "%s %s%s", peer->prefix,
		   peer->state == PEER_AWAY   ? "is " :
		   peer->current == p->call   ? "is at it" :
		   peer->state == PEER_COMING ? "is getting ready" :
						"has other calls first",
		   peer->state == PEER_AWAY ? bridge_peer_away_word(peer) : "");
	if (peer->state == PEER_AWAY)
		buf_text(&text, ": waiting for it");
	seconds = cJSON_CreateNumber(
		(double)(int64_t)((loop_now() - p->began) / 1000));
	tell_progress(p, seconds, NULL, buf_string(&text));
	p->tell_at = loop_now() + HOST_PROGRESS_MS;
	return p->tell_at;
}

/* ---- a call on its way ---- */

/* A call whose place was found. */
struct placed_call {
	struct bridge_peer *peer;
	const struct bridge_source *source;
	const struct tool *tool;
	cJSON *arguments; /* an object; owned */
};

static bool is_repeatable(const struct tool *t)
{
	struct tool_hints h;

	tool_hints_find(&h, t);
	return tool_effect(t) == EFFECT_READS || h.read_only == HINT_YES ||
	       h.idempotent == HINT_YES;
}

static char *params_of(const struct placed_call *k)
{
	struct buf out = { 0 };

	buf_text(&out, "{\"name\":");
	buf_json_string(&out, k->tool->name, strlen(k->tool->name));
	buf_text(&out, ",\"arguments\":");
	json_print(&out, k->arguments);
	buf_char(&out, '}');
	return buf_take(&out);
}

static void put_off(struct host_part *p, const struct placed_call *k)
{
	const struct bridge *b = bridge_of(p);
	struct bridge_call *c = mem_zalloc(sizeof(*c));

	c->method = mem_strdup("tools/call");
	c->params = params_of(k);
	c->repeatable = is_repeatable(k->tool);
	c->began_us = p->began_us;
	c->deadline = p->began + b->timeout;
	c->awake_by = p->began + b->wait;
	c->done = on_done;
	c->progress = p->token ? on_progress : NULL;
	c->owner = c->asker = p;
	c->answers = host_answers(p);
	c->log_level = host_log_level(p->question->client->host);
	host_want_logs(p, k->peer);
	c->photos = b->options->photos ? MEND_PHOTO_MAX : 0;
	c->camera = strcmp(k->tool->name, TOOL_CAMERA) == 0;
	if (bridge_peer_ask(k->peer, c)) {
		p->call = c;
		p->drop = drop;
		return;
	}
	bridge_call_free(c);
	fail_text(p, k->peer->prefix,
		  "%s is busy: %d calls wait for it already; try again later",
		  k->peer->prefix, PEER_QUEUE_MAX);
}

/* mcp-c-sdk wants every argument that it declares (espressif.md 4). */
static void fill_defaults(const struct placed_call *k)
{
	const cJSON *property;

	cJSON_ArrayForEach(property,
			   json_object(k->tool->schema, "properties")) {
		const cJSON *value = json_member(property, "default");

		if (value && !json_member(k->arguments, property->string) &&
		    schema_check_in(k->tool->schema, property, value, NULL))
			cJSON_AddItemToObject(k->arguments, property->string,
					      cJSON_Duplicate(value, true));
	}
}

/*
 * Wrong arguments are told as the host's revision wants it. peer NULL: whose they
 * are is not known. name NULL: all of them.
 */
static void refuse_arguments(struct host_part *p, const char *peer,
			     const char *name, const char *why)
{
	const char *revision = p->question->client->revision;
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_printf(&text, "%s%.*s%s%s", name ? "argument '" : "the arguments",
		   name ? host_cut(name) : 0, name ? name : "",
		   name ? "': " : ": ", why);
	if (p->modern || (revision && strcmp(revision, "2025-11-25") >= 0)) {
		fail_text(p, peer, "%s", buf_string(&text));
		return;
	}
	log_end(p, peer, false, buf_string(&text));
	host_error(p, JSONRPC_INVALID_PARAMS, NULL, "Invalid params: %s",
		   buf_string(&text));
}

/* Why it is refused stands in the log, too. */
static void hide_secret(struct schema_report *r)
{
	const char *path = buf_string(&r->path);
	const char *dot = strrchr(path, '.');

	if (!r->value.len || !mask_is_secret(dot ? dot + 1 : path))
		return;
	buf_reset(&r->value);
	buf_text(&r->value, "***");
}

static void refuse_by_schema(struct host_part *p, const struct placed_call *k,
			     struct schema_report *r)
{
	CLEANUP(buf_done) struct buf why = { 0 };

	hide_secret(r);
	schema_explain(r, &why);
	refuse_arguments(p, k->peer->prefix,
			 r->path.len ? buf_string(&r->path) : NULL,
			 buf_string(&why));
}

/*
 * What is checked must be what is carried out, and what whoever was asked for it
 * has seen. True: they were refused.
 */
static bool stand_twice(struct host_part *p, const char *peer,
			const cJSON *arguments)
{
	const char *twice = name_set_twice(arguments);

	if (twice)
		refuse_arguments(p, peer, twice, "it stands twice");
	return twice != NULL;
}

static void send_call(struct host_part *p, struct placed_call *k)
{
	CLEANUP(schema_report_done) struct schema_report report = { 0 };
	cJSON *said = k->arguments;

	if (stand_twice(p, k->peer->prefix, said))
		return;
	k->arguments = mend_arguments(k->tool->schema, said);
	cJSON_Delete(said);
	/* By the board's name, and by that which hosts are given. */
	if (stand_twice(p, k->peer->prefix, k->arguments))
		return;
	if (k->source->wants_all)
		fill_defaults(k);
	if (k->tool->schema &&
	    !schema_check(k->tool->schema, k->arguments, &report)) {
		refuse_by_schema(p, k, &report);
		return;
	}
	put_off(p, k);
}

/* ---- whose ---- */

static void unknown_device(struct host_part *p,
			   const struct bridge_catalogue *c,
			   const struct bridge_tool *t, const char *device)
{
	CLEANUP(buf_done) struct buf names = { 0 };

	for (size_t i = 0; i < c->sources && names.len < 400; i++) {
		const char *label = c->label[i];

		if (label && (!t || bridge_catalogue_source(c, t, label) == i))
			buf_printf(&names, "%s%s", names.len ? ", " : "",
				   label);
	}
	fail_text(p, NULL, "no board is called '%.*s'; there %s: %s",
		  host_cut(device), device, names.len ? "are" : "is",
		  names.len ? buf_string(&names) : "none");
}

/* Takes `device` off the arguments; SIZE_MAX: it is over. */
static size_t take_device(struct host_part *p, const struct bridge_tool *t,
			  cJSON *arguments)
{
	const struct shown_tools *s = bridge_shown(bridge_of(p));
	const char *device = json_string(arguments, "device");
	size_t source;

	if (stand_twice(p, NULL, arguments))
		return SIZE_MAX;
	if (!device) {
		fail_text(
			p, NULL,
			"argument 'device' is missing: which board is meant? The tool 'devices' lists them");
		return SIZE_MAX;
	}
	source = bridge_catalogue_source(&s->catalogue, t, device);
	if (source >= s->count) {
		unknown_device(p, &s->catalogue, t, device);
		return SIZE_MAX;
	}
	cJSON_DeleteItemFromObjectCaseSensitive(arguments, "device");
	return source;
}

/* source SIZE_MAX: the arguments say whose it is. */
static void call_place(struct host_part *p, const struct bridge_tool *t,
		       size_t source, const cJSON *arguments)
{
	const struct shown_tools *s = bridge_shown(bridge_of(p));
	struct placed_call k = {
		.arguments = arguments ? cJSON_Duplicate(arguments, true) :
					 cJSON_CreateObject()
	};

	if (source == SIZE_MAX)
		source = take_device(p, t, k.arguments);
	if (source != SIZE_MAX) {
		k.peer = s->peer[source];
		k.source = &s->source[source];
		k.tool = tool_list_find(&s->list[source]->tools, t->tool->name);
		send_call(p, &k);
	}
	cJSON_Delete(k.arguments);
}

/* `call_device_tool`: any tool of any board, but what is hidden on purpose. */
static void call_any(struct host_part *p, const cJSON *arguments)
{
	const struct shown_tools *s = bridge_shown(bridge_of(p));
	const char *device = json_string(arguments, "device");
	const char *name = json_string(arguments, "tool");
	const cJSON *inner = json_object(arguments, "arguments");
	const struct bridge_tool *t;
	struct placed_call k = { 0 };
	size_t source;

	if (stand_twice(p, NULL, arguments))
		return;
	if (!device || !name) {
		fail_text(p, NULL, "'%s' needs 'device' and 'tool'",
			  own_tool_name(OWN_CALL));
		return;
	}
	source = bridge_catalogue_source(&s->catalogue, NULL, device);
	if (source >= s->count) {
		unknown_device(p, &s->catalogue, NULL, device);
		return;
	}
	t = bridge_catalogue_at(&s->catalogue, source, name);
	if (!t || (t->why && !t->left_out)) {
		fail_text(p, s->peer[source]->prefix,
			  "'%.*s' has no tool '%.*s'", host_cut(device), device,
			  host_cut(name), name);
		return;
	}
	/* Models write an object as text: without it another call is made. */
	if (!inner && json_given(arguments, "arguments")) {
		refuse_arguments(p, s->peer[source]->prefix, "arguments",
				 "it must be an object");
		return;
	}
	k = (struct placed_call){
		.peer = s->peer[source],
		.source = &s->source[source],
		.tool = t->tool,
		.arguments = inner ? cJSON_Duplicate(inner, true) :
				     cJSON_CreateObject(),
	};
	send_call(p, &k);
	cJSON_Delete(k.arguments);
}

static void call_own(struct host_part *p, const char *name,
		     const cJSON *arguments)
{
	struct bridge *b = bridge_of(p);
	CLEANUP(buf_done) struct buf out = { 0 };
	enum own_tool own = own_tool_named(name);
	bool ok;

	if (own == OWN_CALL) {
		call_any(p, arguments);
		return;
	}
	ok = own == OWN_DEVICES ? own_devices(b, &out) :
				  own_refresh(b, arguments, &out);
	own_result(p, buf_string(&out), !ok);
}

/* It has not begun; who asked for it, and gave it up, is told all the same. */
static void drop_waiting(struct host_part *p)
{
	log_end(p, NULL, false, "the host gave it up");
}

static void remember(struct host_part *p, const char *name,
		     const cJSON *arguments)
{
	const struct host_client *c = p->question->client;
	CLEANUP(buf_done) struct buf text = { 0 };

	p->began = loop_now();
	p->began_us = loop_now_us();
	p->tool = mem_strndup(name, LOG_NAME_MAX);
	if (arguments)
		json_print_cut(&text, arguments, 2000);
	p->arguments = buf_take(&text);
	p->who = p->modern ?
			 host_who(json_object(json_object(p->params, "_meta"),
					      META_CLIENT)) :
			 mem_strdup(c->who);
	host_take_token(p);
}

void host_call(struct host_part *p)
{
	const char *name = json_string(p->params, "name");
	const cJSON *arguments = json_member(p->params, "arguments");
	const struct bridge_tool *t;
	size_t source;

	if (!name || (arguments && !cJSON_IsObject(arguments) &&
		      !cJSON_IsNull(arguments))) {
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Invalid params: %s",
			   name ? "'arguments' must be an object" :
				  "'name' must be a string");
		return;
	}
	if (cJSON_IsNull(arguments))
		arguments = NULL;
	t = bridge_find(bridge_of(p), name, &source);
	if (!p->tool)
		remember(p, name, arguments);
	/* A host may call what it was told by a bridge of before. */
	if (!t && host_waits(p, "tools/call")) {
		p->drop = drop_waiting;
		return;
	}
	p->drop = NULL;
	if (t && t->tool) {
		mem_free(p->tool);
		p->tool = mem_strndup(t->tool->name, LOG_NAME_MAX);
	}
	if (!t) {
		log_end(p, NULL, false, "unknown tool");
		host_error(p, JSONRPC_INVALID_PARAMS, NULL,
			   "Unknown tool: '%.*s'", host_cut(name), name);
	} else if (!t->tool) {
		call_own(p, name, arguments);
	} else {
		call_place(p, t, source, arguments);
	}
}
