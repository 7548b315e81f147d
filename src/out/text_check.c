/* SPDX-License-Identifier: MIT */
/* A check as text: its stages, its plan, its end. */
#include <string.h>

#include "base/mask.h"
#include "base/split.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

#define WIDTH_MOST 80
#define RISK_COLUMNS 6
#define PLAN_BYTES 400
#define AGAINST_INDENT 12
#define STAGE_COLUMNS 9
#define VERDICT_COLUMNS 6

static size_t width_of(const struct renderer *r)
{
	return r->width < WIDTH_MOST ? r->width : WIDTH_MOST;
}

static void add_painted(struct buf *out, const struct renderer *r,
			enum paint paint, const char *text, size_t columns)
{
	term_painted(out, r->out_color, paint, text);
	wrap_pad(out, text_width(text, strlen(text)), columns);
}

static void add_safe(struct buf *out, const char *text, size_t len,
		     const struct wrap *how)
{
	CLEANUP(buf_done) struct buf masked = { 0 }, safe = { 0 };

	mask_secrets(&masked, text, len);
	text_safe(&safe, buf_string(&masked), masked.len, TEXT_LINE);
	wrap_wrap(out, buf_string(&safe), safe.len, how);
}

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
	CLEANUP(buf_done) struct buf b = { 0 }, left = { 0 };
	char took[TEXT_ROOM];

	buf_char(&b, '\n');
	wrap_count(&b, c->errors, "error");
	buf_text(&b, ", ");
	wrap_count(&b, c->warnings, "warning");
	buf_text(&b, ", ");
	wrap_count(&b, c->notes, "note");
	buf_printf(&b, " in %s; %u asked",
		   text_microseconds(c->took_us, took, sizeof(took)), c->asked);
	buf_char(&b, '\n');
	add_left(&left, c->left_read, "read");
	add_left(&left, c->left_odd, "odd");
	add_left(&left, c->left_args, "args");
	if (left.len)
		buf_printf(&b, "%s\n", buf_string(&left));
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
