/* SPDX-License-Identifier: MIT */
/*
 * Words as they are typed, with quotes that may be open still. base/split.c is
 * for lines that are finished.
 */
#include <string.h>

#include "base/mem.h"
#include "cli/complete_private.h"

void typed_word_done(struct typed_word *w)
{
	buf_done(&w->text);
	*w = (struct typed_word){ 0 };
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* A backslash at p; the bytes that it takes. */
static size_t escaped(struct typed_word *w, const char *p)
{
	if (!p[1]) {
		w->escape = true;
		return 1;
	}
	if (p[1] == '\n')
		return 2;
	/* Between double quotes it is a character, but before these. */
	if (w->quote && !strchr("\"\\$`", p[1]))
		buf_char(&w->text, '\\');
	buf_char(&w->text, p[1]);
	return 2;
}

size_t typed_word_read(struct typed_word *w, const char *text, bool stop)
{
	const char *p = text;

	while (*p) {
		if (stop && !w->quote && (is_blank(*p) || *p == '|'))
			break;
		if (*p == '\\' && w->quote != '\'') {
			p += escaped(w, p);
			continue;
		}
		if (w->quote && *p == w->quote) {
			w->quote = '\0';
		} else if (!w->quote && (*p == '"' || *p == '\'')) {
			w->quote = *p;
			w->open = (size_t)(p - text) + 1;
		} else {
			buf_char(&w->text, *p);
		}
		p++;
	}
	return (size_t)(p - text);
}

struct line {
	struct words words;
	struct typed_word last; /* at the cursor */
	bool foreign; /* a line for sh */
	bool comment;
};

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p) || (p[0] == '\\' && p[1] == '\n'))
		p += is_blank(*p) ? 1 : 2;
	return p;
}

static void read_line(struct line *l, const char *p)
{
	p = skip_blanks(p);
	if (*p == '!') {
		l->foreign = true;
		p = skip_blanks(p + 1);
	}
	while (*p) {
		if (*p == '|') {
			l->foreign = true;
			words_done(&l->words);
			p = skip_blanks(p + 1);
			continue;
		}
		if (*p == '#' && !l->foreign) {
			l->comment = true;
			return;
		}
		typed_word_done(&l->last);
		p += typed_word_read(&l->last, p, true);
		if (!*p)
			return;
		words_add(&l->words, buf_string(&l->last.text));
		typed_word_done(&l->last);
		p = skip_blanks(p);
	}
}

void complete_line(struct completion *out, const char *line,
		   const struct schema_source *source)
{
	struct line l = { 0 };

	*out = (struct completion){ 0 };
	read_line(&l, line);
	const struct complete_question q = { .words = l.words.word,
					     .count = l.words.count,
					     .word = buf_string(&l.last.text),
					     .inside = true };

	if (!l.foreign && !l.comment)
		complete(out, &q, source);
	/* sh's first word is a command, and those are not known here. */
	else if (l.foreign && (q.count > 0 || strchr(q.word, '/')))
		out->files = true;
	words_done(&l.words);
	typed_word_done(&l.last);
}
