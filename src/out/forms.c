/* SPDX-License-Identifier: MIT */
/*
 * The raw form, which stands on the other two, and the choice among the three.
 */
#include "out/forms.h"
#include "mcp/tools.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
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
	fflush(r->out);
}

const struct render_ops render_raw = {
	.info = info,
	.tools_end = tools_end,
	.change = text_change,
	.describe = describe,
	.result = result,
	.reply = reply,
	.ping = text_ping,
	.items_end = items_end,
	.answer = answer,
	.progress = text_progress,
	.target = json_target,
	.trust = json_trust,
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

static const struct render_ops *const forms[] = {
	[OUTPUT_TEXT] = &render_text,
	[OUTPUT_JSON] = &render_json,
	[OUTPUT_RAW] = &render_raw,
};

static bool wants_color(FILE *f, enum output_form form, enum color_mode color)
{
	if (form != OUTPUT_TEXT || color == COLOR_NEVER)
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
	r->width = term_width(r->out_terminal ? stdout : stderr);
}
