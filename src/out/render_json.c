/* SPDX-License-Identifier: MIT */
/*
 * The JSON form: MCP's own objects as they came, and few objects of ours
 * around what has none. out/json_help is the documentation.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/json_scan.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "diag/list_rules.h"
#include "diag/recognise.h"
#include "diag/tool_notes.h"
#include "mcp/arguments.h"
#include "mcp/result_value.h"
#include "mcp/tools.h"
#include "out/forms.h"
#include "out/queried.h"
#include "out/render_json.h"
#include "out/table.h"
#include "serve/record.h"

static void event(struct renderer *r, const struct event *e);
static void error(struct renderer *r, const struct error *e);

/*
 * Commas and quotes. Knows no records.
 */

/* A comma if a member or element stands before, then "name": — for a value
   that the caller adds itself. */
static void line_name(struct buf *out, const char *name)
{
	char last = '{';
	if (out->len > 0)
		last = out->data[out->len - 1];
	if (last != '{' && last != '[' && last != ':')
		buf_char(out, ',');
	buf_printf(out, "\"%s\":", name);
}

/* NULL text, value or json becomes null. */
static void line_text(struct buf *out, const char *name, const char *text)
{
	line_name(out, name);
	if (text)
		buf_json_string(out, text, strlen(text));
	else
		buf_text(out, "null");
}

static void line_number(struct buf *out, const char *name, int64_t number)
{
	line_name(out, name);
	buf_printf(out, "%" PRId64, number);
}

static void line_bool(struct buf *out, const char *name, bool value)
{
	line_name(out, name);
	buf_text(out, value ? "true" : "false");
}

static void line_tree(struct buf *out, const char *name, const cJSON *value)
{
	line_name(out, name);
	if (value)
		json_print(out, value);
	else
		buf_text(out, "null");
}

/* Valid JSON text, as received; white space between its tokens goes. */
static void line_json(struct buf *out, const char *name, const char *json,
		      size_t len)
{
	line_name(out, name);
	if (json)
		json_minify(out, json, len);
	else
		buf_text(out, "null");
}

/* Milliseconds, or null below 0: "not reached". */
static void line_time(struct buf *out, const char *name, int64_t ms)
{
	if (ms >= 0)
		line_number(out, name, ms);
	else
		line_text(out, name, NULL);
}

void put_json_line(struct renderer *r, struct buf *b, struct span value)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	const struct span line = { b->data, b->len };
	if (r->query) {
		queried_line(r, NULL, value.text ? value : line,
			     value.text ? line : value);
		buf_reset(b);
		return;
	}
	if (r->table) {
		table_add(r->table, line, value);
		buf_reset(b);
		return;
	}
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

void add_json_line(struct renderer *r, struct buf *out, struct span line)
{
	if (r->query)
		queried_line(r, out, line, (struct span){ 0 });
	else if (r->out_terminal)
		text_safe(out, line.text, line.len, TEXT_JSON);
	else
		buf_add(out, line.text, line.len);
	if (!r->query)
		buf_char(out, '\n');
}

bool put_captured_line(void *renderer, struct span line)
{
	struct renderer *r = renderer;
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_add(&b, line.text, line.len);
	put_json_line(r, &b, (struct span){ 0 });
	if (!ferror(r->out))
		return true;
	errno = EPIPE;
	return false;
}

/* A line of ours or of the peer's on stdout; b is empty after. */
static void json_put_line(struct renderer *r, struct buf *b)
{
	put_json_line(r, b, (struct span){ 0 });
}

/* The same; of one of many it is the member `name` beside whose it is. */
static void put_whose(struct renderer *r, const char *name, struct buf *b)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const struct device_record *d = r->whose;
	if (!d) {
		json_put_line(r, b);
		return;
	}
	buf_char(&line, '{');
	line_json(&line, "device", d->device_text.text, d->device_text.len);
	line_name(&line, name);
	buf_add(&line, b->data, b->len);
	buf_char(&line, '}');
	json_put_line(r, &line);
}

/* The same on stderr. */
static void json_put_error_line(struct renderer *r, struct buf *b)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	buf_char(b, '\n');
	if (r->err_terminal)
		text_safe(&safe, b->data, b->len, TEXT_JSON);
	else
		buf_add(&safe, b->data, b->len);
	put_err(r, &safe);
}

/*
 * The JSON form of lists that are not tools, of what read, prompt and complete
 * give, and of progress. Objects of the peer are as it sent them.
 */

static void json_item(struct renderer *r, const struct item_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	json_minify(&b, i->item->text.text, i->item->text.len);
	json_put_line(r, &b);
}

static void json_items_end(struct renderer *r, const struct items_record *i)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(mem_free_ptr)
	char *name = mem_printf("%ss", list_noun(i->list->kind));
	if (r->quiet)
		return;
	buf_text(&b, "{\"listing\":{");
	line_number(&b, name, (int64_t)i->list->count);
	line_number(&b, "pages", (int64_t)i->list->pages);
	line_number(&b, "shown", (int64_t)i->shown);
	line_bool(&b, "complete", !i->broke);
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

static void json_answer(struct renderer *r, const struct answer_record *a)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	if (!a->reply->text || a->reply->kind == MESSAGE_ERROR)
		return;
	add_member(&b, a->reply, "result");
	json_put_line(r, &b);
	render_flush(r);
}

void json_progress(struct renderer *r, const struct progress_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	if (r->quiet)
		return;
	buf_text(&b, "{\"progress\":");
	if (p->text.text)
		json_minify(&b, p->text.text, p->text.len);
	else
		buf_text(&b, "null");
	buf_char(&b, '}');
	mask_secrets(&masked, b.data, b.len);
	/* Beside text it ends in a log that somebody will look at. */
	text_safe(&safe, masked.data, masked.len, TEXT_JSON);
	json_put_error_line(r, &safe);
}

static void command(struct renderer *r, const struct command_record *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"command\":{");
	line_text(&b, "text", c->text);
	line_text(&b, "source", c->source);
	line_number(&b, "line", (int64_t)c->line);
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

static void run(struct renderer *r, const struct run_record *record)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"run\":{");
	line_number(&b, "commands",
		    (int64_t)(record->good + record->failed + record->not_run +
			      record->interrupted));
	line_number(&b, "good", (int64_t)record->good);
	line_number(&b, "failed", (int64_t)record->failed);
	line_number(&b, "not_run", (int64_t)record->not_run);
	if (record->interrupted)
		line_number(&b, "interrupted", (int64_t)record->interrupted);
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

void json_finding(struct renderer *r, const struct finding_record *f)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	buf_text(&b, "{\"finding\":");
	finding_json(&b, f->finding, f->device);
	buf_char(&b, '}');
	mask_secrets(&masked, b.data, b.len);
	if (f->whole)
		json_put_line(r, &masked);
	else
		json_put_error_line(r, &masked);
}

const char *stage_verdict_name(enum stage_verdict v)
{
	static const char *const names[] = { "ok", "odd", "fail", "-",
					     "stopped" };
	return names[v];
}

const char *stage_verdict_word(enum stage_verdict v)
{
	return v == STAGE_SKIPPED ? "skipped" : stage_verdict_name(v);
}

static void stage(struct renderer *r, const struct stage_record *s)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"stage\":{");
	line_text(&b, "name", s->name);
	line_text(&b, "verdict", stage_verdict_word(s->verdict));
	line_text(&b, "text", s->words);
	buf_text(&b, "}}");
	json_put_line(r, &b);
}

static void check(struct renderer *r, const struct check_record *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"check\":{");
	line_number(&b, "errors", (int64_t)c->errors);
	line_number(&b, "warnings", (int64_t)c->warnings);
	line_number(&b, "notes", (int64_t)c->notes);
	line_number(&b, "took_us", c->took_us);
	line_number(&b, "asked", c->asked);
	line_number(&b, "left_read", c->left_read);
	line_number(&b, "left_odd", c->left_odd);
	line_number(&b, "left_args", c->left_args);
	line_bool(&b, "stopped", c->stopped);
	buf_text(&b, "}}");
	json_put_line(r, &b);
}

static void plan(struct renderer *r, const struct plan_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"plan\":{");
	line_text(&b, "risk", p->risk);
	line_text(&b, "asks", p->what);
	if (p->text.text) {
		line_name(&b, "message");
		buf_add(&b, p->text.text, p->text.len);
	} else {
		line_text(&b, "message", NULL);
		line_text(&b, "instead", p->instead);
	}
	buf_text(&b, "}}");
	json_put_line(r, &b);
}

static void line_words(struct buf *b, const char *name, const struct words *w)
{
	line_name(b, name);
	buf_char(b, '[');
	for (size_t i = 0; i < w->count; i++) {
		if (i > 0)
			buf_char(b, ',');
		buf_json_string(b, w->word[i], strlen(w->word[i]));
	}
	buf_char(b, ']');
}

static void line_pairs(struct buf *b, const char *name, const struct words *w)
{
	line_name(b, name);
	buf_char(b, '{');
	for (size_t i = 0; i + 1 < w->count; i += 2) {
		if (i > 0)
			buf_char(b, ',');
		buf_json_string(b, w->word[i], strlen(w->word[i]));
		buf_char(b, ':');
		buf_json_string(b, w->word[i + 1], strlen(w->word[i + 1]));
	}
	buf_char(b, '}');
}

static void against(struct renderer *r, const struct against_record *a)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"against\":{");
	line_text(&b, "id", a->id);
	line_text(&b, "name", a->name);
	line_bool(&b, "known", a->known);
	line_number(&b, "kept", (int64_t)a->kept);
	line_number(&b, "of", (int64_t)a->of);
	line_words(&b, "lost", a->lost);
	line_pairs(&b, "renamed", a->renamed);
	line_words(&b, "unreachable", a->unreachable);
	line_text(&b, "calls", a->calls);
	buf_text(&b, "}}");
	json_put_line(r, &b);
}

static void explain(struct renderer *r, const struct explanation *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "code", e->row->code);
	line_text(&b, "severity", severity_name(e->row->severity));
	line_text(&b, "title", e->title);
	for (int i = 0; i < EXPLAIN_PARTS; i++)
		line_text(&b, explain_part_name((enum explain_part)i),
			  e->part[i]);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

void json_target(struct renderer *r, const struct target_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "name", t->name);
	line_text(&b, "peer", t->peer);
	line_text(&b, "file", t->file);
	line_text(&b, "problem", t->problem);
	line_bool(&b, "hidden", t->hidden);
	line_bool(&b, "trusted", !t->untrusted);
	line_text(&b, "client", t->client);
	line_bool(&b, "off", t->off);
	if (t->dialled) {
		line_bool(&b, "answers", !t->failure);
		line_number(&b, "took_us", t->took_us);
		line_text(&b, "error", t->failure);
	}
	buf_char(&b, '}');
	json_put_line(r, &b);
}

/* targets --scan */
void json_neighbour(struct renderer *r, const struct neighbour_record *n)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	if (n->change)
		line_text(&b, "change", n->change);
	line_text(&b, "kind", n->kind);
	line_text(&b, "name", n->name);
	line_text(&b, "peer", n->peer);
	line_text(&b, "source", n->source);
	line_text(&b, "command", n->command);
	if (n->asked)
		line_bool(&b, "answers", !n->problem);
	line_text(&b, "problem", n->problem);
	buf_char(&b, '}');
	json_put_line(r, &b);
	if (n->change)
		render_flush(r);
}

void json_trust(struct renderer *r, const struct trust_record *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "file", t->file);
	line_text(&b, "state", t->state);
	line_text(&b, "problem", t->problem);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

void json_login(struct renderer *r, const struct login_record *l)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "server", l->server);
	line_text(&b, "state", l->state);
	line_text(&b, "issuer", l->issuer);
	line_text(&b, "client_id", l->client);
	line_text(&b, "scope", l->scope);
	if (l->expires_at)
		buf_printf(&b, ",\"expires_at\":%lld",
			   (long long)l->expires_at);
	else
		buf_text(&b, ",\"expires_at\":null");
	line_bool(&b, "renews", l->renews);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

void json_task(struct renderer *r, const struct task_record *record)
{
	const struct task *t = record->task;
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_text(&b, "id", t->id);
	line_text(&b, "status", t->word);
	line_bool(&b, "over", task_is_over(t));
	line_text(&b, "message", t->message);
	line_text(&b, "created", t->created);
	line_text(&b, "updated", t->updated);
	if (t->ttl_ms < 0)
		buf_text(&b, ",\"ttl_ms\":null");
	else
		buf_printf(&b, ",\"ttl_ms\":%lld", (long long)t->ttl_ms);
	buf_printf(&b, ",\"poll_ms\":%lld}", (long long)t->poll_ms);
	json_put_line(r, &b);
}

/* null where nothing is set, or known. */
static const char *or_null(const char *text)
{
	return *text ? text : NULL;
}

void json_adopt(struct renderer *r, const struct adopt_record *a)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "portal", a->portal);
	line_text(&b, "hardware", or_null(a->hardware));
	line_text(&b, "before", or_null(a->before));
	line_text(&b, "ota_url", or_null(a->now));
	line_bool(&b, "changed", a->changed);
	line_text(&b, "time", a->at);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

void json_upgrade(struct renderer *r, const struct upgrade_record *u)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "event", u->verdict ? "verdict" : "progress");
	line_json(&b, "device", u->device_text.text, u->device_text.len);
	line_text(&b, "stage", u->stage);
	line_text(&b, "verdict", u->verdict);
	line_text(&b, "words", u->words);
	line_text(&b, "before", or_null(u->before));
	line_text(&b, "now", or_null(u->now));
	if (u->size) {
		line_number(&b, "fetched", (int64_t)u->taken);
		line_number(&b, "size", (int64_t)u->size);
	}
	line_number(&b, "took_ms", u->took_ms);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

/*
 * What happens in serve, as JSON: an object a line, see json_help.
 */

static void add_common(struct buf *b, const struct record *record)
{
	char utc[STAMP_SIZE];
	buf_char(b, '{');
	line_text(b, "event", record_kind_name(record->kind));
	line_text(b, "time", clock_utc_at(utc, record->at_ms));
	line_text(b, "level", record_level_name(record->level));
	line_text(b, "device", record->device);
	line_text(b, "alias", record->alias);
	line_text(b, "address", record->address);
	line_text(b, "text", record->text);
	line_text(b, "hint",
		  record->hint && *record->hint ? record->hint : NULL);
	if (record->count)
		line_number(b, "count", (int64_t)record->count);
}

/* Members made elsewhere: a line must be JSON whatever they are. */
static void add_detail(struct buf *b, const char *detail)
{
	CLEANUP(buf_done) struct buf whole = { 0 };
	CLEANUP(buf_done) struct buf small = { 0 };
	if (!detail || !*detail)
		return;
	buf_printf(&whole, "{%s}", detail);
	if (json_check(buf_string(&whole), whole.len, NULL) != 0)
		return;
	json_minify(&small, buf_string(&whole), whole.len);
	if (small.len <= 2)
		return;
	buf_char(b, ',');
	buf_add(b, small.data + 1, small.len - 2);
}

static void json_record(struct renderer *r, const struct record *record)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (record->kind == RECORD_LISTENING)
		r->waiting = true;
	add_common(&b, record);
	add_detail(&b, record->detail);
	buf_char(&b, '}');
	mask_secrets(&masked, buf_string(&b), b.len);
	json_put_line(r, &masked);
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
	ota_facts_encode(b, o);
	/* Of the answer, beside what was told. */
	buf_cut(b, b->len - 1);
	line_text(b, "sent_to", p->ota_answer);
	buf_char(b, '}');
}

static void add_timing(struct buf *b, const struct info_record *i)
{
	static const struct session_times never = { -1, -1, -1, -1 };
	const struct session_times *t = i->times ? i->times : &never;
	bool initialized = i->client && i->client->initialize.text &&
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

/* By its habits: who it most likely is, and which those are. */
static void add_likely(struct buf *b, const struct diag *d)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf evidence = { 0 };
	bool seen = d && recognise_device(d, &name, &evidence);
	line_name(b, "likely");
	if (!seen) {
		buf_text(b, "null");
		return;
	}
	buf_char(b, '{');
	line_text(b, "name", name.len > 0 ? buf_string(&name) : NULL);
	line_text(b, "evidence", buf_string(&evidence));
	buf_char(b, '}');
}

/* Of a device there is none: it is never asked. */
static void add_era(struct buf *b, const struct client *c)
{
	bool known = c && !c->device && c->era.era != ERA_UNKNOWN;

	line_name(b, "era");
	if (!known) {
		buf_text(b, "null");
		return;
	}
	buf_char(b, '{');
	line_text(b, "name", era_name(c->era.era));
	line_text(b, "found", era_how_name(c->era.how));
	line_name(b, "kept");
	buf_text(b, c->era.kept ? "true" : "false");
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
	add_era(&b, i->client);
	add_ota(&b, i->peer);
	add_likely(&b, i->diag);
	add_timing(&b, i);
	buf_char(&b, '}');
	put_whose(r, "info", &b);
}

static void tool(struct renderer *r, const struct tool *t,
		 const struct tools_record *of)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	struct span text = tool_text(t);
	if (of->target) {
		buf_char(&b, '{');
		line_text(&b, "target", of->target);
		line_json(&b, "tool", text.text, text.len);
		buf_char(&b, '}');
	} else {
		json_minify(&b, text.text, text.len);
	}
	json_put_line(r, &b);
}

/* ---- tools --diff: a tool that came, went or changed ---- */

static void add_tool(struct buf *out, const char *name, const struct tool *t)
{
	struct span text = tool_text(t);

	line_json(out, name, text.text, text.len);
}

/* "old" and "new" only where there is a value: it may be null. */
static void add_difference(struct buf *out, const struct tool_difference *d)
{
	if (out->data[out->len - 1] == '}')
		buf_char(out, ',');
	buf_char(out, '{');
	line_text(out, "path", d->pointer);
	line_text(out, "what", d->label);
	if (d->required && !d->argument) {
		line_bool(out, "old", d->old != NULL);
		line_bool(out, "new", d->new != NULL);
		buf_char(out, '}');
		return;
	}
	if (d->old)
		line_tree(out, "old", d->old);
	if (d->new)
		line_tree(out, "new", d->new);
	buf_char(out, '}');
}

static void change(struct renderer *r, const struct tool_change *c)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_text(&b, "change",
		  !c->old ? "added" :
		  !c->new ? "removed" :
			    "changed");
	line_text(&b, "name", tool_change_name(c));
	if (!c->old || !c->new) {
		add_tool(&b, "tool", c->new ? c->new : c->old);
	} else {
		add_tool(&b, "old", c->old);
		add_tool(&b, "new", c->new);
		line_name(&b, "differences");
		buf_char(&b, '[');
		for (size_t i = 0; i < c->differences.count; i++)
			add_difference(&b, &c->differences.item[i]);
		buf_char(&b, ']');
	}
	buf_char(&b, '}');
	json_put_line(r, &b);
}

/* Of the whole list alone: a part of it shows less. */
static void add_list_findings(struct buf *out, const struct tools_record *t)
{
	CLEANUP(diag_done) struct diag d = { .about = { .board = t->device } };
	size_t count = 0;

	line_name(out, "findings");
	if (t->broke || t->filter) {
		buf_text(out, "null");
		return;
	}
	diag_list(&d, t->list);
	buf_char(out, '[');
	for (size_t i = 0; i < d.count; i++) {
		const struct finding_row *row = finding_row(d.item[i].code);

		if (row->severity >= SEVERITY_WARNING)
			buf_printf(out, "%s\"%s\"", count++ > 0 ? "," : "",
				   row->code);
	}
	buf_char(out, ']');
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
	add_list_findings(&b, t);
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

/* Of "backends", by place: null where all is as it should be. */
static void add_codes(struct buf *out, const struct tool_notes *notes)
{
	line_name(out, "codes");
	buf_char(out, '[');
	for (size_t i = 0; i < notes->count; i++) {
		const enum diag_code code = notes->item[i].code;

		if (i > 0)
			buf_char(out, ',');
		if (code == NOTE_HAS_NO_CODE)
			buf_text(out, "null");
		else
			buf_printf(out, "\"%s\"", finding_row(code)->code);
	}
	buf_char(out, ']');
}

static void describe(struct renderer *r, const struct describe_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf example = { 0 }, filled = { 0 };
	CLEANUP(tool_notes_done) struct tool_notes notes = { 0 };
	struct span text = tool_text(d->tool);
	bool found = arguments_example(d->tool, &example) == 0;
	bool more = arguments_example_filled(d->tool, &filled) == 0;
	const struct tool *like =
		tool_collision(d->list, d->tool, SANITISE_LOOK);
	if (d->device)
		tool_notes_find(&notes, d->list, d->tool);
	buf_char(&b, '{');
	line_json(&b, "tool", text.text, text.len);
	line_text(&b, "example", found ? buf_string(&example) : NULL);
	line_text(&b, "example_filled", more ? buf_string(&filled) : NULL);
	line_name(&b, "backends");
	buf_char(&b, '[');
	for (size_t i = 0; i < notes.count; i++) {
		if (i > 0)
			buf_char(&b, ',');
		buf_json_string(&b, notes.item[i].text,
				strlen(notes.item[i].text));
	}
	buf_char(&b, ']');
	add_codes(&b, &notes);
	line_text(&b, "looks_like", like ? like->name : NULL);
	if (d->upload)
		line_text(&b, "upload", d->upload);
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

/* Behind the members of the object in b: where its pictures are kept. */
static void add_pictures(struct buf *b, const struct words *files)
{
	if (b->len < 2 || b->data[b->len - 1] != '}')
		return;
	buf_cut(b, b->len - 1);
	buf_text(b, b->len > 1 ? ",\"pictures\":[" : "\"pictures\":[");
	for (size_t i = 0; i < files->count; i++) {
		if (i > 0)
			buf_char(b, ',');
		buf_json_string(b, files->word[i], strlen(files->word[i]));
	}
	buf_text(b, "]}");
}

static void put_result_line(struct renderer *r, struct buf *b,
			    const struct result *result)
{
	CLEANUP(buf_done) struct buf value = { 0 };
	if (render_wants_value(r))
		result_value(&value, result);
	put_json_line(r, b, (struct span){ value.data, value.len });
}

static void result(struct renderer *r, const struct result *result)
{
	const struct message *m = &result->message;
	CLEANUP(buf_done) struct buf b = { 0 };
	if (m->text && m->kind != MESSAGE_ERROR) {
		add_member(&b, m, "result");
		if (result->pictures && result->pictures->count)
			add_pictures(&b, result->pictures);
		put_result_line(r, &b, result);
	}
	if (result->note)
		render_note(r, "%s", result->note);
}

/* 0 or less: null. */
static void line_optional(struct buf *b, const char *name, int64_t number)
{
	if (number <= 0)
		line_json(b, name, NULL, 0);
	else
		line_number(b, name, number);
}

static void ping(struct renderer *r, const struct ping_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_text(&b, "{\"alive\":true");
	line_number(&b, "took_us", p->took_us);
	line_bool(&b, "error", p->was_error);
	line_optional(&b, "tcp_us", p->tcp_us);
	line_optional(&b, "ws_us", p->ws_us);
	buf_char(&b, '}');
	json_put_line(r, &b);
}

static void add_ping_layer(struct buf *b, const struct ping_layer *l)
{
	line_name(b, l->name);
	buf_char(b, '{');
	line_number(b, "sent", (int64_t)l->sent);
	line_number(b, "lost", (int64_t)l->lost);
	line_optional(b, "p50_us", ping_percentile(l, 50));
	line_optional(b, "p90_us", ping_percentile(l, 90));
	line_optional(b, "p99_us", ping_percentile(l, 99));
	line_optional(b, "max_us", ping_percentile(l, 100));
	buf_char(b, '}');
}

static void pings(struct renderer *r, const struct pings_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_text(&b, "{\"ping\":{");
	for (size_t i = 0; i < p->count; i++)
		add_ping_layer(&b, &p->layer[i]);
	buf_text(&b, "}}");
	json_put_line(r, &b);
}

/* The raw message, or, where it is no JSON, its text as a string. */
static void add_event_message(struct buf *b, const struct event *e)
{
	bool json = e->text && e->kind != EVENT_SERIAL &&
		    json_check(e->text, e->len, NULL) == 0;
	line_json(b, "message", json ? e->text : NULL, e->len);
	if (!e->text || json)
		return;
	line_name(b, "text");
	buf_json_string(b, e->text, e->len);
}

/* about: of many, whose it is; NULL */
static void add_event(struct buf *b, const struct event *e, const char *about)
{
	char utc[STAMP_SIZE];
	buf_char(b, '{');
	line_text(b, "time", clock_utc(utc));
	line_number(b, "at_ms", e->at);
	line_text(b, "kind", event_kind_name(e->kind));
	line_text(b, "name", e->name);
	add_event_message(b, e);
	line_text(b, "note", e->note);
	if (e->code)
		line_text(b, "code", e->code);
	if (e->file)
		line_text(b, "file", e->file);
	if (e->kind == EVENT_REQUEST)
		line_bool(b, "answered", e->answered);
	if (e->kind == EVENT_AUDIO || e->kind == EVENT_DROPPED)
		line_number(b, "count", (int64_t)e->count);
	if (e->kind == EVENT_AUDIO)
		line_number(b, "bytes", (int64_t)e->bytes);
	if (about)
		line_text(b, "device", about);
	buf_char(b, '}');
}

static void event(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	add_event(&b, e, NULL);
	put_whose(r, "event", &b);
	render_flush(r);
}

static void aside(struct renderer *r, const struct event *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (e->kind == EVENT_NOTICE && e->notice == NOTICE_LISTENING)
		r->waiting = true;
	buf_text(&b, "{\"event\":");
	add_event(&b, e, r->about);
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
	if (e->has_code && e->kind == ERR_PEER)
		line_number(b, "code", e->code);
	else
		line_text(b, "code", NULL);
	line_text(b, "message", e->text);
	line_text(b, "hint", e->hint[0] ? e->hint : NULL);
	line_text(b, "detail", e->detail);
	if (*e->finding)
		line_text(b, "finding", e->finding);
}

/* An error as an object: {"kind", "status", "code", "message", …}. */
static void json_error(struct buf *out, const struct error *e)
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
	if (r->ladder) {
		line_name(&b, "ladder");
		buf_text(&b, r->ladder);
	}
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

static void trace(struct renderer *r, const struct trace *t)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf masked = { 0 };
	bool binary = strcmp(t->kind, "binary") == 0;
	buf_text(&b, "{\"trace\":{");
	line_number(&b, "at_us", t->at_us);
	if (t->device)
		line_text(&b, "device", t->device);
	line_text(&b, "direction", t->outgoing ? "out" : "in");
	line_text(&b, "kind", t->kind);
	line_number(&b, "size", (int64_t)t->len);
	if (!binary) {
		mask_secrets(&masked, t->data, t->len);
		line_name(&b, "text");
		buf_json_string(&b, buf_string(&masked), masked.len);
	}
	buf_text(&b, "}}");
	json_put_error_line(r, &b);
}

static void note(struct renderer *r, const char *note)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	buf_char(&b, '{');
	line_text(&b, "note", note);
	buf_char(&b, '}');
	json_put_error_line(r, &b);
}

const struct render_ops render_json = {
	.info = info,
	.tool = tool,
	.tools_end = tools_end,
	.change = change,
	.describe = describe,
	.result = result,
	.reply = reply,
	.ping = ping,
	.pings = pings,
	.item = json_item,
	.items_end = json_items_end,
	.answer = json_answer,
	.progress = json_progress,
	.target = json_target,
	.neighbour = json_neighbour,
	.trust = json_trust,
	.login = json_login,
	.task = json_task,
	.adopt = json_adopt,
	.upgrade = json_upgrade,
	.finding = json_finding,
	.stage = stage,
	.check = check,
	.plan = plan,
	.against = against,
	.explain = explain,
	.finding_row = explain,
	.event = event,
	.aside = aside,
	.error = error,
	.note = note,
	.trace = trace,
	.command = command,
	.run = run,
	.record = json_record,
	.device = json_device,
	.row = json_row,
};

/*
 * Devices of a running serve as JSON: its own objects, as they came.
 */

void json_device(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	if (!d->device)
		return;
	if (!d->change) {
		json_minify(&b, d->device_text.text, d->device_text.len);
	} else {
		buf_char(&b, '{');
		line_text(&b, "change", d->change);
		line_json(&b, "device", d->device_text.text,
			  d->device_text.len);
		buf_char(&b, '}');
	}
	json_put_line(r, &b);
	if (d->change)
		render_flush(r);
}

/* A reply that is an error is the answer: the exit status tells the rest. */
void json_row(struct renderer *r, const struct device_record *d)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	buf_char(&b, '{');
	line_json(&b, "device", d->device_text.text, d->device_text.len);
	line_time(&b, "took_us", d->took_us);
	if (d->reply && d->reply->text)
		line_json(&b, "reply", d->reply->text, d->reply->len);
	if (d->error) {
		CLEANUP(error_reset) struct error shown = { 0 };
		mask_error(&shown, d->error);
		line_name(&b, "error");
		json_error(&b, &shown);
	}
	buf_char(&b, '}');
	put_json_line(r, &b, d->value);
	if (r->out_terminal)
		render_flush(r);
}
