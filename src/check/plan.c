/* SPDX-License-Identifier: MIT */
/*
 * --plan: the messages of a check, in their order. Reaches nobody: which tools
 * there are is known from a list that was kept of the target, if there is one.
 */
#include <string.h>

#include "base/mem.h"
#include "check/calls.h"
#include "check/parts.h"
#include "check/planned.h"
#include "check/power_cycle.h"
#include "check/questions.h"
#include "cli/catalog_file.h"
#include "cli/setup.h"
#include "mcp/initialize.h"
#include "mcp/revision.h"
#include "mcp/tools.h"
#include "wire/jsonrpc.h"

struct plan {
	struct checkup *k;
	int32_t id;
	enum { FRAMES_UNSURE, FRAMES_NONE, FRAMES_SERVE, FRAMES_OWN } frames;
};

static void show_request(struct plan *p, enum check_risk risk, const char *what,
			 const char *method, const char *params)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	jsonrpc_request(&text, p->id++, method, params);
	planned(p->k, risk, what, &text);
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
	planned(p->k, RISK_LOOK, "nothing: that it may begin", &notification);
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
	planned_instead(
		p->k, RISK_ASK, "whether the network answers, ten times",
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
		CLEANUP(mem_free_ptr) char *name = NULL;
		const char *why = impossible(p, q);

		if (q->risk != risk)
			continue;
		if (why) {
			planned_instead(p->k, risk, q->name, why);
			continue;
		}
		question_text(q, q->flags & OWN_ID ? q->id : p->id++, true,
			      &text);
		name = strchr(q->text, '#') ?
			       mem_printf("%s (boards; others by ping)",
					  q->name) :
			       mem_strdup(q->name);
		planned(p->k, risk, name, &text);
		if (risk != RISK_ODD)
			continue;
		buf_reset(&text);
		question_text(&plain_question, p->id++, true, &text);
		planned(p->k, risk,
			"whether it still answers (boards; others by ping)",
			&text);
	}
}

static void show_call(struct plan *p, enum check_risk risk, const char *what,
		      const char *name, const char *arguments)
{
	CLEANUP(buf_done) struct buf params = { 0 };

	tool_call_params(&params, name, arguments);
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
		CLEANUP(buf_done) struct buf params = { 0 }, text = { 0 };
		const char *arguments;
		CLEANUP(mem_free_ptr)
		char *name = check_call_split(calls->word[i], &arguments);

		tool_call_params(&params, name, arguments);
		jsonrpc_request(&text, p->id++, "tools/call",
				buf_string(&params));
		planned_call(p->k, "what --call names", &text);
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
		planned(p->k, RISK_READ,
			"each tool that is known to read only, once and three times",
			NULL);
	if (risk >= RISK_ODD)
		show_questions(p, RISK_ODD);
	if (risk >= RISK_ARGS && l)
		show_trials(p, l);
	else if (risk >= RISK_ARGS)
		planned(p->k, RISK_ARGS,
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
	case SCHEME_MCP_MQTT:
	case SCHEME_SIM:
		p->frames = FRAMES_NONE;
		break;
	}
}

int check_tools_plan(struct checkup *k, struct error *err)
{
	struct plan p = { .k = k, .id = 1 };

	(void)err;
	if (!k->options->kept && k->in->argc < 2)
		show_opening(&p);
	planned_end(k, k->planned ?
			       " are shown, for a board each in an envelope" :
			       ": a list that is there already is read");
	return 0;
}

int check_plan(struct checkup *k, struct error *err)
{
	CLEANUP(error_reset) struct error none = { 0 };
	struct kept_list kept;
	struct plan p = { .k = k, .id = 1 };
	bool has;

	if (check_calls_read(k, err) || check_power_read(k, err))
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
	if (k->options->power_cycle)
		planned_instead(
			k, RISK_ODD, "whether it comes back",
			"serve's --power-cmd switches its power off and on");
	if (has)
		kept_list_done(&kept);
	planned_end(k, " are shown, for a board each in an envelope");
	return 0;
}
