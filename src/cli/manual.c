/* SPDX-License-Identifier: MIT */
/*
 * Help text on a terminal: paragraphs filled, lists in two columns.
 */
#include "cli/manual.h"

#include <string.h>

#include "base/text.h"

bool manual_next(const char **at, struct manual_line *out)
{
	const char *line = *at;

	if (!*line)
		return false;

	size_t len = strcspn(line, "\n");
	const char *tab = memchr(line, '\t', len);

	*out = (struct manual_line){ .text = line, .len = len };
	*at = line + len + (line[len] == '\n');
	if (len == 0) {
		out->kind = MANUAL_BREAK;
	} else if (line[0] == '\t' || strncmp(line, "  ", 2) == 0) {
		out->kind = MANUAL_LITERAL;
	} else if (tab) {
		out->kind = MANUAL_ITEM;
		out->term = line;
		out->term_len = (size_t)(tab - line);
		out->text = tab + 1;
		out->len = len - out->term_len - 1;
	}
	return true;
}

/* A pen on a line that knows its column. */
struct pen {
	FILE *out;
	size_t column, indent, width;
};

static void pen_break(struct pen *p)
{
	fputc('\n', p->out);
	p->column = 0;
}

static void pen_to(struct pen *p, size_t column)
{
	for (; p->column < column; p->column++)
		fputc(' ', p->out);
}

static void pen_word(struct pen *p, const char *word, size_t len)
{
	size_t columns = text_width(word, len);
	bool first = p->column <= p->indent;

	if (!first && p->column + 1 + columns > p->width) {
		pen_break(p);
		first = true;
	}
	pen_to(p, first ? p->indent : p->column + 1);
	fwrite(word, 1, len, p->out);
	p->column += columns;
}

static void pen_fill(struct pen *p, const char *text, size_t len)
{
	const char *end = text + len;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		if (n > 0)
			pen_word(p, text, n);
		text += n + 1;
	}
}

static void item(FILE *out, const struct manual_layout *l,
		 const struct manual_line *line)
{
	struct pen p = { .out = out, .width = l->width };

	pen_to(&p, l->indent);
	fwrite(line->term, 1, line->term_len, out);
	p.column += text_width(line->term, line->term_len);
	if (line->len > 0 && p.column + 2 > l->column)
		pen_break(&p);
	p.indent = l->column;
	pen_fill(&p, line->text, line->len);
	pen_break(&p);
}

void manual_item(FILE *out, const struct manual_layout *l, const char *term,
		 const char *text)
{
	struct manual_line line = { .term = term,
				    .term_len = strlen(term),
				    .text = text,
				    .len = strlen(text) };

	item(out, l, &line);
}

/* Where the texts of a run of items begin, so that most terms fit before it. */
static size_t item_column(const char *at, const struct manual_line *first)
{
	struct manual_line line = *first;
	size_t widest = 0;

	do {
		size_t width = text_width(line.term, line.term_len);

		if (width <= 24 && width > widest)
			widest = width;
	} while (manual_next(&at, &line) && line.kind == MANUAL_ITEM);
	return 2 + (widest ? widest : 8) + 2;
}

void manual_print(FILE *out, const char *text, size_t width)
{
	struct pen p = { .out = out, .width = width };
	struct manual_layout l = { .indent = 2, .width = width };
	struct manual_line line;
	bool listing = false;

	while (manual_next(&text, &line)) {
		if (line.kind != MANUAL_TEXT && p.column > 0)
			pen_break(&p);
		if (line.kind == MANUAL_ITEM && !listing)
			l.column = item_column(text, &line);
		listing = line.kind == MANUAL_ITEM;
		switch (line.kind) {
		case MANUAL_TEXT:
			pen_fill(&p, line.text, line.len);
			break;
		case MANUAL_LITERAL:
			fprintf(out, "%.*s\n", (int)line.len, line.text);
			break;
		case MANUAL_ITEM:
			item(out, &l, &line);
			break;
		case MANUAL_BREAK:
			fputc('\n', out);
			break;
		}
	}
	if (p.column > 0)
		pen_break(&p);
}
