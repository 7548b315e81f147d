/* SPDX-License-Identifier: MIT */
/*
 * All about one tool as text: what it says of itself, its arguments, an
 * example, and what backends will do to it.
 */
#include <string.h>

#include "base/text.h"
#include "mcp/arguments.h"
#include "mcp/schema.h"
#include "out/arguments_rows.h"
#include "out/backends.h"
#include "out/lines.h"
#include "out/render_text.h"
#include "out/term.h"

#define ARGUMENT_COLUMNS_MOST 24

/* What all parts need: where to, and how. */
struct sheet {
	struct buf b;
	bool color;
	size_t width; /* 0: lines are not wrapped */
};

static void heading(struct sheet *s, const char *word)
{
	buf_char(&s->b, '\n');
	term_painted(&s->b, s->color, PAINT_KEY, word);
	buf_char(&s->b, '\n');
}

/* A paragraph, indented; lead stands before its first line. */
static void paragraph(struct sheet *s, const char *lead, const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { strlen(lead), strlen(lead), s->width };
	size_t len = strlen(text);
	while (len > 0 && strchr(" \t\r\n", text[len - 1]))
		len--;
	text_safe(&safe, text, len, TEXT_PARAGRAPH);
	buf_text(&s->b, lead);
	lines_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
}

/* A line to copy: never wrapped. */
static void copy_line(struct sheet *s, const char *text)
{
	buf_text(&s->b, "  ");
	lines_safe(&s->b, text);
	buf_char(&s->b, '\n');
}

static void add_title(struct sheet *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf name = { 0 };
	lines_safe(&name, t->name);
	term_painted(&s->b, s->color, PAINT_STRONG, buf_string(&name));
	if (t->user_only)
		term_painted(&s->b, s->color, PAINT_DIM, "  [user-only]");
	if (t->duplicate)
		term_painted(&s->b, s->color, PAINT_DIM, "  [twice]");
	buf_char(&s->b, '\n');
	bool titled = t->title && *t->title && strcmp(t->title, t->name) != 0;
	if (titled)
		paragraph(s, "  ", t->title);
	if (*t->description)
		paragraph(s, "  ", t->description);
	else if (!titled)
		paragraph(s, "  ", "(no description)");
}

/* The columns of the widest path, but no more than is sensible. */
static size_t path_columns(const struct argument_rows *rows)
{
	size_t columns = 0;
	for (size_t i = 0; i < rows->count; i++) {
		CLEANUP(buf_done) struct buf path = { 0 };
		lines_safe(&path, rows->row[i].path);
		size_t width = text_width(buf_string(&path), path.len);
		if (width > columns)
			columns = width;
	}
	return columns < ARGUMENT_COLUMNS_MOST ? columns :
						 ARGUMENT_COLUMNS_MOST;
}

/*
 * "integer 0..100, required". What stands below in rows of its own is not
 * said twice.
 */
static void add_rule(struct buf *out, const cJSON *root,
		     const struct argument_row *row, bool has_rows)
{
	bool array = json_member(row->schema, "items") != NULL;
	if (has_rows)
		buf_text(out, array ? "array of objects" : "object");
	else
		schema_describe_in(root, row->schema, out);
	if (row->required)
		buf_text(out, ", required");
	else if (!json_member(row->schema, "default"))
		buf_text(out, ", optional");
}

static void add_argument(struct sheet *s, const cJSON *root,
			 const struct argument_rows *rows, size_t index)
{
	const struct argument_row *row = &rows->row[index];
	bool has_rows = index + 1 < rows->count &&
			rows->row[index + 1].depth > row->depth;
	size_t columns = rows->columns;
	CLEANUP(buf_done) struct buf path = { 0 };
	CLEANUP(buf_done) struct buf rule = { 0 };
	CLEANUP(buf_done) struct buf lead = { 0 };
	const char *description = json_string(row->schema, "description");
	lines_safe(&path, row->path);
	buf_text(&s->b, "  ");
	term_painted(&s->b, s->color, PAINT_STRONG, buf_string(&path));
	lines_pad(&s->b, text_width(buf_string(&path), path.len), columns);
	add_rule(&rule, root, row, has_rows);
	lines_pad(&lead, 0, columns + 4);
	CLEANUP(buf_done) struct buf safe = { 0 };
	struct wrap how = { lead.len, lead.len, s->width };
	text_safe(&safe, buf_string(&rule), rule.len, TEXT_LINE);
	buf_text(&s->b, "  ");
	lines_wrap(&s->b, buf_string(&safe), safe.len, &how);
	buf_char(&s->b, '\n');
	if (description && *description)
		paragraph(s, buf_string(&lead), description);
}

static void add_arguments(struct sheet *s, const struct tool *t)
{
	CLEANUP(argument_rows_done) struct argument_rows rows = { 0 };
	argument_rows_init(&rows, t->schema);
	heading(s, "arguments");
	if (rows.count == 0)
		paragraph(s, "  ", "none");
	rows.columns = path_columns(&rows);
	for (size_t i = 0; i < rows.count; i++)
		add_argument(s, t->schema, &rows, i);
	if (rows.cut)
		paragraph(s, "  ", "… and more (-o json has the whole schema)");
}

static void add_example(struct sheet *s, const struct tool *t)
{
	CLEANUP(buf_done) struct buf example = { 0 };
	heading(s, "example");
	if (arguments_example(t, &example) != 0) {
		paragraph(s, "  ", "none was found that fits the schema");
		return;
	}
	copy_line(s, buf_string(&example));
}

static void add_backends(struct sheet *s, const struct describe_record *d)
{
	CLEANUP(words_done) struct words notes = { 0 };
	backend_notes(d->list, d->tool, &notes);
	if (notes.count == 0)
		return;
	heading(s, "backends");
	for (size_t i = 0; i < notes.count; i++)
		paragraph(s, "  - ", notes.word[i]);
}

void text_describe(struct renderer *r, const struct describe_record *d)
{
	struct sheet s = { .color = r->out_color,
			   .width = r->out_terminal ? r->width : 0 };
	CLEANUP(buf_done) struct buf usage = { 0 };
	add_title(&s, d->tool);
	arguments_usage(d->tool, &usage);
	heading(&s, "usage");
	copy_line(&s, buf_string(&usage));
	add_arguments(&s, d->tool);
	add_example(&s, d->tool);
	if (d->device)
		add_backends(&s, d);
	put_out(r, &s.b);
	buf_done(&s.b);
}
