/* SPDX-License-Identifier: MIT */
/* The engine: reads a frame once, asks the rules, remembers. */
#include "diag/diag.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"
#include "diag/rule_row.h"
#include "wire/audio.h"
#include "wire/envelope.h"

/* Findings: one a code, counted. */

void finding_done(struct finding *f)
{
	mem_free(f->detail);
	*f = (struct finding){ 0 };
}

static struct finding *find(const struct diag *d, enum diag_code code)
{
	for (size_t i = 0; i < d->count; i++) {
		if (d->item[i].code == code)
			return &d->item[i];
	}
	return NULL;
}

const struct finding *diag_finding(const struct diag *d, enum diag_code code)
{
	return find(d, code);
}

uint64_t diag_count(const struct diag *d, enum diag_code code)
{
	const struct finding *f = find(d, code);

	return f ? f->count : 0;
}

size_t diag_severe(const struct diag *d, enum severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < d->count; i++)
		n += finding_row(d->item[i].code)->severity == severity;
	return n;
}

int diag_worst(const struct diag *d)
{
	int worst = -1;

	for (size_t i = 0; i < d->count; i++) {
		int severity = (int)finding_row(d->item[i].code)->severity;

		if (severity > worst)
			worst = severity;
	}
	return worst;
}

/* As much of the frame as is kept, with what is wrong in it. */
static void excerpt(struct proof *p, struct span whole, struct span at)
{
	size_t off = at.text ? (size_t)(at.text - whole.text) : 0;
	size_t before = PROOF_MAX / 3;

	p->size = whole.len;
	p->from = off > before ? off - before : 0;
	p->text_len = whole.len - p->from;
	if (p->text_len > PROOF_MAX)
		p->text_len = PROOF_MAX;
	if (p->text_len > 0) {
		memcpy(p->text, whole.text + p->from, p->text_len);
		mask_window(p->text, p->text_len, whole, p->from);
	}
	p->off = off - p->from;
	p->len = at.text ? at.len : 0;
	if (p->len > p->text_len - p->off)
		p->len = p->text_len - p->off;
}

static struct finding *add_finding(struct diag *d, enum diag_code code)
{
	struct finding *f;

	d->item = mem_grow(d->item, &d->capacity, d->count, sizeof(*d->item));
	f = &d->item[d->count++];
	*f = (struct finding){ .code = code };
	return f;
}

const struct finding *diag_take(struct diag *d, struct finding *f)
{
	struct finding *place = find(d, f->code);

	if (place)
		finding_done(place);
	else
		place = add_finding(d, f->code);
	*place = *f;
	*f = (struct finding){ 0 };
	return place;
}

static void raise_finding(struct diag *d, enum diag_code code,
			  const struct rule_look *l)
{
	struct finding *f = find(d, code);
	int64_t now = l->f && l->f->at_us ? l->f->at_us :
		      d->clock		  ? d->clock() :
					    d->last_us;

	if (!f) {
		f = add_finding(d, code);
		f->first_us = now;
		f->detail = mem_strdup(l->detail);
		if (l->f) {
			f->proof = (struct proof){
				.n = l->aside ? 0 : d->frames,
				.at_us = now,
				.leg = l->f->leg,
				.from_device = l->f->from_device,
			};
			excerpt(&f->proof,
				(struct span){ l->f->data, l->f->len }, l->at);
		}
	}
	f->count++;
	f->last_us = now;
	if (d->found)
		d->found(d->owner, f, l->detail);
}

void diag_found(struct diag *d, enum diag_code code, struct span proof,
		const char *format, ...)
{
	/* D: what a device does or has; all else is said to it. */
	const struct diag_frame f = {
		.from_device = *finding_row(code)->code == 'D',
		.data = proof.text,
		.len = proof.len,
	};
	struct rule_look l = { .d = d,
			       .f = proof.text ? &f : NULL,
			       .aside = true };
	va_list args;

	va_start(args, format);
	rule_words(&l, format, args);
	va_end(args);
	raise_finding(d, code, &l);
}

void diag_answer(struct diag *d)
{
	d->frames++;
}

void diag_found_in(struct diag *d, enum diag_code code,
		   const struct diag_frame *f, struct span at,
		   const char *format, ...)
{
	struct rule_look l = { .d = d, .f = f, .at = at };
	va_list args;

	va_start(args, format);
	rule_words(&l, format, args);
	va_end(args);
	raise_finding(d, code, &l);
}

/* Reading: one scan, no tree. */

/* Of a text that is no number: its hash. False: it is neither. */
static bool id_number(struct span id, int64_t *out)
{
	if (id.text && jsonrpc_number(id, out))
		return true;
	if (!json_span_begins(id, '"'))
		return false;
	*out = (int64_t)text_hash(id.text, id.len);
	return true;
}

static void read_id(struct frame_reading *r)
{
	const bool text = json_span_begins(r->id, '"');
	int64_t number;

	r->has_number = r->id.text && jsonrpc_number(r->id, &number);
	r->number_was_text = r->has_number && text;
	r->has_id = id_number(r->id, &number);
	if (r->has_id)
		r->number = number;
}

static enum asked_method method_of(struct span method)
{
	static const char *const names[] = { "initialize", "tools/list",
					     "tools/call", "ping" };

	for (size_t i = 0; i < COUNT(names); i++) {
		if (json_span_is(method, names[i]))
			return (enum asked_method)(i + 1);
	}
	return ASKED_OTHER;
}

static void read_content(struct frame_reading *r)
{
	static const char *const names[] = { "text", "image", "type" };
	const struct span content = r->part[RESULT_CONTENT];
	struct span item;
	size_t at = 0;

	if (!json_span_begins(content, '['))
		return;
	for (; json_span_next(content, &at, &item); r->items++) {
		if (r->items == 0)
			json_span_members(item, names, COUNT(names), r->item);
	}
}

static void read_parts(struct frame_reading *r)
{
	static const char *const params[] = { "name", "cursor", "withUserTools",
					      "capabilities" };
	static const char *const result[] = { "nextCursor", "isError",
					      "content", "tools" };
	static const char *const error[] = { "code", "message" };

	if (r->is_request && r->kind != ASKED_OTHER) {
		json_span_members(r->params, params, COUNT(params), r->part);
	} else if (r->is_reply && r->error.text) {
		json_span_members(r->error, error, COUNT(error), r->part);
	} else if (r->is_reply) {
		json_span_members(r->result, result, COUNT(result), r->part);
		read_content(r);
	}
}

static void read_message(struct frame_reading *r, const struct span *places)
{
	r->has_message = true;
	r->version = places[MEMBER_VERSION];
	r->id = places[MEMBER_ID];
	r->method = places[MEMBER_METHOD];
	r->params = places[MEMBER_PARAMS];
	r->result = places[MEMBER_RESULT];
	r->error = places[MEMBER_ERROR];
	r->is_request =
		json_span_begins(r->method, '"') &&
		!(r->method.len > 14 &&
		  strncmp(r->method.text + 1, "notifications", 13) == 0);
	r->is_reply = !r->method.text && (r->result.text || r->error.text);
	read_id(r);
	if (r->is_request)
		r->kind = method_of(r->method);
	read_parts(r);
}

/* An object with nothing of JSON-RPC in it is no message at all. */
static bool says_anything(const struct span *places)
{
	return places[MEMBER_VERSION].text || places[MEMBER_METHOD].text ||
	       places[MEMBER_ID].text || places[MEMBER_RESULT].text ||
	       places[MEMBER_ERROR].text;
}

static void read_object(struct frame_reading *r, const struct json_places *at)
{
	const bool bare = envelope_is_bare(at);

	if (!bare)
		r->type = at->outer[MEMBER_TYPE];
	r->session_id = at->outer[MEMBER_SESSION];
	r->camel = at->outer[MEMBER_SESSION_CAMEL];
	r->payload = at->outer[MEMBER_PAYLOAD];
	if (bare && says_anything(at->outer))
		read_message(r, at->outer);
	else if (json_span_is(r->type, "mcp") &&
		 json_span_begins(r->payload, '{'))
		read_message(r, at->inner);
	else if (json_span_is(r->type, "mcp") &&
		 json_span_begins(r->payload, '['))
		r->is_batch = true;
}

static void read_frame(struct frame_reading *r, const struct diag_frame *f)
{
	const struct json_places *at = f->at;
	struct json_places own;
	bool odd;

	*r = (struct frame_reading){ .whole = { f->data, f->len } };
	if (!at && envelope_scan(&own, &odd, f->data, f->len, NULL)) {
		json_fault(f->data, f->len, &r->fault);
		return;
	}
	if (!at)
		at = &own;
	r->is_json = true;
	r->whole.len = text_trim(&r->whole.text, r->whole.len);
	r->is_object = json_span_begins(r->whole, '{');
	r->is_batch = json_span_begins(r->whole, '[');
	if (r->is_object)
		read_object(r, at);
}

/* Asking the rules. */

static unsigned events_of(const struct frame_reading *r)
{
	unsigned on = ON_FRAME | ON_JSON;

	if (!r->is_json)
		return ON_FRAME | ON_BROKEN;
	if (json_span_is(r->type, "mcp"))
		on |= ON_MCP;
	if (json_span_is(r->type, "hello"))
		on |= ON_HELLO;
	if (r->has_message || r->is_batch)
		on |= ON_MESSAGE;
	if (r->has_message && r->is_request)
		on |= ON_REQUEST;
	if (r->has_message && r->is_reply)
		on |= ON_REPLY;
	return on;
}

static void ask(struct diag *d, const struct diag_frame *f,
		const struct frame_reading *r, unsigned on)
{
	const struct rule *rules =
		f && f->from_device ? device_rules : backend_rules;
	const size_t count =
		f && f->from_device ? device_rules_count : backend_rules_count;
	const unsigned of = d->about.board ? OF_BOARD : OF_PLAIN;
	const unsigned not_of = d->about.bare ? ENVELOPED : 0;
	struct rule_look l;

	/* Not as a whole: of the detail nobody looks at more than was written. */
	l.d = d;
	l.f = f;
	l.r = r;
	l.aside = false;
	for (const struct rule *rule = rules; rule < rules + count; rule++) {
		if ((rule->on & on) && (rule->of & of) &&
		    !(rule->of & not_of) && rule->look(&l))
			raise_finding(d, rule->code, &l);
	}
}

/* Remembering, after the rules have seen it. */

uint32_t diag_kept(const struct diag *d)
{
	return d->requests < ASKED_KEPT ? d->requests : ASKED_KEPT;
}

static struct diag_asked *asked_by(struct diag *d, int64_t id)
{
	uint32_t kept = diag_kept(d);

	for (uint32_t i = 1; i <= kept; i++) {
		struct diag_asked *a =
			&d->asked[(d->requests - i) % ASKED_KEPT];

		if (a->id == id && !a->unmatched)
			return a;
	}
	return NULL;
}

static void keep(char *out, size_t size, struct span string)
{
	CLEANUP(mem_free_ptr) char *text = NULL;

	out[0] = '\0';
	if (!string.text || *string.text != '"' || string.len < 2)
		return;
	/* Short, and nothing to decode: no copy is made. */
	if (string.len < size + 2 && !memchr(string.text, '\\', string.len)) {
		memcpy(out, string.text + 1, string.len - 2);
		out[string.len - 2] = '\0';
		return;
	}
	text = json_span_string(string);
	if (!text)
		return;
	size = text_cut(text, strlen(text), size - 1);
	memcpy(out, text, size);
	out[size] = '\0';
}

/* Without its first part; where it has one only, the last room bytes of it. */
static struct span without_part(struct span name, size_t room)
{
	const char *dot = memchr(name.text, '.', name.len);
	size_t gone = dot ? (size_t)(dot + 1 - name.text) : name.len - room;

	/* What is left of a character is none. */
	while (!dot && gone < name.len &&
	       ((unsigned char)name.text[gone] & 0xc0) == 0x80)
		gone++;
	return (struct span){ name.text + gone, name.len - gone };
}

static void keep_tool(struct diag_asked *a, const struct frame_reading *r)
{
	struct span name =
		a->method == ASKED_CALL ? r->part[PARAM_NAME] : r->method;

	if ((a->method != ASKED_CALL && a->method != ASKED_OTHER) ||
	    !json_span_begins(name, '"'))
		return;
	name.text++;
	name.len -= 2;
	while (name.len >= sizeof(a->tool))
		name = without_part(name, sizeof(a->tool) - 1);
	memcpy(a->tool, name.text, name.len);
	a->tool[name.len] = '\0';
}

static void remember_list(struct diag *d, const struct frame_reading *r)
{
	const struct span user = r->part[PARAM_USER_TOOLS];

	d->user_tools = json_span_literal(user, "true");
	keep(d->cursor, sizeof(d->cursor), r->part[PARAM_CURSOR]);
	if (*d->cursor) /* it is followed */
		d->more_pages = false;
}

/* The oldest one makes room. */
static void lose_asked(struct diag *d, const struct diag_asked *a)
{
	if (d->requests == ASKED_KEPT || a->id < d->lost_least)
		d->lost_least = a->id;
	if (d->requests == ASKED_KEPT || a->id > d->lost_most)
		d->lost_most = a->id;
}

/* device.md 3.2; other makes may answer all the same. */
static bool firmware_is_silent(const struct frame_reading *r)
{
	return !r->has_number || r->number_was_text ||
	       r->number != (int32_t)r->number ||
	       !json_span_is(r->version, "2.0") ||
	       (r->params.text && !json_span_begins(r->params, '{'));
}

static void see_backend(struct diag *d, const struct frame_reading *r)
{
	struct span info, name = { 0 };

	d->seen.first_id = r->number;
	if (json_span_member(r->params, "clientInfo", &info))
		json_span_member(info, "name", &name);
	keep(d->seen.client, sizeof(d->seen.client), name);
	if (json_span_is(r->type, "mcp"))
		d->seen.session_key = r->camel.text	 ? 2 :
				      r->session_id.text ? 3 :
							   1;
}

static void see_device(struct diag *d, const struct frame_reading *r)
{
	struct span features = { 0 }, audio = { 0 }, part;
	int64_t ms = 0;

	json_span_member(r->whole, "features", &features);
	json_span_member(r->whole, "audio_params", &audio);
	d->seen.glyphs = json_span_member(features, "glyph_push", &part);
	d->seen.no_version = !json_span_member(r->whole, "version", &part);
	d->seen.device_name = json_span_member(r->whole, "device_name", &part);
	if (json_span_member(audio, "frame_duration", &part))
		json_span_integer(part, &ms);
	d->seen.frame_ms = ms > 0 && ms < 1000 ? (int)ms : 0;
}

/* The oldest that may still wait is at the front, and is kept yet. */
static void settle(struct diag *d)
{
	if (d->requests - d->settled > ASKED_KEPT)
		d->settled = d->requests - ASKED_KEPT;
	while (d->settled != d->requests) {
		const struct diag_asked *a = &d->asked[d->settled % ASKED_KEPT];

		if (!a->answered_us && !a->unmatched && !a->silent)
			return;
		d->settled++;
	}
}

static bool is_modern(const struct frame_reading *r)
{
	struct span meta = { 0 }, revision;

	return json_span_begins(r->params, '{') &&
	       json_span_member(r->params, "_meta", &meta) &&
	       json_span_begins(meta, '{') &&
	       json_span_member(meta, "io.modelcontextprotocol/protocolVersion",
				&revision);
}

static void remember_request(struct diag *d, const struct diag_frame *f,
			     const struct frame_reading *r)
{
	struct diag_asked *a = &d->asked[d->requests % ASKED_KEPT];
	struct span vision;

	if (d->requests >= ASKED_KEPT)
		lose_asked(d, a);
	*a = (struct diag_asked){ .at_us = f->at_us,
				  .id = r->number,
				  .unmatched = !r->has_id,
				  .id_text = json_span_begins(r->id, '"'),
				  .id_decimal = id_is_decimal(r->id),
				  .method = (uint8_t)r->kind };
	if (r->kind == ASKED_LIST)
		a->cursor = cursor_hash(r->part[PARAM_CURSOR]);
	a->silent = d->about.board && firmware_is_silent(r);
	a->modern = !d->about.board && is_modern(r);
	/* Before the hellos it may well be left so. */
	a->told = d->hellos && !d->server_hello && !d->about.standby;
	keep_tool(a, r);
	if (d->requests == 0 || a->id > d->highest)
		d->highest = a->id;
	d->requests++;
	settle(d);
	if (a->method == ASKED_INITIALIZE && d->requests == 1)
		see_backend(d, r);
	if (a->method == ASKED_INITIALIZE) {
		d->initialized = true;
		d->vision |= json_span_member(r->part[PARAM_CAPABILITIES],
					      "vision", &vision);
	}
	if (a->method == ASKED_LIST)
		remember_list(d, r);
}

/* device.md 3.2: what the device makes of such an id is another one. */
static bool id_may_change(const struct frame_reading *r)
{
	return !r->is_json ||
	       (r->is_request &&
		(!r->has_id || r->number != (int32_t)r->number) &&
		!json_span_begins(r->id, '"'));
}

/* A second is a window; the rule that looks at it is device_rules.c's. */
static void remember_unasked(struct diag *d, const struct diag_frame *f)
{
	if (f->at_us - d->unasked_us > 1000000) {
		d->unasked_us = f->at_us;
		d->unasked = 0;
	}
	d->unasked++;
}

/* What was cancelled has no answer (MCP); firmware answers all the same. */
static void see_cancelled(struct diag *d, const struct frame_reading *r)
{
	struct diag_asked *a;
	struct span id;
	int64_t number;

	if (!json_span_member(r->params, "requestId", &id))
		return;
	a = id_number(id, &number) ? asked_by(d, number) : NULL;
	if (a)
		a->told = true;
}

static void remember_backend(struct diag *d, const struct diag_frame *f,
			     const struct frame_reading *r, unsigned on)
{
	d->blurred |= id_may_change(r);
	if (r->is_reply && d->to_answer)
		d->to_answer--;
	if ((on & ON_HELLO) && hello_is_taken(f, r)) {
		d->server_hello = true;
		if (json_span_begins(r->session_id, '"'))
			keep(d->session_id, sizeof(d->session_id),
			     r->session_id);
	}
	d->asked_batch |= r->is_batch;
	d->asked_oddly |= r->is_batch || !r->is_json ||
			  ((on & ON_REQUEST) && firmware_is_silent(r));
	if (on & ON_REQUEST)
		remember_request(d, f, r);
	else if (json_span_is(r->method, "notifications/initialized"))
		d->notified = true;
	else if (json_span_is(r->method, "notifications/cancelled"))
		see_cancelled(d, r);
}

/* What the device says of a call that failed, for who is to hear it. */
static void remember_failure(struct diag *d, const struct diag_frame *f,
			     const struct frame_reading *r)
{
	const struct span is_error = r->part[RESULT_IS_ERROR];
	struct span words = { 0 }, item;
	size_t at = 0;

	if (r->error.text)
		words = r->part[ERROR_MESSAGE];
	else if (json_span_begins(is_error, 't') &&
		 json_span_begins(r->part[RESULT_CONTENT], '[') &&
		 json_span_next(r->part[RESULT_CONTENT], &at, &item) &&
		 json_span_begins(item, '{'))
		json_span_member(item, "text", &words);
	d->failed_us =
		json_span_begins(words, '"') && words.len > 2 ? f->at_us : 0;
	keep(d->failed_words, sizeof(d->failed_words), words);
}

static void remember_reply(struct diag *d, const struct diag_frame *f,
			   const struct frame_reading *r)
{
	if (!r->asked)
		return;
	if (!r->asked->answered_us)
		r->asked->answered_us = f->at_us;
	settle(d);
	if (r->asked->method == ASKED_CALL)
		remember_failure(d, f, r);
	if (json_span_begins(r->error, '{'))
		d->seen.error_codes = r->part[ERROR_CODE].text ? 1 : -1;
	if (r->asked->method != ASKED_LIST || !r->result.text)
		return;
	keep(d->next, sizeof(d->next), r->part[RESULT_NEXT]);
	d->listed = true;
	d->more_pages = *d->next;
}

#define BARE_ID_MAX 126

/*
 * An id that is neither a number nor in quotes, as it is printed by who took the
 * text of the question and forgot them. text NULL: there is none.
 */
static struct span bare_id(const struct diag_frame *f)
{
	static const char name[] = "\"id\"";
	const char *at = memmem(f->data, f->len, name, sizeof(name) - 1);
	const char *end = f->data + f->len;
	size_t len = 0;

	if (!at)
		return (struct span){ 0 };
	at += sizeof(name) - 1;
	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	while (at + len < end && !strchr(",}\" \t\r\n", at[len]))
		len++;
	if (len == 0 || len > BARE_ID_MAX)
		return (struct span){ 0 };
	return (struct span){ at, len };
}

static struct diag_asked *asked_bare(struct diag *d, const struct diag_frame *f,
				     struct frame_reading *r)
{
	const struct span id = bare_id(f);
	char quoted[BARE_ID_MAX + 2] = "\"";
	struct diag_asked *a;

	if (!id.text)
		return NULL;
	memcpy(quoted + 1, id.text, id.len);
	quoted[id.len + 1] = '"';
	a = asked_by(d, (int64_t)text_hash(quoted, id.len + 2));
	if (!a || !a->id_text)
		return NULL;
	r->id = id;
	return a;
}

/* Broken JSON that says whose answer it means to be (device.md 3.7). */
static struct diag_asked *asked_broken(struct diag *d,
				       const struct diag_frame *f,
				       struct frame_reading *r)
{
	CLEANUP(salvage_done) struct salvage s = { 0 };
	struct diag_asked *bare = asked_bare(d, f, r);

	if (bare)
		return bare;
	jsonrpc_salvage(f->data, f->len, &s);
	r->has_number = s.has_id;
	r->number = s.id;
	return s.has_id ? asked_by(d, s.id) : NULL;
}

static void remember_version(struct diag *d, const struct frame_reading *r)
{
	struct span version;
	int64_t number;

	d->frame_version = d->about.protocol_version;
	if (json_span_member(r->whole, "version", &version) &&
	    json_span_integer(version, &number) == 0 && number >= 1 &&
	    number <= 3)
		d->frame_version = (int)number;
}

static void remember_device(struct diag *d, const struct diag_frame *f,
			    const struct frame_reading *r, unsigned on)
{
	if (!r->is_json && r->asked && !r->asked->answered_us)
		r->asked->answered_us = f->at_us;
	if (on & ON_HELLO) {
		d->hellos++;
		d->server_hello = false;
		remember_version(d, r);
		see_device(d, r);
	}
	if (json_span_is(r->type, "listen"))
		d->listen_us = f->at_us;
	if (json_span_begins(r->method, '"') && r->id.text)
		d->to_answer++;
	if (on & ON_REPLY)
		remember_reply(d, f, r);
	else if (json_span_begins(r->method, '"') && !r->is_request)
		remember_unasked(d, f);
}

static void judge(struct diag *d, const struct diag_frame *f,
		  struct frame_reading *r, unsigned on)
{
	if (f->from_device && r->is_reply && r->has_id)
		r->asked = asked_by(d, r->number);
	else if (f->from_device && !r->is_json)
		r->asked = asked_broken(d, f, r);
	ask(d, f, r, on);
	if (f->from_device)
		remember_device(d, f, r, on);
	else
		remember_backend(d, f, r, on);
}

/* One message of a batch: its envelope is the batch. */
static void judge_part(struct diag *d, const struct diag_frame *f,
		       struct span part)
{
	const struct diag_frame alone = { .data = part.text, .len = part.len };
	struct rule_look l = { .d = d, .f = f, .at = part };
	struct frame_reading r;

	read_frame(&r, &alone);
	if (r.has_message && !r.type.text) {
		judge(d, f, &r, events_of(&r) & ON_PART);
		return;
	}
	snprintf(l.detail, sizeof(l.detail), "%s",
		 r.type.text ? "an envelope inside a batch" :
		 r.is_batch  ? "a batch inside a batch" :
			       NOT_A_MESSAGE);
	raise_finding(d, D143, &l);
}

static void judge_batch(struct diag *d, const struct diag_frame *f,
			struct span batch)
{
	struct span part;
	size_t at = 0;

	while (f->from_device && json_span_next(batch, &at, &part))
		judge_part(d, f, part);
}

void diag_feed(struct diag *d, const struct diag_frame *f)
{
	struct frame_reading r;

	d->frames++;
	d->last_us = f->at_us;
	if (f->kind == FRAME_IS_BINARY) {
		ask(d, f, NULL, ON_BINARY);
		return;
	}
	read_frame(&r, f);
	judge(d, f, &r, events_of(&r));
	if (r.is_batch && !d->about.no_batches)
		judge_batch(d, f, r.is_object ? r.payload : r.whole);
}

void diag_ping(struct diag *d)
{
	d->pings++;
}

void diag_pong(struct diag *d)
{
	d->pings = 0;
}

/* RFC 6455 7.4.1. The words of 1011 are those of Python's websockets. */
void diag_close(struct diag *d, int code, struct span words)
{
	CLEANUP(mem_free_ptr) char *said = mem_strndup(words.text, words.len);
	const int shown = said ? text_shown(said, 80) : 0;

	if (code == 1009)
		diag_found(d, B264, words, "%.*s", shown, said);
	else if (code == 1008)
		diag_found(d, B265, words, "%.*s", shown, said);
	else if (d->pings && text_find(said, "ping timeout"))
		diag_found(d, B262, words, "\"%.*s\" behind %u Ping%s", shown,
			   said, (unsigned)d->pings, d->pings == 1 ? "" : "s");
}

void diag_gave_up(struct diag *d, int64_t id, int64_t at_us)
{
	struct diag_asked *a = asked_by(d, id);

	if (a && !a->answered_us)
		a->gave_up_us = at_us;
}

bool diag_owes(struct diag *d, int64_t id)
{
	const struct diag_asked *a = asked_by(d, id);

	return a && !a->answered_us && !a->silent;
}

bool diag_owes_any(const struct diag *d)
{
	const uint32_t kept = diag_kept(d);

	for (uint32_t i = 0; i < kept; i++) {
		const struct diag_asked *a = &d->asked[i];

		if (!a->answered_us && !a->unmatched && !a->silent && !a->told)
			return true;
	}
	return false;
}

void diag_missed(struct diag *d, bool from_device)
{
	const uint32_t kept = diag_kept(d);

	if (from_device)
		d->more_pages = false;
	else
		d->blurred = true;
	for (uint32_t i = 0; from_device && i < kept; i++)
		d->asked[i].silent |= !d->asked[i].answered_us;
	settle(d);
}

void diag_leave(struct diag *d)
{
	d->more_pages = false;
}

void diag_end(struct diag *d)
{
	ask(d, NULL, NULL, ON_END);
}

void diag_start(struct diag *d)
{
	struct diag fresh = {
		.about = d->about,
		.vision = d->about.vision,
		.found = d->found,
		.whose = d->whose,
		.owner = d->owner,
		.item = d->item,
		.count = d->count,
		.capacity = d->capacity,
		.frames = d->frames,
	};

	*d = fresh;
}

void diag_done(struct diag *d)
{
	for (size_t i = 0; i < d->count; i++)
		finding_done(&d->item[i]);
	mem_free(d->item);
	*d = (struct diag){ 0 };
}

const char *diag_leg_name(enum diag_leg leg)
{
	static const char *const names[] = { "ws",     "mqtt",	"http",
					     "stdio",  "local", "ota",
					     "vision", "udp",	"serial" };

	return names[leg];
}
