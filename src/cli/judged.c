/* SPDX-License-Identifier: MIT */
#include "cli/judged.h"
#include "cli/trace.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/witnessed.h"
#include "diag/finding.h"
#include "diag/pace.h"

/* ---- in callbacks: recorded, told later on the main line ---- */

static void on_found(void *owner, const struct finding *f, const char *detail)
{
	struct connection *c = owner;

	if (c->probing && *finding_row(f->code)->code == 'B')
		return;
	c->found[finding_row(f->code)->severity]++;
	if (c->checks || !c->session)
		return;
	if (f->count == 1 || c->tail)
		session_judged(c->session, finding_row(f->code)->code, detail,
			       c->judging);
}

/* Replies to what others ask come too: none is news. */
static const char *whose(void *owner, int64_t id)
{
	const struct connection *c = owner;
	const struct session_peer *peer = session_peer(c->session);

	(void)id;
	return peer->shared ? "" : NULL;
}

enum diag_leg judged_leg(const struct endpoint *to)
{
	static const enum diag_leg legs[] = {
		[SCHEME_WEBSOCKET] = LEG_WS,  [SCHEME_HTTP] = LEG_HTTP,
		[SCHEME_CHILD] = LEG_STDIO,   [SCHEME_MQTT] = LEG_MQTT,
		[SCHEME_MCP_MQTT] = LEG_MQTT, [SCHEME_LISTEN] = LEG_WS,
		[SCHEME_SIM] = LEG_WS,	      [SCHEME_ATTACH] = LEG_WS,
	};

	return legs[to->scheme->kind];
}

/* Until the dialect is known, the target says what is to be expected. */
static void look_around(struct connection *c)
{
	const struct link *l = session_link(c->session);
	const struct session_peer *peer = session_peer(c->session);
	struct diag_about *about = &c->diag.about;
	const bool device = endpoint_has(&c->endpoint, SCHEME_DEVICE) ||
			    endpoint_has(&c->endpoint, SCHEME_WAITS);

	const bool unsure = peer && peer->unsure;
	const bool board = l->dialect == DIALECT_DEVICE ||
			   (l->dialect == DIALECT_UNKNOWN && device && !unsure);

	/* It was asked as a tool side, and is a board that was slow. */
	if (unsure && board && !about->board)
		diag_start(&c->diag);
	about->board = board;
	about->bare = !about->board;
	/* Who is dialled took what was said before any hello, or is silent. */
	about->standby = c->endpoint.scheme->kind == SCHEME_MQTT ||
			 c->endpoint.scheme->kind == SCHEME_WEBSOCKET;
	about->no_batches = !session_reads_batches(c->session);
	about->protocol_version = peer ? peer->protocol_version : 0;
	about->from.board = peer && c->endpoint.scheme->kind == SCHEME_LISTEN ?
				    peer->address :
				    NULL;
}

/* Who dials us says what it hears; other peers are servers. */
static void judge_pace(struct connection *c, const struct diag_frame *f)
{
	if (c->endpoint.scheme->kind != SCHEME_LISTEN)
		return;
	if (f->kind == FRAME_IS_TEXT)
		pace_text(&c->pace, f->from_device, f->data, f->len);
	else if (f->from_device)
		pace_frame(c->pace, &c->diag, f, loop_delay_us(c->app->loop));
}

void judged_frame(void *owner, bool outgoing, enum frame_kind kind,
		  struct span frame, const struct json_places *at)
{
	struct connection *c = owner;
	const struct diag_frame f = {
		.at_us = loop_now_us(),
		.leg = judged_leg(&c->endpoint),
		.kind = kind == FRAME_TEXT ? FRAME_IS_TEXT : FRAME_IS_BINARY,
		.from_device = !outgoing,
		.data = frame.text,
		.len = frame.len,
		.at = at,
	};

	if (!c->session)
		return;
	look_around(c);
	c->judging = kind == FRAME_TEXT ? frame : (struct span){ 0 };
	diag_feed(&c->diag, &f);
	judge_pace(c, &f);
	witnessed_frame(c, &f);
	c->judging = (struct span){ 0 };
}

void judged_gave_up(void *owner, int32_t id)
{
	struct connection *c = owner;

	diag_gave_up(&c->diag, id, loop_now_us());
}

void judged_begin(struct connection *c)
{
	c->diag.found = on_found;
	c->diag.clock = loop_now_us;
	c->diag.whose = whose;
	c->diag.owner = c;
	memset(c->judged, 0, sizeof(c->judged));
	pace_free(TAKE(c->pace));
	diag_start(&c->diag);
}

/* ---- on the main line ---- */

int findings_open(struct app *app, struct error *err)
{
	if (!app->config.findings || app->findings)
		return 0;
	if (text_same(app->config.findings, "-"))
		return error_set(
			err, ERR_USAGE,
			"--findings writes to a file, and '-' is none");
	app->findings =
		file_take_stream("file of findings", app->config.findings, err);
	return app->findings ? 0 : -1;
}

void findings_write(struct app *app, const struct finding *f,
		    const char *device)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	if (!app->findings && !app->trace)
		return;
	finding_json(&line, f, device);
	findings_write_line(app, buf_string(&line), device);
}

static void write_file(const struct app *app, const char *line)
{
	CLEANUP(buf_done) struct buf masked = { 0 };

	if (!app->findings)
		return;
	mask_secrets(&masked, line, strlen(line));
	fprintf(app->findings, "%s\n", buf_string(&masked));
	fflush(app->findings);
}

void findings_write_line(struct app *app, const char *line, const char *device)
{
	trace_finding(app, line, device);
	write_file(app, line);
}

static const char *device_of(const struct connection *c)
{
	if (c->whose)
		return c->whose;
	const struct session_peer *peer =
		c->session ? session_peer(c->session) : NULL;

	return peer ? peer->device_id : NULL;
}

/* What serve found becomes one of ours. NULL: a later version of it did. */
static const struct finding *take_finding(struct connection *c,
					  const struct event *e)
{
	CLEANUP(json_free_ptr)
	cJSON *json = json_parse(e->finding, strlen(e->finding), NULL);
	struct finding f;

	if (finding_read(&f, json, NULL))
		return NULL;
	return diag_take(&c->diag, &f);
}

static const struct finding *finding_of(struct connection *c,
					const struct event *e)
{
	int code;

	if (e->finding)
		return take_finding(c, e);
	code = finding_by_name(e->name);
	return code < 0 ? NULL : diag_finding(&c->diag, (enum diag_code)code);
}

/* tail tells each, among the other events. */
static void tell_event(const struct connection *c, const struct event *e,
		       const struct finding *f, const char *detail)
{
	static char odd[] = "odd";
	CLEANUP(buf_done) struct buf words = { 0 };
	CLEANUP(mem_free_ptr) char *note = NULL;
	const struct renderer *r = &c->app->out;
	struct event told = *e;

	finding_title(&words, f, detail);
	told.kind = EVENT_ODD;
	told.name = odd;
	note = buf_take(&words);
	told.note = note;
	told.code = finding_row(f->code)->code;
	if (c->on_event)
		c->on_event(c->on_event_owner, &told);
	else if (r->ops->event)
		r->ops->event(&c->app->out, &told);
}

bool judged_event(struct connection *c, const struct event *e)
{
	const struct finding *f;
	struct finding_record record = { .detail = e->finding ? NULL : e->note,
					 .device = c->app->out.about,
					 .worded = c->worded };

	if (e->kind != EVENT_FINDING)
		return false;
	f = finding_of(c, e);
	/* Of a transport: then it comes again, as one of the engine. */
	if (!f && !e->finding && finding_by_name(e->name) >= 0)
		diag_found(&c->diag, (enum diag_code)finding_by_name(e->name),
			   (struct span){ 0 }, "%s", e->note ? e->note : "");
	if (!f || c->checks)
		return true;
	if (!c->judged[f->code])
		findings_write(c->app, f, device_of(c));
	record.finding = f;
	if (c->tail)
		tell_event(c, e, f, record.detail);
	else if (!c->judged[f->code])
		render_finding(&c->app->out, &record);
	c->judged[f->code] = true;
	return true;
}

void judged_end(struct connection *c)
{
	if (!c->session)
		return;
	diag_end(&c->diag);
	session_drain(c->session);
	for (size_t i = 0; i < c->diag.count; i++) {
		if (c->diag.item[i].count > 1)
			findings_write(c->app, &c->diag.item[i], device_of(c));
	}
}

void judged_error(struct connection *c, const struct error *err)
{
	const int code = finding_by_name(err->finding);
	CLEANUP(error_reset) struct error ignored = { 0 };
	CLEANUP(finding_done) struct finding f = { .count = 1 };
	CLEANUP(buf_done) struct buf line = { 0 };

	if (code < 0 || c->judged[code] ||
	    diag_finding(&c->diag, (enum diag_code)code) ||
	    findings_open(c->app, &ignored))
		return;
	c->judged[code] = true;
	f.code = (enum diag_code)code;
	f.detail = mem_strdup(err->text);
	f.first_us = f.last_us = loop_now_us();
	finding_json(&line, &f, device_of(c));
	/* A capture ends with how the connection did. */
	write_file(c->app, buf_string(&line));
}

void judged_done(struct connection *c)
{
	pace_free(TAKE(c->pace));
	diag_done(&c->diag);
}
