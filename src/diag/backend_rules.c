/* SPDX-License-Identifier: MIT */
/*
 * What a backend says to a device (backends.md 1.10; device.md 1 to 5): habits
 * that some device does not survive, or that lose replies.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/facts.h"
#include "diag/rule_row.h"
#include "diag/subjects.h"
#include "diag/vision_rules.h"

static bool is_empty(struct span s)
{
	return s.len == 2 && *s.text == '"';
}

/* A string compared with what was kept of another, in so many bytes. */
static bool same_as_kept(struct span string, const char *kept, size_t size)
{
	CLEANUP(mem_free_ptr) char *plain = NULL;
	struct span text = { string.text + 1, string.len - 2 };

	if (string.len < 2)
		return false;
	if (memchr(text.text, '\\', text.len)) {
		plain = json_span_string(string);
		if (!plain)
			return false;
		text = (struct span){ plain, strlen(plain) };
	}
	text.len = text_cut(text.text, text.len, size - 1);
	return text.len == strlen(kept) &&
	       memcmp(text.text, kept, text.len) == 0;
}

/* ---- frames ---- */

static bool large(struct rule_look *l)
{
	const struct backend_fact *of;
	const size_t most = backend_message_max(&of);

	return most > 0 && l->f->len > most &&
	       rule_hit(l, (struct span){ 0 },
			"%zu bytes; the %s's limit is %zu", l->f->len, of->name,
			most);
}

static bool local_too_long(struct rule_look *l)
{
	const size_t most = l->f->leg == LEG_LOCAL ? firmware_local_max() : 0;

	return most > 0 && l->f->len > most &&
	       rule_hit(l, (struct span){ 0 }, "%zu bytes, of %zu", l->f->len,
			most);
}

static bool waits_for_hello(const struct rule_look *l)
{
	return l->d->hellos && !l->d->server_hello && !l->d->about.standby;
}

/* Words in place of the hello (backends.md 2.1). */
static bool refused_by_text(struct rule_look *l)
{
	return waits_for_hello(l) && !l->d->about.bare &&
	       rule_hit(l, l->r->whole, "\"%.*s\"", span_shown(l->r->whole),
			l->f->data);
}

static bool not_json(struct rule_look *l)
{
	struct span at = { l->f->data + l->r->fault, 1 };

	if (waits_for_hello(l) && !l->d->about.bare)
		return false;
	if (l->r->fault >= l->f->len)
		at = (struct span){ 0 };
	return rule_hit(l, at, "from byte %zu on", l->r->fault);
}

static bool no_type(struct rule_look *l)
{
	return !json_span_begins(l->r->type, '"') &&
	       rule_hit(l, l->r->type, "the device ignores it");
}

static bool before_device_hello(struct rule_look *l)
{
	return !l->d->hellos && !l->d->about.standby &&
	       rule_hit(l, l->r->type, "%.*s", span_shown(l->r->type),
			l->r->type.text ? l->r->type.text : "");
}

/* ---- the envelope ---- */

static bool payload_shape(struct rule_look *l)
{
	return !json_span_begins(l->r->payload, '{') &&
	       !json_span_begins(l->r->payload, '[') &&
	       rule_hit(l, l->r->payload, "the device ignores it");
}

static bool other_session(struct rule_look *l)
{
	const struct frame_reading *r = l->r;
	const struct diag *d = l->d;

	if (r->camel.text)
		return rule_hit(l, r->camel, "it is called sessionId");
	if (!json_span_begins(r->session_id, '"'))
		return (!d->about.standby || d->server_hello) &&
		       rule_hit(l, r->session_id, "it has none");
	if (!*d->session_id)
		return false;
	if (is_empty(r->session_id))
		return rule_hit(l, r->session_id, "it is empty");
	return !same_as_kept(r->session_id, d->session_id,
			     sizeof(d->session_id)) &&
	       rule_hit(l, r->session_id,
			"it is another than the server hello gave");
}

/* ---- what the user hears ---- */

#define HEARD_US 30000000 /* for a model, and for a voice */

/* Says that nothing is known of a failure, of which the device told (backends.md 1.2). */
static bool error_unheard(struct rule_look *l)
{
	const struct diag *d = l->d;
	struct span text = { 0 };
	const struct backend_fact *b;
	size_t count;

	if (!d->failed_us || l->f->at_us - d->failed_us > HEARD_US ||
	    !(json_span_is(l->r->type, "tts") ||
	      json_span_is(l->r->type, "stt")))
		return false;
	json_span_member(l->r->whole, "text", &text);
	b = backend_facts(&count);
	for (size_t i = 0; json_span_begins(text, '"') && i < count; i++) {
		CLEANUP(mem_free_ptr) char *said = NULL;

		if (!*b[i].error_phrase)
			continue;
		said = json_span_string(text);
		if (said && strstr(said, b[i].error_phrase))
			return rule_hit(l, text, "the device said \"%s\"",
					d->failed_words);
	}
	return false;
}

/* ---- JSON-RPC ---- */

static bool bad_shape(struct rule_look *l)
{
	const struct frame_reading *r = l->r;

	if (r->is_batch)
		return rule_hit(l, r->whole, "a batch");
	if (!json_span_is(r->version, "2.0"))
		return rule_hit(l, r->version, "no \"jsonrpc\":\"2.0\"");
	if (r->params.text && !json_span_begins(r->params, '{'))
		return rule_hit(l, r->params, "params is %.*s",
				span_shown(r->params), r->params.text);
	return false;
}

static bool unasked_reply(struct rule_look *l)
{
	return l->r->has_message && !json_span_begins(l->r->method, '"') &&
	       !(l->r->is_reply && l->d->to_answer) &&
	       rule_hit(l, l->r->id, "a message without a method");
}

static bool result_member(struct rule_look *l)
{
	struct span at = l->r->result.text ? l->r->result : l->r->error;

	return l->r->has_message && json_span_begins(l->r->method, '"') &&
	       at.text &&
	       rule_hit(l, at, "'%s' beside the method",
			l->r->result.text ? "result" : "error");
}

static bool early_initialize(struct rule_look *l)
{
	return waits_for_hello(l) && l->r->kind == ASKED_INITIALIZE &&
	       rule_hit(l, l->r->method,
			"the device answers when the hello came, or never");
}

static bool early_request(struct rule_look *l)
{
	return waits_for_hello(l) && l->r->kind != ASKED_INITIALIZE &&
	       rule_hit(l, l->r->method,
			"the device answers when the hello came");
}

/* ---- ids ---- */

static bool bad_id(struct rule_look *l)
{
	struct span id = l->r->id;

	if (json_span_begins(id, '"'))
		return rule_hit(l, id, "id %.*s is a text", span_shown(id),
				id.text);
	if (!id.text)
		return rule_hit(l, l->r->method, "there is no id");
	if (!l->r->has_number && !json_span_begins(id, '-') &&
	    !(*id.text >= '0' && *id.text <= '9'))
		return rule_hit(l, id, "id %.*s", span_shown(id), id.text);
	return (!l->r->has_number || l->r->number != (int32_t)l->r->number) &&
	       rule_hit(l, id, "id %.*s is no whole number within 32 bits",
			span_shown(id), id.text);
}

static bool id_zero(struct rule_look *l)
{
	return l->r->has_number && !l->r->number_was_text &&
	       l->r->number == 0 &&
	       rule_hit(l, l->r->id, "some relays lose the reply");
}

/* As some backends count that are known by it; who begins at 1 is not. */
static bool id_10000(struct rule_look *l)
{
	CLEANUP(buf_done) struct buf names = { 0 };
	struct subjects who = { 0 };
	const struct backend_fact *b;
	size_t count;
	int64_t first;

	if (!l->r->has_number || l->d->requests > 0 || l->r->number < 2)
		return false;
	b = backend_facts(&count);
	for (size_t i = 0; i < count; i++) {
		if (text_integer(b[i].first_id, 2, INT32_MAX, &first) == 0 &&
		    first == l->r->number)
			subjects_add_backend(&who, &b[i]);
	}
	if (who.count == 0)
		return false;
	subjects_as_backends(&names, &who);
	return rule_hit(l, l->r->id, "as %s count%s", buf_string(&names),
			subjects_are_many(&who) ? "" : "s");
}

static bool id_again(struct rule_look *l)
{
	const struct diag *d = l->d;
	uint32_t kept = diag_kept(d);

	if (!l->r->has_id || l->r->number > d->highest)
		return false;
	for (uint32_t i = 1; i <= kept; i++) {
		const struct diag_asked *a =
			&d->asked[(d->requests - i) % ASKED_KEPT];

		if (!a->unmatched && a->id == l->r->number)
			return rule_hit(l, l->r->id, "id %.*s was %s, %s",
					span_shown(l->r->id), l->r->id.text,
					asked_name(a),
					a->answered_us ? "answered" :
							 "not answered yet");
	}
	return false;
}

/* ---- methods ---- */

/* Over HTTP it begins another session, as where the server forgot the first. */
static bool initialize_twice(struct rule_look *l)
{
	return l->r->kind == ASKED_INITIALIZE && l->d->initialized &&
	       l->f->leg != LEG_HTTP &&
	       rule_hit(l, l->r->method, "on one connection");
}

/* Where the board is not known, it may be on this machine. */
static const struct reach_from *seen_from(const struct diag *d)
{
	static const struct reach_from here = { .board = "127.0.0.1" };

	return d->about.from.board || d->about.from.asked ? &d->about.from :
							    &here;
}

static bool vision_fault(struct rule_look *l, enum diag_code code)
{
	struct span vision, url = { 0 };
	char words[VISION_WORDS];

	if (l->r->kind != ASKED_INITIALIZE ||
	    !json_span_member(l->r->part[PARAM_CAPABILITIES], "vision",
			      &vision))
		return false;
	json_span_member(vision, "url", &url);
	return vision_url_fault(url, seen_from(l->d), words) == (int)code &&
	       rule_hit(l, url, "%s", words);
}

static bool bad_vision(struct rule_look *l)
{
	return vision_fault(l, V506);
}

static bool far_vision(struct rule_look *l)
{
	return vision_fault(l, V509);
}

/* From 2026-07-28 on there is none: each request says what it would have. */
static bool stands_alone(struct span params)
{
	struct span meta, version;

	return params.text && json_span_member(params, "_meta", &meta) &&
	       json_span_member(meta, "io.modelcontextprotocol/protocolVersion",
				&version);
}

static bool no_initialize(struct rule_look *l)
{
	return !stands_alone(l->r->params) &&
	       (l->r->kind == ASKED_LIST || l->r->kind == ASKED_CALL) &&
	       !l->d->initialized &&
	       rule_hit(l, l->r->method,
			l->d->about.board ?
				"the device knows no vision address" :
				"a server may refuse them");
}

static bool empty_cursor(struct rule_look *l)
{
	struct span cursor = l->r->part[PARAM_CURSOR];

	return l->r->kind == ASKED_LIST && cursor.text &&
	       (!json_span_begins(cursor, '"') || is_empty(cursor)) &&
	       rule_hit(l, cursor, "\"cursor\":%.*s", span_shown(cursor),
			cursor.text);
}

static bool has_cursor(const struct rule_look *l, struct span *cursor)
{
	*cursor = l->r->part[PARAM_CURSOR];
	return l->r->kind == ASKED_LIST && json_span_begins(*cursor, '"') &&
	       !is_empty(*cursor);
}

static bool user_tools_dropped(struct rule_look *l)
{
	struct span cursor;
	struct span user = l->r->part[PARAM_USER_TOOLS];

	return has_cursor(l, &cursor) && l->d->user_tools &&
	       !json_span_literal(user, "true") &&
	       rule_hit(l, cursor, "the listing breaks off");
}

static bool page_again(struct rule_look *l)
{
	struct span cursor;

	return has_cursor(l, &cursor) && *l->d->cursor &&
	       same_as_kept(cursor, l->d->cursor, sizeof(l->d->cursor)) &&
	       rule_hit(l, cursor, "cursor %.*s", span_shown(cursor),
			cursor.text);
}

static bool photo_too_early(struct rule_look *l)
{
	return l->r->kind == ASKED_CALL && !l->d->vision &&
	       json_span_is(l->r->part[PARAM_NAME], "self.camera.take_photo") &&
	       rule_hit(l, l->r->part[PARAM_NAME],
			"initialize gave no vision address");
}

static bool pings(struct rule_look *l)
{
	return l->r->kind == ASKED_PING &&
	       rule_hit(l, l->r->method, "it answers with an error");
}

static bool unknown_method(struct rule_look *l)
{
	return l->r->kind == ASKED_OTHER &&
	       rule_hit(l, l->r->method, "%.*s", span_shown(l->r->method),
			l->r->method.text);
}

/* ---- the hello ---- */

static struct span hello_member(const struct rule_look *l, const char *name)
{
	struct span out = { 0 };

	json_span_member(l->r->whole, name, &out);
	return out;
}

static bool hello_without_transport(struct rule_look *l)
{
	return !json_span_begins(hello_member(l, "transport"), '"') &&
	       rule_hit(
		       l, l->r->type, "%s",
		       l->f->leg == LEG_MQTT ?
			       "the device ignores it" :
			       "firmware up to 2.4.2 restarts, later one ignores the hello");
}

static bool hello_other_transport(struct rule_look *l)
{
	struct span t = hello_member(l, "transport");
	const char *right = l->f->leg == LEG_MQTT ? "udp" : "websocket";

	return json_span_begins(t, '"') && !json_span_is(t, right) &&
	       rule_hit(l, t, "%.*s instead of \"%s\": the device ignores it",
			span_shown(t), t.text, right);
}

static bool hello_twice(struct rule_look *l)
{
	return l->d->server_hello && l->f->leg != LEG_MQTT &&
	       hello_is_taken(l->f, l->r) &&
	       rule_hit(l, l->r->type, "one is enough");
}

/* Firmware pastes it into its messages: nothing is escaped then. */
static bool breaks_json(struct span session)
{
	CLEANUP(mem_free_ptr) char *plain = NULL;

	if (!json_span_begins(session, '"') ||
	    !memchr(session.text, '\\', session.len))
		return false;
	plain = json_span_string(session);
	for (const char *p = plain; p && *p; p++) {
		if (*p == '"' || *p == '\\' || (unsigned char)*p < 0x20)
			return true;
	}
	return !plain;
}

static bool hello_without_session(struct rule_look *l)
{
	if (hello_is_taken(l->f, l->r) && breaks_json(l->r->session_id))
		return rule_hit(l, l->r->session_id,
				"no message with it will be JSON");
	return hello_is_taken(l->f, l->r) &&
	       (!json_span_begins(l->r->session_id, '"') ||
		is_empty(l->r->session_id)) &&
	       rule_hit(l, l->r->session_id, "the device keeps the old one");
}

/* A capture has a name in its place: nothing is known of what it was. */
static bool is_masked(struct span s)
{
	return s.len > strlen("\"***") &&
	       memcmp(s.text, "\"***", strlen("\"***")) == 0;
}

static bool is_hex(struct span s, size_t digits)
{
	if (is_masked(s))
		return true;
	if (s.len != digits + 2 || *s.text != '"')
		return false;
	for (size_t i = 1; i <= digits; i++) {
		if (!strchr("0123456789abcdefABCDEF", s.text[i]))
			return false;
	}
	return true;
}

static bool unreachable_udp(struct rule_look *l, struct span server)
{
	CLEANUP(mem_free_ptr) char *host = json_span_string(server);
	char why[REACH_WHY];

	return host &&
	       reach_judge(seen_from(l->d), host, strlen(host), why) ==
		       REACH_NEVER &&
	       rule_hit(l, server, "udp.server %.*s: %s", text_shown(host, 60),
			host, why);
}

static bool bad_udp(struct rule_look *l)
{
	struct span udp = hello_member(l, "udp"), part = { 0 }, server;
	int64_t port;

	if (l->f->leg != LEG_MQTT ||
	    !json_span_is(hello_member(l, "transport"), "udp"))
		return false;
	if (!json_span_begins(udp, '{'))
		return rule_hit(l, udp, "there is no udp object");
	if (!json_span_member(udp, "server", &part) || *part.text != '"' ||
	    is_empty(part))
		return rule_hit(l, udp, "udp.server is missing");
	server = part;
	if (!json_span_member(udp, "port", &part) ||
	    json_span_integer(part, &port) || port < 1 || port > UINT16_MAX)
		return rule_hit(l, udp, "udp.port is no number of 1 to 65535");
	if (!json_span_member(udp, "key", &part) || !is_hex(part, 32))
		return rule_hit(l, udp, "udp.key is not 32 hex digits");
	if (!json_span_member(udp, "nonce", &part) || !is_hex(part, 32))
		return rule_hit(l, udp, "udp.nonce is not 32 hex digits");
	return unreachable_udp(l, server);
}

static bool error_not_hello(struct rule_look *l)
{
	return json_span_is(l->r->type, "error") && !l->d->server_hello &&
	       rule_hit(l, hello_member(l, "message"), "%.*s",
			span_shown(hello_member(l, "message")),
			hello_member(l, "message").text ?
				hello_member(l, "message").text :
				"");
}

static bool other_goodbye(struct rule_look *l)
{
	const struct diag *d = l->d;

	return json_span_is(l->r->type, "goodbye") && l->f->leg == LEG_MQTT &&
	       !(json_span_begins(l->r->session_id, '"') &&
		 same_as_kept(l->r->session_id, d->session_id,
			      sizeof(d->session_id))) &&
	       rule_hit(l, l->r->session_id, "the device ignores it");
}

/* ---- the end ---- */

static bool pages_left(struct rule_look *l)
{
	/* Nobody can follow what leads nowhere. */
	return l->d->more_pages && diag_count(l->d, D106) == 0 &&
	       diag_count(l->d, D146) == 0 &&
	       rule_hit(l, (struct span){ 0 },
			"some tools stay unknown behind the cursor \"%.60s\"",
			l->d->next);
}

static bool never_initialized(struct rule_look *l)
{
	return l->d->initialized && !l->d->notified && l->d->listed &&
	       rule_hit(l, (struct span){ 0 }, "firmware does not mind");
}

/* clang-format off */
const struct rule backend_rules[] = {
	{ B252, ON_FRAME, OF_BOARD, large },
	{ B253, ON_FRAME, OF_BOARD, local_too_long },
	{ B205, ON_BROKEN, OF_BOARD, refused_by_text },
	{ B225, ON_BROKEN, OF_BOARD, not_json },
	{ B226, ON_JSON, OF_BOARD | ENVELOPED, no_type },
	{ B207, ON_JSON, OF_BOARD | ENVELOPED, before_device_hello },
	{ B204, ON_JSON, OF_BOARD | ENVELOPED, error_not_hello },
	{ M408, ON_JSON, OF_BOARD | ENVELOPED, other_goodbye },
	{ B251, ON_JSON, OF_BOARD | ENVELOPED, error_unheard },
	{ B219, ON_MCP, OF_BOARD, payload_shape },
	{ B211, ON_MCP, OF_BOARD, other_session },
	{ B202, ON_HELLO, OF_BOARD, hello_without_transport },
	{ B210, ON_HELLO, OF_BOARD, hello_other_transport },
	{ M407, ON_HELLO, OF_BOARD, bad_udp },
	{ B227, ON_HELLO, OF_BOARD, hello_twice },
	{ B203, ON_HELLO, OF_BOARD, hello_without_session },
	{ B216, ON_MESSAGE, OF_BOARD, bad_shape },
	{ B218, ON_MESSAGE, OF_BOARD, unasked_reply },
	{ B217, ON_MESSAGE, OF_ANY, result_member },
	{ B201, ON_REQUEST, OF_BOARD | ENVELOPED, early_initialize },
	{ B208, ON_REQUEST, OF_BOARD | ENVELOPED, early_request },
	{ B215, ON_REQUEST, OF_BOARD, bad_id },
	{ B212, ON_REQUEST, OF_BOARD, id_zero },
	{ B213, ON_REQUEST, OF_BOARD, id_10000 },
	{ B214, ON_REQUEST, OF_ANY, id_again },
	{ B220, ON_REQUEST, OF_ANY, initialize_twice },
	{ V506, ON_REQUEST, OF_BOARD, bad_vision },
	{ V509, ON_REQUEST, OF_BOARD, far_vision },
	{ B221, ON_REQUEST, OF_ANY, no_initialize },
	{ B233, ON_REQUEST, OF_BOARD, empty_cursor },
	{ B232, ON_REQUEST, OF_BOARD, user_tools_dropped },
	{ B231, ON_REQUEST, OF_ANY, page_again },
	{ B243, ON_REQUEST, OF_BOARD, photo_too_early },
	{ B223, ON_REQUEST, OF_BOARD, pings },
	{ B224, ON_REQUEST, OF_BOARD, unknown_method },
	{ B263, ON_BINARY, OF_BOARD, rule_no_audio },
	{ B230, ON_END, OF_ANY, pages_left },
	{ B222, ON_END, OF_ANY, never_initialized },
};
/* clang-format on */
const size_t backend_rules_count = COUNT(backend_rules);
