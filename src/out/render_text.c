/* SPDX-License-Identifier: MIT */
/*
 * The text form: its table, and the two smallest records. For eyes; programs
 * are better served by the JSON form.
 */
#include "out/render_text.h"
#include "base/clock.h"
#include "base/mask.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/forms.h"
#include "out/frame.h"
#include "out/term.h"
#include "out/text_check.h"
#include "out/text_describe.h"
#include "out/text_device.h"
#include "out/text_event.h"
#include "out/text_info.h"
#include "out/text_item.h"
#include "out/text_result.h"
#include "out/wrap.h"

#include <stdio.h>
#include <string.h>

/* Bytes of an error's detail that a terminal gets without -v. */
#define DETAIL_SHORT 1600

/* In milliseconds, whatever the size, so that one unit does for all. */
static void add_ping(struct buf *out, const char *name, int64_t us)
{
	double ms = (double)us / 1000;
	buf_printf(out, "%s %.*f", name, ms < 1 ? 2 : ms < 10 ? 1 : 0, ms);
}

void text_pings(struct renderer *r, const struct pings_record *p)
{
	static const char *const names[] = { "p50", "p90", "p99", "max" };
	static const unsigned percent[] = { 50, 90, 99, 100 };
	CLEANUP(buf_done) struct buf b = { 0 };
	for (size_t i = 0; i < p->count; i++) {
		const struct ping_layer *l = &p->layer[i];
		buf_printf(&b, "%-5s", l->name);
		/* It is not asked: the kernel knows. */
		if (strcmp(l->name, "tcp") != 0)
			buf_printf(&b, " %zu sent, %zu lost (%zu %%)", l->sent,
				   l->lost, l->lost * 100 / l->sent);
		else
			buf_text(&b, " round trip");
		for (size_t n = 0; n < COUNT(names) && l->lost < l->sent; n++) {
			buf_text(&b, n ? ", " : ": ");
			add_ping(&b, names[n], ping_percentile(l, percent[n]));
		}
		buf_text(&b, l->lost < l->sent ? " ms\n" : "\n");
	}
	put_out(r, &b);
}

void text_ping(struct renderer *r, const struct ping_record *p)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	bool layers = p->tcp_us > 0 || p->ws_us > 0 || p->ws_silent;
	char took[32];
	text_microseconds(p->took_us, took, sizeof(took));
	if (p->tcp_us > 0)
		add_ping(&b, "alive: tcp", p->tcp_us);
	if (p->ws_us > 0)
		add_ping(&b, b.len ? ", ws" : "alive: ws", p->ws_us);
	else if (p->ws_silent)
		buf_text(&b, b.len ? ", ws no pong" : "alive: ws no pong");
	if (layers) {
		add_ping(&b, p->device ? ", loop" : ", mcp", p->took_us);
		buf_text(&b, " ms\n");
	} else {
		buf_printf(&b, "alive, %s\n", took);
	}
	put_out(r, &b);
	if (p->was_error && r->verbose)
		render_note(
			r,
			"it answered with an error, as firmware does: it has no ping, and any answer counts");
}

/* "error: " and a text that hangs behind it. */
static void add_hanging(struct renderer *r, struct buf *out, const char *label,
			enum paint paint, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { strlen(label), strlen(label),
			    r->err_terminal ? r->width : 0 };
	wrap_safe_paragraph(&safe, text);
	term_painted(out, r->err_color, paint, label);
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	buf_char(out, '\n');
}

static void add_part(struct renderer *r, struct buf *out, const char *text,
		     size_t len)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { 2, 2, r->err_terminal ? r->width : 0 };
	while (len > 0 && text[len - 1] == '\n')
		len--;
	text_safe(&safe, text, len, TEXT_PARAGRAPH);
	buf_text(out, "  ");
	wrap_wrap(out, buf_string(&safe), safe.len, &how);
	buf_char(out, '\n');
}

/*
 * A frame, a usage, a difference: as it is, two columns in. Of a long one both
 * ends: the cause stands first, or, in what a dying program wrote, last.
 */
static void add_detail(struct renderer *r, struct buf *out, const char *detail)
{
	size_t len = strlen(detail), half = DETAIL_SHORT / 2, head, tail;
	if (!r->err_terminal || r->verbose || len <= DETAIL_SHORT) {
		add_part(r, out, detail, len);
		return;
	}
	head = text_cut(detail, len, half);
	tail = text_cut(detail, len, len - half);
	add_part(r, out, detail, head);
	buf_text(out, "  … ");
	wrap_count(out, tail - head, "more byte");
	buf_text(out, " (-v shows all) …\n");
	add_part(r, out, detail + tail, len - tail);
}

void text_error(struct renderer *r, const struct error *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(mem_free_ptr) char *text = NULL;
	if (e->kind == ERR_NONE)
		return;
	text = error_headline(e);
	add_hanging(r, &b, "error: ", PAINT_BAD, text);
	if (e->detail && *e->detail)
		add_detail(r, &b, e->detail);
	if (e->hint[0])
		add_hanging(r, &b, "hint: ", PAINT_KEY, e->hint);
	put_err(r, &b);
}

static const char *trace_arrow(const struct trace *t)
{
	if (strcmp(t->kind, "text") != 0 && strcmp(t->kind, "binary") != 0)
		return "--";
	return t->outgoing ? "->" : "<-";
}

static void add_trace_data(struct buf *out, const struct trace *t)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	if (strcmp(t->kind, "text") != 0)
		buf_printf(out, " %s", t->kind);
	if (strcmp(t->kind, "binary") == 0 || t->len == 0)
		return;
	mask_secrets(&masked, t->data, t->len);
	buf_char(out, ' ');
	text_safe(out, buf_string(&masked), masked.len, TEXT_NAME);
}

void text_trace(struct renderer *r, const struct trace *t)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf words = { 0 };
	bool short_form = r->err_terminal && !r->raw_frames;
	char clock[STAMP_SIZE];
	buf_printf(&line, "%s %s", trace_arrow(t), clock_time(clock));
	if (t->device) {
		buf_char(&line, ' ');
		text_safe(&line, t->device, strlen(t->device), TEXT_NAME);
	}
	if (short_form && frame_describe(&words, &r->frames, t)) {
		buf_printf(&line, " %s", buf_string(&words));
	} else {
		if (strcmp(t->kind, "text") == 0 ||
		    strcmp(t->kind, "binary") == 0)
			buf_printf(&line, " %zu B", t->len);
		add_trace_data(&line, t);
	}
	term_paint(&b, r->err_color, PAINT_DIM);
	wrap_cut(&b, line.data, line.len, short_form ? r->width : 0);
	term_plain(&b, r->err_color);
	buf_char(&b, '\n');
	put_err(r, &b);
}

void text_note(struct renderer *r, const char *note)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };
	const struct wrap how = { 0, 2, r->err_terminal ? r->width : 0 };
	wrap_safe(&safe, note);
	term_paint(&b, r->err_color, PAINT_DIM);
	wrap_wrap(&b, buf_string(&safe), safe.len, &how);
	term_plain(&b, r->err_color);
	buf_char(&b, '\n');
	put_err(r, &b);
}

const struct render_ops render_text = {
	.info = text_info,
	.tool = text_tool,
	.tree = text_tree,
	.tools_end = text_tools_end,
	.change = text_change,
	.describe = text_describe,
	.result = text_result,
	.reply = text_reply,
	.ping = text_ping,
	.pings = text_pings,
	.item = text_item,
	.items_end = text_items_end,
	.answer = text_answer,
	.progress = text_progress,
	.target = text_target,
	.neighbour = text_neighbour,
	.trust = text_trust,
	.login = text_login,
	.task = text_task,
	.adopt = text_adopt,
	.upgrade = text_upgrade,
	.finding = text_finding,
	.stage = text_stage,
	.check = text_check,
	.plan = text_plan,
	.against = text_against,
	.explain = text_explain,
	.finding_row = text_finding_row,
	.event = text_event,
	.aside = text_aside,
	.error = text_error,
	.note = text_note,
	.trace = text_trace,
	.record = text_record,
	.device = text_device,
	.row = text_row,
};
