/* SPDX-License-Identifier: MIT */
/*
 * The raw form, which stands on the other two, and the choice among the three.
 */
#include "out/forms.h"
#include "mcp/tools.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/text_check.h"
#include "out/text_event.h"
#include "out/text_item.h"
#include "out/text_result.h"

/*
 * The raw form: what the peer sent, byte for byte. Whatever has no bytes of
 * the peer's, and everything on stderr, is as in the text form.
 */

/* A payload: exact in a pipe, with a newline on a terminal. */
static void put_payload(struct renderer *r, const struct message *m)
{
	if (m->text)
		put_received(r, m->text, m->len, r->out_terminal);
}

static void info(struct renderer *r, const struct info_record *i)
{
	if (r->whose)
		render_json.info(r, i);
	else if (i->client)
		put_payload(r, &i->client->initialize);
}

/* The pages, a line each, whatever was filtered: as it came. */
static void tools_end(struct renderer *r, const struct tools_record *t)
{
	for (size_t i = 0; i < t->list->pages; i++)
		put_received(r, t->list->page[i].text, t->list->page[i].len,
			     true);
	text_tools_end(r, t);
}

static void items_end(struct renderer *r, const struct items_record *i)
{
	for (size_t n = 0; n < i->list->pages; n++)
		put_received(r, i->list->page[n].text, i->list->page[n].len,
			     true);
	text_items_end(r, i);
}

static void answer(struct renderer *r, const struct answer_record *a)
{
	put_payload(r, a->reply);
}

static void describe(struct renderer *r, const struct describe_record *d)
{
	struct span text = tool_text(d->tool);
	put_received(r, text.text, text.len, r->out_terminal);
}

static void result(struct renderer *r, const struct result *result)
{
	put_payload(r, &result->message);
	if (result->note)
		render_note(r, "%s", result->note);
}

static void reply(struct renderer *r, const struct message *m)
{
	put_payload(r, m);
}

/* Messages follow each other, so a line end parts them. */
static void event(struct renderer *r, const struct event *e)
{
	if (r->whose) {
		render_json.event(r, e);
		return;
	}
	if (!e->text)
		return;
	put_received(r, e->text, e->len, true);
	render_flush(r);
}

const struct render_ops render_raw = {
	.info = info,
	.tools_end = tools_end,
	.change = text_change,
	.describe = describe,
	.result = result,
	.reply = reply,
	.ping = text_ping,
	.pings = text_pings,
	.items_end = items_end,
	.answer = answer,
	.progress = text_progress,
	.target = json_target,
	.neighbour = json_neighbour,
	.trust = json_trust,
	.login = json_login,
	.task = json_task,
	.adopt = json_adopt,
	.upgrade = json_upgrade,
	.finding = text_finding,
	.stage = text_stage,
	.check = text_check,
	.plan = text_plan,
	.against = text_against,
	.explain = text_explain,
	.finding_row = text_finding_row,
	.event = event,
	.aside = text_aside,
	.error = text_error,
	.note = text_note,
	.trace = text_trace,
	.record = text_record,
	.device = json_device,
	.row = json_row,
};

/* What a check tells belongs to its results. */
static void finding(struct renderer *r, const struct finding_record *f)
{
	if (f->whole)
		json_finding(r, f);
	else
		text_finding(r, f);
}

static void speak_text(struct render_ops *asked)
{
	*asked = render_json;
	asked->tools_end = text_tools_end;
	asked->items_end = text_items_end;
	asked->progress = text_progress;
	asked->finding = finding;
	asked->aside = text_aside;
	asked->error = text_error;
	asked->note = text_note;
	asked->trace = text_trace;
	asked->command = NULL;
	asked->run = NULL;
}

static void use_json(struct renderer *r, bool text_errors)
{
	static struct render_ops asked;

	speak_text(&asked);
	r->form = OUTPUT_JSON;
	r->ops = text_errors ? &asked : &render_json;
	r->out_color = false;
}

void renderer_ask(struct renderer *r, struct query *query, int64_t timeout,
		  bool text_errors)
{
	use_json(r, text_errors);
	r->query = query;
	r->query_timeout = timeout;
}

void renderer_tabulate(struct renderer *r, struct table *table)
{
	const bool color = r->out_color;

	use_json(r, true);
	r->out_color = color;
	r->table = table;
}

static const struct render_ops *const forms[] = {
	[OUTPUT_TEXT] = &render_text,
	[OUTPUT_JSON] = &render_json,
	[OUTPUT_RAW] = &render_raw,
	/* until renderer_tabulate: what comes before the table is an error */
	[OUTPUT_TABLE] = &render_text,
};

static bool wants_color(FILE *f, enum output_form form, enum color_mode color)
{
	if ((form != OUTPUT_TEXT && form != OUTPUT_TABLE) ||
	    color == COLOR_NEVER)
		return false;
	return color == COLOR_ALWAYS || term_has_color(f);
}

void renderer_init(struct renderer *r, enum output_form form,
		   enum color_mode color)
{
	*r = (struct renderer){
		.ops = forms[form], .form = form, .out = stdout, .err = stderr
	};
	r->out_terminal = term_is_terminal(stdout);
	r->err_terminal = term_is_terminal(stderr);
	r->out_color = wants_color(stdout, form, color);
	r->err_color = wants_color(stderr, form, color);
	r->err_moves = r->err_terminal && term_moves();
	r->foreign = (r->out_terminal || r->err_terminal) && term_is_foreign();
	r->width = term_width(r->out_terminal ? stdout : stderr);
}
