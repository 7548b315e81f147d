/* SPDX-License-Identifier: MIT */
/*
 * Cutting and wrapping for terminals. Knows columns, not colours or streams.
 */
#include "out/wrap.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WIDTH_LEAST 20 /* a narrower terminal is treated as this wide */
#define BESIDE_LEAST 13 /* columns beside an indent; else it is the one below */
#define INDENT_LEAST 2

void wrap_cut(struct buf *out, const char *text, size_t len, size_t columns)
{
	if (columns == 0 || text_width(text, len) <= columns) {
		buf_add(out, text, len);
		return;
	}
	buf_add(out, text, text_fit(text, len, columns - 1));
	buf_text(out, "…");
}

void wrap_pad(struct buf *out, size_t used, size_t columns)
{
	for (; used < columns; used++)
		buf_char(out, ' ');
}

static size_t spaces(const char *text, size_t len)
{
	size_t n = 0;
	while (n < len && text[n] == ' ')
		n++;
	return n;
}

static size_t word_length(const char *text, size_t len)
{
	size_t n = 0;
	while (n < len && text[n] != ' ')
		n++;
	return n;
}

static void line_break(struct buf *out, const struct wrap *how, size_t *column)
{
	buf_char(out, '\n');
	wrap_pad(out, 0, how->indent);
	*column = how->indent;
}

/* A word that is longer than a line: as much as fits, line by line. */
static void add_long_word(struct buf *out, const char *word, size_t len,
			  const struct wrap *how, size_t *column)
{
	while (len > 0) {
		size_t room = how->width > *column ? how->width - *column : 0;
		size_t fit = text_fit(word, len, room);
		if (fit == 0 && *column > how->indent) {
			line_break(out, how, column);
			continue;
		}
		if (fit == 0)
			fit = text_fit(word, len, 2);
		if (fit == 0)
			fit = len;
		buf_add(out, word, fit);
		*column += text_width(word, fit);
		word += fit;
		len -= fit;
	}
}

/* One line of the text, without its end. */
static void wrap_line(struct buf *out, const char *text, size_t len,
		      const struct wrap *how, size_t *column)
{
	size_t at = 0, start = *column;
	while (at < len) {
		size_t gap = spaces(text + at, len - at);
		const char *word = text + at + gap;
		size_t size = word_length(word, len - at - gap);
		size_t columns = text_width(word, size);
		if (*column + gap + columns > how->width && *column > start &&
		    columns <= how->width - how->indent) {
			line_break(out, how, column);
			start = *column;
			gap = 0;
		}
		wrap_pad(out, 0, gap);
		*column += gap;
		add_long_word(out, word, size, how, column);
		if (*column < start) /* it went to the next line by itself */
			start = how->indent;
		at = (size_t)(word - text) + size;
	}
}

void wrap_wrap(struct buf *out, const char *text, size_t len,
	       const struct wrap *how)
{
	struct wrap wide = *how;
	size_t column = how->column;
	if (wide.width == 0)
		wide.width = SIZE_MAX;
	else if (wide.width < WIDTH_LEAST)
		wide.width = WIDTH_LEAST;
	if (wide.width < wide.indent + BESIDE_LEAST &&
	    wide.indent > INDENT_LEAST)
		wide.indent = INDENT_LEAST;
	while (len > 0) {
		const char *end = memchr(text, '\n', len);
		size_t size = end ? (size_t)(end - text) : len;
		wrap_line(out, text, size, &wide, &column);
		if (!end)
			return;
		text += size + 1;
		len -= size + 1;
		if (len == 0)
			return;
		buf_char(out, '\n');
		column = wide.indent;
		/* An empty line stays empty. */
		if (*text != '\n')
			wrap_pad(out, 0, wide.indent);
	}
}

void wrap_number(struct buf *out, uint64_t number)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%" PRIu64, number);
	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			buf_char(out, ',');
		buf_char(out, digits[i]);
	}
}

void wrap_count(struct buf *out, uint64_t number, const char *word)
{
	wrap_number(out, number);
	buf_printf(out, " %s%s", word, number == 1 ? "" : "s");
}

size_t wrap_first(const char *text, const char **start)
{
	text += strspn(text, " \t\r\n");
	size_t len = strcspn(text, "\r\n");
	while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
		len--;
	*start = text;
	return len;
}

void wrap_safe(struct buf *out, const char *text)
{
	text_safe(out, text, strlen(text), TEXT_LINE);
}

void wrap_safe_paragraph(struct buf *out, const char *text)
{
	text_safe(out, text, strlen(text), TEXT_PARAGRAPH);
}

void wrap_name(struct buf *out, const char *text)
{
	text_safe(out, text, strlen(text), TEXT_NAME);
}

size_t wrap_columns(const char *text)
{
	CLEANUP(buf_done) struct buf safe = { 0 };
	wrap_name(&safe, text);
	return text_width(buf_string(&safe), safe.len);
}
