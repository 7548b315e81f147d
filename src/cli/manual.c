/* SPDX-License-Identifier: MIT */
/*
 * The text format of help, and its two writers.
 */
#include <ctype.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "cli/manual.h"

/*
 * Help text on a terminal: paragraphs filled, lists in two columns.
 */

/* The next line; false at the end. *at moves on. */
static bool manual_next(const char **at, struct manual_line *out)
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
static size_t item_column(const char *at, const struct manual_line *first,
			  size_t page)
{
	struct manual_line line = *first;
	size_t widest = 0;

	do {
		size_t width = text_width(line.term, line.term_len);

		if (width <= 24 && width > widest)
			widest = width;
	} while (manual_next(&at, &line) && line.kind == MANUAL_ITEM);
	/* A narrow page has no room for two columns. */
	widest = 2 + (widest ? widest : 8) + 2;
	return widest > page / 2 ? 6 : widest;
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
			l.column = item_column(text, &line, width);
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

/*
 * mdoc source from plain text. The traps: a line that begins with '.' or an
 * apostrophe is a request, a backslash an escape, and quotes, hyphens and
 * accents change their shape unless they are escaped.
 */

/* Columns of the source. mandoc's lint wants 80. */
#define MDOC_WIDTH 76

static void put_char(struct buf *out, char c)
{
	static const char from[] = "\\'`^~\"-";
	static const char *const to[] = { "\\e",   "\\(aq", "\\(ga", "\\(ha",
					  "\\(ti", "\\(dq", "\\-" };
	const char *place = c ? strchr(from, c) : NULL;

	if (place)
		buf_text(out, to[place - from]);
	else
		buf_char(out, c);
}

/* Not every terminal has the one character. Returns its bytes, 0 if it is none. */
static size_t put_ellipsis(struct buf *out, const char *at, size_t len)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	size_t size = sizeof(ellipsis) - 1;

	if (len < size || memcmp(at, ellipsis, size) != 0)
		return 0;
	buf_text(out, "...");
	return size;
}

/* Each character as it is. */
static void put_plain(struct buf *out, const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		size_t n = put_ellipsis(out, text + i, len - i);

		if (n > 0)
			i += n - 1;
		else
			put_char(out, text[i]);
	}
}

/*
 * A hyphen inside a word is one, where a line may be broken. Before a word,
 * and in the name of an option, it is a minus.
 */
static void put_word(struct buf *out, const char *word, size_t len)
{
	bool option = memmem(word, len, "--", 2) != NULL;
	size_t start = 0;

	for (size_t i = 1; !option && i < len; i++) {
		if (word[i] != '-' || !isalpha((unsigned char)word[i - 1]))
			continue;
		put_plain(out, word + start, i - start);
		buf_char(out, '-');
		start = i + 1;
	}
	put_plain(out, word + start, len - start);
}

/* "(…)." too, but neither "1." nor "...". */
static bool ends_sentence(const char *word, size_t len)
{
	if (len <= 2 && isdigit((unsigned char)*word))
		return false;
	while (len > 1 && (word[len - 1] == ')' || word[len - 1] == '\''))
		len--;
	return len > 1 && strchr(".!?", word[len - 1]) && word[len - 2] != '.';
}

/* line as a line of the source; it is empty then. */
static void write_line(FILE *out, struct buf *line)
{
	if (line->len == 0)
		return;
	if (*line->data == '.')
		fputs("\\&", out);
	fprintf(out, "%s\n", buf_string(line));
	buf_reset(line);
}

void mdoc_text(FILE *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf line = { 0 }, word = { 0 };
	const char *end = text + len;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		put_word(&word, text, n);
		if (line.len + 1 + word.len > MDOC_WIDTH)
			write_line(out, &line);
		if (n > 0)
			buf_printf(&line, "%s%s", line.len ? " " : "",
				   buf_string(&word));
		if (n > 0 && ends_sentence(text, n))
			write_line(out, &line);
		buf_reset(&word);
		text += n + 1;
	}
	write_line(out, &line);
}

void mdoc_literal(FILE *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf line = { 0 };

	put_plain(&line, text, len);
	if (len > 0 && *text == '.')
		fputs("\\&", out);
	fprintf(out, "%s\n", buf_string(&line));
}

void mdoc_word(FILE *out, const char *word)
{
	CLEANUP(buf_done) struct buf plain = { 0 };

	put_plain(&plain, word, strlen(word));
	fputs(buf_string(&plain), out);
}

/* Arguments of a macro: words that are neither macros nor punctuation. */
static void mdoc_words(FILE *out, const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf line = { 0 };
	const char *end = text + len;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		/* Two or three letters may be the name of a macro. */
		buf_printf(&line, "%s\\&", line.len ? " " : "");
		put_plain(&line, text, n);
		if (n > 1 && strchr("])", text[n - 1]))
			buf_text(&line, "\\&");
		text += n + 1;
	}
	fputs(buf_string(&line), out);
}

static size_t operand_length(const char *at)
{
	size_t n = 0;

	while (at[n] && !strchr(" []", at[n]) && strncmp(at + n, "...", 3) != 0)
		n++;
	return n;
}

void mdoc_operands(FILE *out, const char *args)
{
	const char *at = args ? args : "";

	while (*at) {
		size_t n = operand_length(at);

		if (*at == '[')
			fputs(" Oo", out);
		else if (*at == ']')
			fputs(" Oc", out);
		else if (strncmp(at, "...", 3) == 0)
			fputs(at > args && at[-1] != ' ' ? " Ns ..." : " ...",
			      out);
		else if (*at == '-' && n > 1)
			fprintf(out, " Fl %.*s", (int)(n - 1), at + 1);
		else if (n > 0 && islower((unsigned char)*at))
			fprintf(out, " Cm %.*s", (int)n, at);
		else if (n > 0)
			fprintf(out, " Ar %.*s", (int)n, at);
		if (n > 0 && *at != '[' && *at != ']')
			at += n;
		else
			at += strncmp(at, "...", 3) == 0 ? 3 : 1;
	}
}

struct mdoc_writer {
	FILE *out;
	bool any; /* something was written */
	bool apart; /* an empty line came */
	bool literal, list;
};

static void leave(struct mdoc_writer *w)
{
	if (w->literal)
		fputs(".Ed\n", w->out);
	if (w->list)
		fputs(".El\n", w->out);
	w->literal = w->list = false;
}

static void write_paragraph(struct mdoc_writer *w,
			    const struct manual_line *line)
{
	leave(w);
	if (w->any && w->apart)
		fputs(".Pp\n", w->out);
	mdoc_text(w->out, line->text, line->len);
}

static void write_literal(struct mdoc_writer *w, const struct manual_line *line)
{
	size_t indent = line->text[0] == '\t' ? 1 : 2;

	if (!w->literal) {
		leave(w);
		fputs(".Bd -literal -offset indent\n", w->out);
		w->literal = true;
	} else if (w->apart) {
		fputc('\n', w->out);
	}
	mdoc_literal(w->out, line->text + indent, line->len - indent);
}

static void write_item(struct mdoc_writer *w, const struct manual_line *line)
{
	if (!w->list) {
		leave(w);
		fputs(".Bl -tag -width Ds\n", w->out);
		w->list = true;
	}
	fputs(".It Cm ", w->out);
	mdoc_words(w->out, line->term, line->term_len);
	fputc('\n', w->out);
	mdoc_text(w->out, line->text, line->len);
}

void mdoc_manual(FILE *out, const char *text, bool follows)
{
	struct mdoc_writer w = { .out = out, .any = follows, .apart = follows };
	struct manual_line line;

	while (manual_next(&text, &line)) {
		switch (line.kind) {
		case MANUAL_TEXT:
			write_paragraph(&w, &line);
			break;
		case MANUAL_LITERAL:
			write_literal(&w, &line);
			break;
		case MANUAL_ITEM:
			write_item(&w, &line);
			break;
		case MANUAL_BREAK:
			break;
		}
		w.apart = line.kind == MANUAL_BREAK;
		w.any = w.any || line.kind != MANUAL_BREAK;
	}
	leave(&w);
}
