/* SPDX-License-Identifier: MIT */
/*
 * The list of tools as text: a line each, and the count. All about one tool is
 * in render_text_describe.c.
 */
#include <string.h>

#include "base/text.h"
#include "out/backends.h"
#include "out/render_text.h"
#include "out/term.h"
#include "out/tools_tree.h"
#include "out/wrap.h"

#define BRIEF_COLUMNS_LEAST 8
#define NAME_COLUMNS_MOST 48 /* longer names push their description right */

/* The marks before a description: why this line is unlike the others. */
static const char *marks(const struct tool *t)
{
	if (t->user_only)
		return t->duplicate ? "[user-only, twice] " : "[user-only] ";
	return t->duplicate ? "[twice] " : "";
}

/* What stands before a description. */
struct lead {
	size_t used, column; /* columns of the name, and of all names */
};

static void add_brief(struct buf *out, const struct renderer *r,
		      const struct tool *t, const struct lead *lead)
{
	CLEANUP(buf_done) struct buf brief = { 0 };
	const char *line;
	size_t len = wrap_first(*t->description || !t->title ? t->description :
							       t->title,
				&line);
	size_t used = lead->used, column = lead->column, room = 0;
	if (column > NAME_COLUMNS_MOST)
		column = NAME_COLUMNS_MOST;
	text_safe(&brief, line, len, TEXT_LINE);
	if (brief.len == 0 && !*marks(t))
		return;
	wrap_pad(out, used, column);
	buf_text(out, "  ");
	used = (used > column ? used : column) + 2 + strlen(marks(t));
	term_painted(out, r->out_color, PAINT_DIM, marks(t));
	if (r->out_terminal && r->width > used)
		room = r->width - used;
	/* Where nothing readable would fit, the name alone stands. */
	if (!r->out_terminal || room >= BRIEF_COLUMNS_LEAST)
		wrap_cut(out, buf_string(&brief), brief.len, room);
}

void text_tool(struct renderer *r, const struct tool *t,
	       const struct tools_record *of)
{
	CLEANUP(buf_done) struct buf b = { 0 };
	CLEANUP(buf_done) struct buf name = { 0 };
	wrap_name(&name, t->name);
	struct lead lead = { text_width(buf_string(&name), name.len),
			     of->name_width };
	term_painted(&b, r->out_color, PAINT_STRONG, buf_string(&name));
	add_brief(&b, r, t, &lead);
	buf_char(&b, '\n');
	put_out(r, &b);
}

static void safe_part(struct buf *out, const struct tree_line *line)
{
	text_safe(out, line->text, line->len, TEXT_NAME);
	if (out->len == 0)
		buf_text(out, "(no name)");
}

/* The columns up to the longest part. */
static size_t tree_columns(const struct tools_tree *tree)
{
	size_t columns = 0;
	for (size_t i = 0; i < tree->count; i++) {
		CLEANUP(buf_done) struct buf part = { 0 };
		safe_part(&part, &tree->line[i]);
		size_t used = 2 * tree->line[i].depth +
			      text_width(buf_string(&part), part.len);
		if (tree->line[i].tool && used > columns)
			columns = used;
	}
	return columns;
}

void text_tree(struct renderer *r, const struct tools_record *t)
{
	CLEANUP(tools_tree_done) struct tools_tree tree = { 0 };
	CLEANUP(buf_done) struct buf b = { 0 };
	tools_tree_init(&tree, t->list, t->filter);
	struct lead lead = { .column = tree_columns(&tree) };
	for (size_t i = 0; i < tree.count; i++) {
		const struct tree_line *line = &tree.line[i];
		CLEANUP(buf_done) struct buf part = { 0 };
		safe_part(&part, line);
		lead.used = 2 * line->depth +
			    text_width(buf_string(&part), part.len);
		wrap_pad(&b, 0, 2 * line->depth);
		term_painted(&b, r->out_color,
			     line->tool ? PAINT_STRONG : PAINT_NONE,
			     buf_string(&part));
		if (line->tool)
			add_brief(&b, r, line->tool, &lead);
		buf_char(&b, '\n');
		put_out(r, &b);
	}
}

static void add_pages(struct buf *out, const struct tools_record *t)
{
	buf_text(out, ", ");
	wrap_count(out, t->list->pages, "page");
}

/* In the largest unit that there are two of. */
static void add_age(struct buf *out, const struct tools_record *t)
{
	static const struct {
		int64_t seconds;
		const char *name;
	} units[] = { { 86400, "day" }, { 3600, "hour" }, { 60, "minute" } };
	int64_t age = t->age > 0 ? t->age : 0;
	size_t i = 0;

	while (i < COUNT(units) && age < 2 * units[i].seconds)
		i++;
	buf_text(out, ", listed ");
	if (i == COUNT(units))
		wrap_count(out, (uint64_t)age, "second");
	else
		wrap_count(out, (uint64_t)(age / units[i].seconds),
			   units[i].name);
	buf_printf(out, " ago from %s", t->kept);
}

/* "29 tools + 7 user-only, 2 pages" */
static void add_count(struct buf *out, const struct tools_record *t)
{
	size_t common = t->list->count - t->list->user_only;
	if (t->filter) {
		wrap_number(out, t->shown);
		buf_text(out, " shown of ");
	}
	wrap_count(out, common, "tool");
	if (t->list->user_only > 0) {
		buf_text(out, " + ");
		wrap_number(out, t->list->user_only);
		buf_text(out, " user-only");
	}
	if (t->kept)
		add_age(out, t);
	else
		add_pages(out, t);
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
