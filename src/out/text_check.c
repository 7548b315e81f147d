/* SPDX-License-Identifier: MIT */
/* A check as text: its stages, its plan, its end. */
#include "out/text_check.h"

#include <string.h>

#include "base/mask.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/render_json.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

/*
 * Findings as text. A line in a list: its code, how severe, the title. The
 * whole story: a part a paragraph, its label first.
 */

#define LABEL_COLUMNS 10
#define SEVERITY_COLUMNS 9
#define WIDTH_MOST 80

static size_t width_of(const struct renderer *r)
{
	return r->width < WIDTH_MOST ? r->width : WIDTH_MOST;
}

static enum paint paint_of(enum severity s)
{
	static const enum paint paints[] = { PAINT_DIM, PAINT_WARN, PAINT_BAD };

	return paints[s];
}

static void add_painted(struct buf *out, const struct renderer *r,
			enum paint paint, const char *text, size_t columns)
{
	term_painted(out, r->out_color, paint, text);
	wrap_pad(out, text_width(text, strlen(text)), columns);
}

void text_finding_row(struct renderer *r, const struct explanation *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	const char *severity = severity_label(e->row->severity, e->language);

	add_painted(&b, r, PAINT_STRONG, e->row->code, 6);
	add_painted(&b, r, paint_of(e->row->severity), severity,
		    SEVERITY_COLUMNS);
	buf_printf(&b, "%s\n", e->title);
	put_out(r, &b);
}

static void add_part(struct buf *out, const struct renderer *r,
		     const struct explanation *e, enum explain_part part)
{
	const size_t width = width_of(r);
	const struct wrap how = { LABEL_COLUMNS, LABEL_COLUMNS, width };
	const char *text = e->part[part];

	if (!text)
		return;
	add_painted(out, r, PAINT_KEY, explain_part_label(part, e->language),
		    LABEL_COLUMNS);
	wrap_wrap(out, text, strlen(text), &how);
	buf_char(out, '\n');
}

void text_explain(struct renderer *r, const struct explanation *e)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	term_painted(&b, r->out_color, paint_of(e->row->severity),
		     severity_label(e->row->severity, e->language));
	buf_char(&b, ' ');
	term_painted(&b, r->out_color, PAINT_STRONG, e->row->code);
	buf_printf(&b, "  %s\n\n", e->title);
	for (int i = 0; i < EXPLAIN_PARTS; i++)
		add_part(&b, r, e, (enum explain_part)i);
	put_out(r, &b);
}

/* ---- as it is found ---- */

static void add_safe(struct buf *out, const char *text, size_t len,
		     const struct wrap *how)
{
	CLEANUP(buf_done) struct buf masked = { 0 };
	CLEANUP(buf_done) struct buf safe = { 0 };

	mask_secrets(&masked, text, len);
	text_safe(&safe, buf_string(&masked), masked.len, TEXT_LINE);
	wrap_wrap(out, buf_string(&safe), safe.len, how);
}

/* "! D124 error  a reply is no JSON: …" */
static void tell_line(struct renderer *r, const struct finding_record *f)
{
	CLEANUP(buf_done) struct buf b = { 0 }, title = { 0 };
	const struct finding_row *row = finding_row(f->finding->code);
	struct wrap how = { 0, 2, r->err_terminal ? r->width : 0 };

	term_painted(&b, r->err_color, paint_of(row->severity), "!");
	buf_printf(&b, " %s ", row->code);
	term_painted(&b, r->err_color, paint_of(row->severity),
		     severity_name(row->severity));
	buf_text(&b, "  ");
	how.column = 2 + strlen(row->code) + 1 +
		     strlen(severity_name(row->severity)) + 2;
	if (f->device)
		buf_printf(&title, "%s: ", f->device);
	finding_title(&title, f->finding, f->detail);
	add_safe(&b, buf_string(&title), title.len, &how);
	buf_char(&b, '\n');
	put_err(r, &b);
}

/* ---- as a check tells it: proof, whom it hits, what to do ---- */

#define BLOCK_INDENT 3

#define EXCERPT_LEAST 20

/*
 * Behind the words that tell of the frame, or in a line below them. Returns where
 * its line begins in out.
 */
static size_t add_frame(struct buf *out, const struct proof *p, size_t width)
{
	const struct wrap how = { BLOCK_INDENT, BLOCK_INDENT, width };
	const size_t begin = out->len;
	CLEANUP(buf_done) struct buf words = { 0 };

	if (p->n)
		buf_printf(&words, "#%llu %s %s %zu B",
			   (unsigned long long)p->n, diag_leg_name(p->leg),
			   p->from_device ? "device >" : "backend <", p->size);
	wrap_pad(out, 0, BLOCK_INDENT);
	wrap_wrap(out, buf_string(&words), words.len, &how);
	if (!p->text_len || !words.len)
		return begin;
	if (BLOCK_INDENT + words.len + 2 + EXCERPT_LEAST <= width) {
		buf_text(out, "  ");
		return begin;
	}
	buf_char(out, '\n');
	wrap_pad(out, 0, BLOCK_INDENT);
	return out->len - BLOCK_INDENT;
}

/* The excerpt in one line, with a line of ^ below what is wrong. */
static void add_proof(struct buf *out, const struct renderer *r,
		      const struct proof *p)
{
	CLEANUP(buf_done)
	struct buf before = { 0 }, wrong = { 0 }, behind = { 0 };
	const size_t width = width_of(r);
	size_t head, column, room;

	if (!p->n && !p->text_len)
		return;
	head = add_frame(out, p, width);
	text_safe(&before, p->text, p->off, TEXT_LINE);
	text_safe(&wrong, p->text + p->off, p->len, TEXT_LINE);
	text_safe(&behind, p->text + p->off + p->len,
		  p->text_len - p->off - p->len, TEXT_LINE);
	column = text_width(out->data + head, out->len - head);
	room = width > column ? width - column : 1;
	if (before.len > room / 2) {
		size_t cut = before.len - room / 2;

		while (cut < before.len &&
		       ((unsigned char)before.data[cut] & 0xc0) == 0x80)
			cut++;
		buf_consume(&before, cut);
		buf_text(out, "…");
	} else if (p->from > 0) {
		buf_text(out, "…");
	}
	room -= text_width(out->data + head, out->len - head) - column;
	column = text_width(out->data + head, out->len - head) +
		 text_width(buf_string(&before), before.len);
	buf_add(&before, buf_string(&wrong), wrong.len);
	buf_add(&before, buf_string(&behind), behind.len);
	wrap_cut(out, buf_string(&before), before.len, room);
	buf_char(out, '\n');
	if (p->len > 0 && column + 1 < width) {
		size_t marks = text_width(buf_string(&wrong), wrong.len);

		if (marks > width - column)
			marks = width - column;
		wrap_pad(out, 0, column);
		for (size_t i = 0; i < marks; i++)
			buf_char(out, '^');
		buf_char(out, '\n');
	}
}

static void add_words(struct buf *out, const struct renderer *r,
		      const char *label, const char *text)
{
	const struct wrap how = { BLOCK_INDENT + 6, BLOCK_INDENT + 6,
				  width_of(r) };

	if (!text)
		return;
	buf_printf(out, "%*s", BLOCK_INDENT, "");
	add_painted(out, r, PAINT_KEY, label, 6);
	wrap_wrap(out, text, strlen(text), &how);
	buf_char(out, '\n');
}

/* Rules of boards (D) and their backends (B) hold for any MCP server and its
   host, too; what is known of boards does not. */
static bool is_plain(const struct finding *f)
{
	const char *code = finding_row(f->code)->code;

	return f->proof.n > 0 && (*code == 'D' || *code == 'B') &&
	       (f->proof.leg == LEG_STDIO || f->proof.leg == LEG_HTTP);
}

static const char *whose(enum explain_part part, bool plain)
{
	if (plain && part == EXPLAIN_FIRMWARE)
		return "server";
	if (plain && part == EXPLAIN_BACKEND)
		return "host";
	return explain_part_name(part);
}

static void add_doing(struct buf *out, const struct renderer *r,
		      const struct explanation *e, enum explain_part part,
		      bool plain)
{
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!e->part[part] || (plain && (text_find(e->part[part], "board") ||
					 text_find(e->part[part], "firmware"))))
		return;
	buf_printf(&text, "%s: %s", whose(part, plain), e->part[part]);
	add_words(out, r, "do", buf_string(&text));
}

static void tell_whole(struct renderer *r, const struct finding_record *f)
{
	CLEANUP(buf_done) struct buf b = { 0 }, title = { 0 };
	CLEANUP(explanation_done) struct explanation e;
	const bool plain = is_plain(f->finding);
	struct proof proof = f->finding->proof;
	const struct finding_row *row = finding_row(f->finding->code);
	const struct wrap how = { 15, 15, width_of(r) };

	explanation_read(&e, f->finding->code, EXPLAIN_ENGLISH);
	add_painted(&b, r, paint_of(row->severity),
		    severity_name(row->severity), SEVERITY_COLUMNS - 1);
	add_painted(&b, r, PAINT_STRONG, row->code, 7);
	finding_title(&title, f->finding, f->detail);
	add_safe(&b, buf_string(&title), title.len, &how);
	buf_char(&b, '\n');
	add_proof(&b, r, &proof);
	if (!plain)
		add_words(&b, r, "hits", e.part[EXPLAIN_HITS]);
	add_doing(&b, r, &e, EXPLAIN_FIRMWARE, plain);
	add_doing(&b, r, &e, EXPLAIN_BACKEND, plain);
	add_doing(&b, r, &e, EXPLAIN_OPERATOR, plain);
	put_out(r, &b);
}

void text_finding(struct renderer *r, const struct finding_record *f)
{
	if (f->worded)
		return;
	if (f->whole)
		tell_whole(r, f);
	else
		tell_line(r, f);
}

#define RISK_COLUMNS 6
#define PLAN_BYTES 400
#define AGAINST_INDENT 12
#define STAGE_COLUMNS 9
#define VERDICT_COLUMNS 6

static enum paint paint_of_verdict(enum stage_verdict v)
{
	static const enum paint paints[] = { PAINT_GOOD, PAINT_WARN, PAINT_BAD,
					     PAINT_DIM, PAINT_BAD };

	return paints[v];
}

void text_stage(struct renderer *r, const struct stage_record *s)
{
	const size_t indent = s->verdict == STAGE_STOPPED ?
				      STAGE_COLUMNS :
				      STAGE_COLUMNS + VERDICT_COLUMNS;
	const struct wrap how = { indent, indent, width_of(r) };
	CLEANUP(buf_done) struct buf b = { 0 };

	add_painted(&b, r, PAINT_STRONG, s->name, STAGE_COLUMNS);
	if (s->verdict != STAGE_STOPPED)
		add_painted(&b, r, paint_of_verdict(s->verdict),
			    stage_verdict_name(s->verdict), VERDICT_COLUMNS);
	add_safe(&b, s->words, strlen(s->words), &how);
	buf_char(&b, '\n');
	put_out(r, &b);
}

static void add_left(struct buf *out, unsigned n, const char *level)
{
	if (n > 0)
		buf_printf(out, "%s%u %s %s", out->len ? ", " : "", n,
			   out->len ? "with" : "more with --risk", level);
}

void text_check(struct renderer *r, const struct check_record *c)
{
	CLEANUP(buf_done) struct buf b = { 0 }, sum = { 0 }, left = { 0 };
	const struct wrap how = { 0, 2, width_of(r) };
	char took[TEXT_ROOM];

	wrap_count(&sum, c->errors, "error");
	buf_text(&sum, ", ");
	wrap_count(&sum, c->warnings, "warning");
	buf_text(&sum, ", ");
	wrap_count(&sum, c->notes, "note");
	buf_printf(&sum, " in %s; %u asked",
		   text_microseconds(c->took_us, took, sizeof(took)), c->asked);
	buf_char(&b, '\n');
	wrap_wrap(&b, buf_string(&sum), sum.len, &how);
	buf_char(&b, '\n');
	add_left(&left, c->left_read, "read");
	add_left(&left, c->left_odd, "odd");
	add_left(&left, c->left_args, "args");
	wrap_wrap(&b, buf_string(&left), left.len, &how);
	buf_text(&b, left.len ? "\n" : "");
	if (c->first)
		buf_printf(&b, "mcpctl explain %s\n", c->first);
	put_out(r, &b);
}

/* ---- what would be sent ---- */

void text_plan(struct renderer *r, const struct plan_record *p)
{
	const struct wrap how = { 0, 0, 0 };
	CLEANUP(buf_done) struct buf b = { 0 }, shown = { 0 };

	add_painted(&b, r, PAINT_STRONG, p->risk, RISK_COLUMNS);
	add_safe(&b, p->what, strlen(p->what), &how);
	buf_text(&b, "\n");
	wrap_pad(&b, 0, RISK_COLUMNS);
	if (p->text.text)
		add_safe(&shown, p->text.text,
			 p->text.len < PLAN_BYTES ? p->text.len : PLAN_BYTES,
			 &how);
	else
		buf_printf(&shown, "(%s)",
			   p->instead ? p->instead : "not known yet");
	buf_text(&b, buf_string(&shown));
	if (p->text.len > PLAN_BYTES)
		buf_printf(&b, "… %zu B in all", p->text.len);
	buf_char(&b, '\n');
	put_out(r, &b);
}

/* ---- against a backend ---- */

static void add_names(struct buf *out, const struct renderer *r,
		      const char *label, const struct words *names, bool pairs)
{
	const struct wrap how = { AGAINST_INDENT, AGAINST_INDENT, width_of(r) };
	CLEANUP(buf_done) struct buf text = { 0 };

	if (!names->count)
		return;
	for (size_t i = 0; i < names->count; i++)
		buf_printf(&text, "%s%s",
			   i == 0  ? "" :
			   !pairs  ? " " :
			   (i & 1) ? " -> " :
				     ", ",
			   names->word[i]);
	buf_text(out, "   ");
	add_painted(out, r, PAINT_KEY, label, AGAINST_INDENT - 3);
	add_safe(out, buf_string(&text), text.len, &how);
	buf_char(out, '\n');
}

void text_against(struct renderer *r, const struct against_record *a)
{
	const struct wrap how = { AGAINST_INDENT, AGAINST_INDENT, width_of(r) };
	CLEANUP(buf_done) struct buf b = { 0 };

	add_painted(&b, r, PAINT_STRONG, a->id, STAGE_COLUMNS);
	buf_printf(&b, "%s: ", a->name);
	if (a->known)
		buf_printf(&b, "keeps %zu of %zu", a->kept, a->of);
	else
		buf_text(&b, "which it keeps is not known from this list");
	buf_char(&b, '\n');
	add_names(&b, r, "lost", a->lost, false);
	add_names(&b, r, "renamed", a->renamed, true);
	add_names(&b, r, "hidden", a->unreachable, false);
	if (*a->calls) {
		buf_text(&b, "   ");
		add_painted(&b, r, PAINT_KEY, "calls", AGAINST_INDENT - 3);
		add_safe(&b, a->calls, strlen(a->calls), &how);
		buf_char(&b, '\n');
	}
	put_out(r, &b);
}
