/* SPDX-License-Identifier: MIT */
/*
 * The quoting of the word at the cursor.
 */
#include "shell/edit_quote.h"

#include <string.h>

#include "base/split.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void begin_word(struct quoted_word *w, size_t at)
{
	buf_reset(&w->text);
	w->start = at;
	w->plain = true;
}

/* A character inside quotes; returns how many bytes it takes. */
static size_t inside(struct quoted_word *w, const char *p)
{
	if (*p == w->quote) {
		w->quote = '\0';
		return 1;
	}
	if (w->quote == '"' && *p == '\\' && p[1] && strchr("\"\\$`\n", p[1])) {
		if (p[1] != '\n')
			buf_char(&w->text, p[1]);
		return 2;
	}
	w->dangling = w->quote == '"' && *p == '\\' && !p[1];
	buf_char(&w->text, *p);
	return 1;
}

/* A character outside of quotes, no blank. */
static size_t outside(struct quoted_word *w, const char *p)
{
	if (*p == '\'' || *p == '"') {
		w->quote = *p;
		w->plain = false;
		return 1;
	}
	if (*p == '\\') {
		w->plain = false;
		w->dangling = !p[1];
		if (p[1] && p[1] != '\n')
			buf_char(&w->text, p[1]);
		return p[1] ? 2 : 1;
	}
	buf_char(&w->text, *p);
	return 1;
}

void quoted_word_find(struct quoted_word *out, const char *line)
{
	const char *p = line;

	*out = (struct quoted_word){ .plain = true };
	while (*p) {
		if (out->quote) {
			p += inside(out, p);
		} else if (is_blank(*p)) {
			p++;
			begin_word(out, (size_t)(p - line));
		} else {
			p += outside(out, p);
		}
	}
}

void quoted_word_done(struct quoted_word *w)
{
	buf_done(&w->text);
	*w = (struct quoted_word){ 0 };
}

static void more_in_quotes(struct buf *out, char quote, const char *text)
{
	for (; *text; text++) {
		if (quote == '\'' && *text == '\'') {
			buf_text(out, "'\\''");
			continue;
		}
		if (quote == '"' && strchr("\"\\$`", *text))
			buf_char(out, '\\');
		buf_char(out, *text);
	}
}

void quoted_word_more(struct buf *out, const struct quoted_word *w,
		      const char *text, bool closed)
{
	size_t from = out->len;

	if (w->quote) {
		more_in_quotes(out, w->quote, text);
		if (closed)
			buf_char(out, w->quote);
		return;
	}
	if (!*text)
		return;
	words_quote(out, text);
	/* words_quote ends with the quote that it began with. */
	if (!closed && out->data[from] == '\'')
		out->data[--out->len] = '\0';
}
