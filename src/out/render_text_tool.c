/* SPDX-License-Identifier: MIT */
/*
 * The list of tools as text: a line each, and the count. All about one tool is
 * in render_text_describe.c.
 */
#include <string.h>

#include "base/text.h"
#include "out/backends.h"
#include "out/lines.h"
#include "out/render_text.h"
#include "out/term.h"

#define BRIEF_COLUMNS_LEAST 8
#define NAME_COLUMNS_MOST 48 /* longer names push their description right */

/* The marks before a description: why this line is unlike the others. */
static const char *marks(const struct tool *t)
{
	if (t->user_only)
		return t->duplicate ? "[user-only, twice] " : "[user-only] ";
	return t->duplicate ? "[twice] " : "";
}

void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	CLEANUP(buf_done) struct buf brief = { 0 };
	const char *line;
	size_t column = of->name_width;
	size_t len = lines_first(*t->description || !t->title ? t->description :
								t->title,
				 &line);
	if (column > NAME_COLUMNS_MOST)
		column = NAME_COLUMNS_MOST;
	lines_safe(&name, t->name);
	text_safe(&brief, line, len, TEXT_LINE);
	size_t used = text_width(buf_string(&name), name.len);
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&name));
	if (brief.len > 0 || *marks(t)) {
		size_t room = 0;
		lines_pad(&b, used, column);
		buf_text(&b, "  ");
		used = (used > column ? used : column) + 2 + strlen(marks(t));
		term_painted(&b, r->out_color, PAINT_DIM, marks(t));
		if (r->out_terminal && r->width > used)
			room = r->width - used;
		/* Where nothing readable would fit, the name alone stands. */
		if (!r->out_terminal || room >= BRIEF_COLUMNS_LEAST)
			lines_cut(&b, buf_string(&brief), brief.len, room);
	}
	buf_char(&b, '\n');
	put_out(r, &b);
}

/* "29 tools + 7 user-only, 2 pages" */
static void add_count(struct buf *out, const struct tools_record *t)
{
	size_t common = t->list->count - t->list->user_only;
	if (t->filter) {
		lines_number(out, t->shown);
		buf_text(out, " shown of ");
	}
	lines_count(out, common, "tool");
	if (t->list->user_only > 0) {
		buf_text(out, " + ");
		lines_number(out, t->list->user_only);
		buf_text(out, " user-only");
	}
	buf_text(out, ", ");
	lines_count(out, t->list->pages, "page");
	if (t->backend_view)
		buf_text(out, ", as a backend asks");
	if (t->broke)
		buf_text(out, ", incomplete");
}

void text_tools_end(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(buf_done) struct buf count = { 0 };
	size_t common = t->list->count - t->list->user_only;
	add_count(&count, t);
	render_note(r, "%s", buf_string(&count));
	if (!t->device || t->filter || common <= BACKEND_TOOLS_MAX)
		return;
	render_note(r,
		    "the MQTT gateway and the Java server keep %d tools: they "
		    "see the first %zu of these",
		    BACKEND_TOOLS_MAX, backend_visible(t->list));
}
