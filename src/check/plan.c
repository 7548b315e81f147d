/* SPDX-License-Identifier: MIT */
/*
 * --plan: the messages of a check, in their order. Reaches nobody: which tools
 * there are is known from a list that was kept of the target, if there is one.
 */
#include <string.h>

#include "base/mem.h"
#include "check/parts.h"
#include "check/questions.h"
#include "cli/catalog_file.h"
#include "cli/setup.h"
#include "mcp/client.h"
#include "mcp/initialize.h"
#include "wire/jsonrpc.h"

struct plan {
	struct checkup *k;
	int32_t id;
	unsigned count;
	enum { FRAMES_UNSURE, FRAMES_NONE, FRAMES_SERVE, FRAMES_OWN } frames;
};

static void show_instead(struct plan *p, enum check_risk risk, const char *what,
			 const char *instead)
{
	struct renderer *r = &p->k->in->app->out;
	const struct plan_record record = { .risk = risk_name(risk),
					    .what = what,
					    .instead = instead };

	if (r->ops->plan)
		r->ops->plan(r, &record);
}

static void show(struct plan *p, enum check_risk risk, const char *what,
		 const struct buf *text)
{
	struct renderer *r = &p->k->in->app->out;
	const struct plan_record record = {
		.risk = risk_name(risk),
		.what = what,
		.text = { text ? buf_string(text) : NULL,
			  text ? text->len : 0 },
	};

	p->count++;
	if (r->ops->plan)
		r->ops->plan(r, &record);
}

static void show_request(struct plan *p, enum check_risk risk, const char *what,
			 const char *method, const char *params)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	jsonrpc_request(&text, p->id++, method, params);
	show(p, risk, what, &text);
}

/* Through serve it was said long ago. */
static void show_opening(struct plan *p)
{
	CLEANUP(buf_done) struct buf params = { 0 }, notification = { 0 };

	initialize_params(&params, true, p->k->in->app->config.vision_url,
			  NULL);
	show_request(p, RISK_LOOK,
		     "who it is (boards; others are asked for " REVISION_NEWEST
		     "; serve has done it)",
		     "initialize", buf_string(&params));
	jsonrpc_notification(&notification, "notifications/initialized", NULL);
	show(p, RISK_LOOK, "nothing", &notification);
	show_request(p, RISK_LOOK, "the list, each page", "tools/list",
		     "{\"withUserTools\":true}");
}

/* What the target's transport cannot do; NULL: it can, or it is not known. */
static const char *impossible(const struct plan *p,
			      const struct check_question *q)
{
	if (q->flags & (OWN_ID | IN_PIECES) && p->frames == FRAMES_SERVE)
		return "not through serve, whose ids and frames are its own";
	if (q->flags & IN_PIECES && p->frames == FRAMES_NONE)
		return "not this way, which has no frames; a WebSocket has";
	return NULL;
}

static void show_pace(struct plan *p)
{
	show_instead(
		p, RISK_ASK, "whether the network answers, ten times",
		p->frames == FRAMES_NONE ?
			"no Ping this way: a WebSocket has one" :
		p->frames == FRAMES_SERVE ?
			"a WebSocket Ping of serve, where the device came by one" :
			"a WebSocket Ping, where the peer came by one");
	show_request(p, RISK_ASK, "how fast its main loop answers, ten times",
		     "ping", NULL);
}

static void show_questions(struct plan *p, enum check_risk risk)
{
	for (const struct check_question *q = questions; q->name; q++) {
		CLEANUP(buf_done) struct buf text = { 0 };
		const char *why = impossible(p, q);

		if (q->risk != risk)
			continue;
		if (why) {
			show_instead(p, risk, q->name, why);
			continue;
		}
		question_text(q, q->flags & OWN_ID ? q->id : p->id++, &text);
		show(p, risk, q->name, &text);
		if (risk != RISK_ODD)
			continue;
		buf_reset(&text);
		question_text(&plain_question, p->id++, &text);
		show(p, risk, "whether it still answers", &text);
	}
}

static void show_call(struct plan *p, enum check_risk risk, const char *what,
		      const char *name, const char *arguments)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	buf_text(&params, "{\"name\":");
	buf_json_string(&params, name, strlen(name));
	buf_printf(&params, ",\"arguments\":%s}", arguments);
	show_request(p, risk, what, "tools/call", buf_string(&params));
}

static void show_readers(struct plan *p, const struct tool_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		if (tool_is_reader(&l->tool[i]))
			show_call(p, RISK_READ,
				  "once, and three times for its time",
				  l->tool[i].name, "{}");
	}
}

static void show_trials(struct plan *p, const struct tool_list *l)
{
	for (size_t i = 0; i < l->count; i++) {
		const struct tool *t = &l->tool[i];

		for (int n = 0; tool_is_tried(t) && n < WRONG_WAYS; n++) {
			CLEANUP(buf_done) struct buf arguments = { 0 };

			if (tool_wrong_arguments(t, n, &arguments))
				show_call(p, RISK_ARGS,
					  "whether it checks arguments",
					  t->name, buf_string(&arguments));
		}
	}
}

static void show_named(struct plan *p)
{
	const struct words *calls = &p->k->options->calls;

	for (size_t i = 0; i < calls->count; i++) {
		const char *arguments;
		CLEANUP(mem_free_ptr)
		char *name = check_call_split(calls->word[i], &arguments);

		show_call(p, RISK_LOOK, "what --call names", name, arguments);
	}
}

static void show_levels(struct plan *p, const struct tool_list *l)
{
	const int risk = p->k->options->risk;

	if (risk >= RISK_ASK) {
		show_pace(p);
		show_questions(p, RISK_ASK);
		show_request(p, RISK_ASK, "the list a second time",
			     "tools/list", "{\"withUserTools\":true}");
	}
	if (risk >= RISK_READ && l)
		show_readers(p, l);
	else if (risk >= RISK_READ)
		show(p, RISK_READ,
		     "each tool that is known to read only, once and three times",
		     NULL);
	if (risk >= RISK_ODD)
		show_questions(p, RISK_ODD);
	if (risk >= RISK_ARGS && l)
		show_trials(p, l);
	else if (risk >= RISK_ARGS)
		show(p, RISK_ARGS,
		     "each tool that needs an integer and cannot destroy",
		     NULL);
}

/* What the target alone tells: a scheme without frames, or serve's. */
static void look_at_target(struct plan *p)
{
	CLEANUP(endpoint_done) struct endpoint e = { 0 };
	CLEANUP(error_reset) struct error ignored = { 0 };
	struct app *app = p->k->in->app;

	if (!app->config.target || setup_target(&e, app, &ignored) || !e.scheme)
		return;
	switch (e.scheme->kind) {
	case SCHEME_ATTACH:
		p->frames = FRAMES_SERVE;
		break;
	case SCHEME_LISTEN:
	case SCHEME_WEBSOCKET:
		p->frames = FRAMES_OWN;
		break;
	case SCHEME_HTTP:
	case SCHEME_CHILD:
	case SCHEME_MQTT:
	case SCHEME_SIM:
		p->frames = FRAMES_NONE;
		break;
	}
}

int check_plan(struct checkup *k, struct error *err)
{
	CLEANUP(error_reset) struct error none = { 0 };
	struct kept_list kept;
	struct plan p = { .k = k, .id = 1 };
	bool has;

	if (check_calls_read(k, err))
		return -1;
	has = kept_list_open(&kept, k->in->connection, &none) == 0;
	if (!has && none.kind != ERR_UNMET) {
		error_copy(err, &none);
		return -1;
	}
	look_at_target(&p);
	show_opening(&p);
	show_levels(&p, has ? &kept.tools : NULL);
	show_named(&p);
	if (has)
		kept_list_done(&kept);
	render_note(
		&k->in->app->out,
		"%u messages are shown, for a board each in an envelope; nothing was sent",
		p.count);
	return 0;
}
