/* SPDX-License-Identifier: MIT */
/*
 * mdoc source from plain text. The traps: a line that begins with '.' or an
 * apostrophe is a request, a backslash an escape, and quotes, hyphens and
 * accents change their shape unless they are escaped.
 */
#include "cli/mdoc.h"

#include <ctype.h>
#include <string.h>

#include "base/base.h"
#include "cli/manual.h"

#define MDOC_WIDTH 76

static void put_char(FILE *out, char c)
{
	static const char from[] = "\\'`^~\"-";
	static const char *const to[] = { "\\e",   "\\(aq", "\\(ga", "\\(ha",
					  "\\(ti", "\\(dq", "\\-" };
	const char *place = c ? strchr(from, c) : NULL;

	if (place)
		fputs(to[place - from], out);
	else
		fputc(c, out);
}

/* Not every terminal has the one character. Returns its bytes, 0 if it is none. */
static size_t put_ellipsis(FILE *out, const char *at, size_t len)
{
	static const char ellipsis[] = "\xe2\x80\xa6";
	size_t size = sizeof(ellipsis) - 1;

	if (len < size || memcmp(at, ellipsis, size) != 0)
		return 0;
	fputs("...", out);
	return size;
}

/*
 * A hyphen inside a word is one, where a line may be broken. Before a word,
 * and in the name of an option, it is a minus.
 */
static void put_word(FILE *out, const char *word, size_t len)
{
	bool option = memmem(word, len, "--", 2) != NULL;

	for (size_t i = 0; i < len; i++) {
		size_t n = put_ellipsis(out, word + i, len - i);

		if (n > 0)
			i += n - 1;
		else if (word[i] == '-' && !option && i > 0 &&
			 isalpha((unsigned char)word[i - 1]))
			fputc('-', out);
		else
			put_char(out, word[i]);
	}
}

/* "(…)." too, but neither "1." nor "...". */
static bool ends_sentence(const char *word, size_t len)
{
	if (isdigit((unsigned char)*word))
		return false;
	while (len > 1 && (word[len - 1] == ')' || word[len - 1] == '\''))
		len--;
	return len > 1 && strchr(".!?", word[len - 1]) && word[len - 2] != '.';
}

void mdoc_text(FILE *out, const char *text, size_t len)
{
	const char *end = text + len;
	size_t column = 0;

	while (text < end) {
		const char *space = memchr(text, ' ', (size_t)(end - text));
		size_t n = (size_t)((space ? space : end) - text);

		if (column > 0 && n > 0 && column + 1 + n > MDOC_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		if (n > 0) {
			if (column > 0)
				fputc(' ', out);
			else if (*text == '.' || *text == '\'')
				fputs("\\&", out);
			put_word(out, text, n);
			column += n + 1;
		}
		if (n > 0 && ends_sentence(text, n)) {
			fputc('\n', out);
			column = 0;
		}
		text += n + 1;
	}
	if (column > 0)
		fputc('\n', out);
}

void mdoc_literal(FILE *out, const char *text, size_t len)
{
	if (len > 0 && (*text == '.' || *text == '\''))
		fputs("\\&", out);
	for (size_t i = 0; i < len; i++) {
		size_t n = put_ellipsis(out, text + i, len - i);

		if (n > 0)
			i += n - 1;
		else
			put_char(out, text[i]);
	}
	fputc('\n', out);
}

/* Arguments of a macro: words that are no macros. */
static void mdoc_words(FILE *out, const char *text, size_t len)
{
	bool start = true;

	for (size_t i = 0; i < len; i++) {
		/* Two or three letters may be the name of a macro. */
		if (start)
			fputs("\\&", out);
		start = text[i] == ' ';
		put_char(out, text[i]);
	}
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
