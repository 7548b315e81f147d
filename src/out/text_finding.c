/* SPDX-License-Identifier: MIT */
/*
 * Findings as text. A line in a list: its code, how severe, the title. The
 * whole story: a part a paragraph, its label first.
 */
#include <string.h>

#include "base/text.h"
#include "base/utf8.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/wrap.h"

#define LABEL_COLUMNS 10
#define SEVERITY_COLUMNS 9
#define WIDTH_MOST 80

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
	const size_t width = r->width < WIDTH_MOST ? r->width : WIDTH_MOST;
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
