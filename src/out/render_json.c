/* SPDX-License-Identifier: MIT */
/*
 * The JSON form: MCP's own objects as they came, and few objects of ours
 * around what has none. json_help is the documentation.
 */
#include "out/render_json.h"

#include <string.h>

#include "base/text.h"
#include "mcp/arguments.h"
#include "out/backends.h"
#include "out/clock.h"
#include "out/json_line.h"
#include "out/mask.h"
#include "out/stream.h"

void json_put_line(struct renderer *r, struct buf *b)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	buf_char(b, '\n');
	if (!r->out_terminal) {
		put_out(r, b);
		return;
	}
	/* Valid JSON can hold C1 controls: harmless to a program only. So is
	 * what nobody sees. */
	text_safe(&safe, b->data, b->len, TEXT_JSON);
	put_out(r, &safe);
}

void json_put_error_line(struct renderer *r, struct buf *b)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	buf_char(b, '\n');
	if (r->err_terminal)
		text_safe(&safe, b->data, b->len, TEXT_JSON);
	else
		buf_add(&safe, b->data, b->len);
	put_err(r, &safe);
}

static void add_headers(struct buf *b, const struct headers *h)
{
	line_name(b, "headers");
	buf_char(b, '{');
	for (size_t i = 0; i < h->count; i++) {
		/* Header names are the peer's: quoted like any text. */
		if (i > 0)
			buf_char(b, ',');
		buf_json_string(b, h->item[i].name, strlen(h->item[i].name));
		buf_char(b, ':');
		buf_json_string(b, h->item[i].value, strlen(h->item[i].value));
	}
	buf_char(b, '}');
}

static const char *dialect_word(const struct link *link)
{
	if (!link || link->dialect == DIALECT_UNKNOWN)
		return NULL;
	return link->dialect == DIALECT_DEVICE ? "device" : "plain";
}

static void add_device(struct buf *b, const struct info_record *i)
{
	static const struct session_peer nobody;
	const struct session_peer *p = i->peer ? i->peer : &nobody;
	const char *session = i->link ? i->link->session_id : "";
	line_name(b, "device");
	buf_char(b, '{');
	line_text(b, "address", p->address);
	line_text(b, "path", p->path);
	line_text(b, "device_id", p->device_id);
	line_text(b, "client_id", p->client_id);
	line_number(b, "protocol_version", p->protocol_version);
	line_text(b, "tls", p->tls);
	line_text(b, "dialect", dialect_word(i->link));
	line_text(b, "transport", i->spoken);
	line_text(b, "session_id", *session ? session : NULL);
	line_number(b, "audio_frames",
		    i->link ? (int64_t)i->link->audio_frames : 0);
	line_number(b, "audio_bytes",
		    i->link ? (int64_t)i->link->audio_bytes : 0);
	add_headers(b, &p->headers);
	buf_char(b, '}');
}

static void add_ota(struct buf *b, const struct session_peer *p)
{
	if (!p || !p->has_ota) {
		line_text(b, "ota", NULL);
		return;
	}
	const struct ota_request *o = &p->ota;
	line_name(b, "ota");
	buf_char(b, '{');
	line_text(b, "version", o->version);
	line_text(b, "compile_time", o->compile_time);
	line_text(b, "idf_version", o->idf_version);
	line_text(b, "elf_sha256", o->elf_sha256);
	line_text(b, "board_type", o->board_type);
	line_text(b, "board_name", o->board_name);
	line_text(b, "chip", o->chip);
	line_number(b, "flash_size", o->flash_size);
	line_text(b, "ip", o->ip);
	line_text(b, "ssid", o->ssid);
	line_number(b, "rssi", o->rssi);
	line_text(b, "language", o->language);
	line_text(b, "user_agent", o->user_agent);
	line_text(b, "serial", o->serial);
	line_text(b, "device_id", o->device_id);
	line_text(b, "client_id", o->client_id);
	buf_char(b, '}');
}

static void add_timing(struct buf *b, const struct info_record *i)
{
	static const struct session_times never = { -1, -1, -1, -1 };
	const struct session_times *t = i->times ? i->times : &never;
	bool initialized = i->client && i->client->initialize.json &&
			   i->client->initialize_us >= 0;
	line_name(b, "timing_ms");
	buf_char(b, '{');
	line_time(b, "ota", t->ota);
	line_time(b, "connected", t->connected);
	line_time(b, "hello", t->hello);
	line_time(b, "up", t->up);
	line_time(b, "initialize",
		  initialized ? i->client->initialize_us / 1000 : -1);
	buf_char(b, '}');
}

static void info(struct renderer *r, const struct info_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	bool hello = i->link && i->link->has_hello;
	buf_char(&b, '{');
	line_text(&b, "target", i->target);
	add_device(&b, i);
	line_tree(&b, "hello", hello ? i->link->hello.json : NULL);
	line_name(&b, "initialize");
	if (i->client)
		add_member(&b, &i->client->initialize, "result");
	else
		buf_text(&b, "null");
	add_ota(&b, i->peer);
	add_timing(&b, i);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

static void tool(struct renderer *r, const struct tool *t,
		 const struct tools_record *of)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	struct span text = tool_text(t);
	(void)of;
	json_minify(&b, text.text, text.len);
	json_put_line(r, &b);
}

static void tools_end(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (r->quiet)
		return;
	size_t common = t->list->count - t->list->user_only;
	buf_text(&b, "{\"listing\":{");
	line_number(&b, "tools", (int64_t)common);
	line_number(&b, "user_only", (int64_t)t->list->user_only);
	line_number(&b, "pages", (int64_t)t->list->pages);
	line_number(&b, "shown", (int64_t)t->shown);
	line_bool(&b, "complete", !t->broke);
	if (t->kept) {
		line_text(&b, "kept", t->kept);
		line_number(&b, "age_s", t->age);
	}
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

static void describe(struct renderer *r, const struct describe_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf example = { 0 };
	CLEANUP(words_done) struct words notes = { 0 };
	struct span text = tool_text(d->tool);
	bool found = arguments_example(d->tool, &example) == 0;
	const struct tool *like =
		tool_collision(d->list, d->tool, SANITISE_LOOK);
	if (d->device)
		backend_notes(d->list, d->tool, &notes);
	buf_char(&b, '{');
	line_json(&b, "tool", text.text, text.len);
	line_text(&b, "example", found ? buf_string(&example) : NULL);
	line_name(&b, "backends");
	buf_char(&b, '[');
	for (size_t i = 0; i < notes.count; i++) {
		if (i > 0)
			buf_char(&b, ',');
		buf_json_string(&b, notes.word[i], strlen(notes.word[i]));
	}
	buf_char(&b, ']');
	line_text(&b, "looks_like", like ? like->name : NULL);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

static void reply(struct renderer *r, const struct message *m)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (!m->text || m->kind == MESSAGE_ERROR)
		return;
	add_member(&b, m, "result");
	json_put_line(r, &b);
}

static void result(struct renderer *r, const struct result *result)
{
	reply(r, &result->message);
	if (result->note)
		render_note(r, "%s", result->note);
}

static void ping(struct renderer *r, const struct ping_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"alive\":true");
	line_number(&b, "took_us", p->took_us);
	line_bool(&b, "error", p->was_error);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

/* The raw message, or, where it is no JSON, its text as a string. */
static void add_event_message(struct buf *b, const struct event *e)
{
	bool json = e->text && json_check(e->text, e->len, NULL) == 0;
	line_json(b, "message", json ? e->text : NULL, e->len);
	if (!e->text || json)
		return;
	line_name(b, "text");
	buf_json_string(b, e->text, e->len);
}

static void add_event(struct buf *b, const struct event *e)
{
	char utc[STAMP_SIZE];
	buf_char(b, '{');
	line_text(b, "time", clock_utc(utc));
	line_number(b, "at_ms", e->at);
	line_text(b, "kind", event_kind_name(e->kind));
	line_text(b, "name", e->name);
	add_event_message(b, e);
	line_text(b, "note", e->note);
	if (e->kind == EVENT_REQUEST)
		line_bool(b, "answered", e->answered);
	if (e->kind == EVENT_AUDIO || e->kind == EVENT_DROPPED)
		line_number(b, "count", (int64_t)e->count);
	if (e->kind == EVENT_AUDIO)
		line_number(b, "bytes", (int64_t)e->bytes);
	buf_char(b, '}');
}

static void event(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	add_event(&b, e);
	json_put_line(r, &b);
	fflush(r->out);
}

static void aside(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (e->kind == EVENT_NOTICE && e->notice == NOTICE_LISTENING)
		r->waiting = true;
	buf_text(&b, "{\"event\":");
	add_event(&b, e);
	buf_char(&b, '}');
	mask_secrets(&masked, b.data, b.len);
	json_put_error_line(r, &masked);
}

/* Without the closing brace. */
static void begin_error(struct buf *b, const struct error *e)
{
	buf_char(b, '{');
	line_text(b, "kind", error_kind_name(e->kind));
	line_number(b, "status", error_status(e));
	if (e->has_code)
		line_number(b, "code", e->code);
	else
		line_text(b, "code", NULL);
	line_text(b, "message", e->text);
	line_text(b, "hint", e->hint[0] ? e->hint : NULL);
	line_text(b, "detail", e->detail);
}

void json_error(struct buf *out, const struct error *e)
{
	begin_error(out, e);
	buf_char(out, '}');
}

static void error(struct renderer *r, const struct error *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (e->kind == ERR_NONE)
		return;
	buf_text(&b, "{\"error\":");
	begin_error(&b, e);
	if (r->peer_error) {
		line_name(&b, "peer");
		buf_text(&b, r->peer_error);
	}
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

void json_trace(struct buf *out, const struct trace *t)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	bool binary = strcmp(t->kind, "binary") == 0;
	buf_text(out, "{\"trace\":{");
	line_number(out, "at_us", t->at_us);
	line_text(out, "direction", t->outgoing ? "out" : "in");
	line_text(out, "kind", t->kind);
	line_number(out, "size", (int64_t)t->len);
	if (!binary) {
		mask_secrets(&masked, t->data, t->len);
		line_name(out, "text");
		buf_json_string(out, buf_string(&masked), masked.len);
	}
	buf_text(out, "}}");
}

const struct render_ops render_json = {
	.info = info,
	.tool = tool,
	.tools_end = tools_end,
	.change = json_change,
	.describe = describe,
	.result = result,
	.reply = reply,
	.ping = ping,
	.item = json_item,
	.items_end = json_items_end,
	.answer = json_answer,
	.progress = json_progress,
	.target = json_target,
	.trust = json_trust,
	.event = event,
	.aside = aside,
	.error = error,
	.record = json_record,
	.device = json_device,
	.row = json_row,
};
