/* SPDX-License-Identifier: MIT */
/*
 * The growing byte buffer. Every addition passes room(), which alone knows
 * the ceiling and moves the memory.
 */
#include "base/buf.h"
#include "base/mem.h"
#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

#define FIRST_SIZE 64
#define PRINTF_GUESS 128

void buf_init(struct buf *b, size_t max)
{
	*b = (struct buf){ .max = max };
}

void buf_done(struct buf *b)
{
	if (!b)
		return;
	mem_free(b->data);
	*b = (struct buf){ 0 };
}

void buf_reset(struct buf *b)
{
	b->len = 0;
	b->full = false;
	if (b->data)
		b->data[0] = '\0';
}

/* Memory for more bytes and the NUL behind them; -1 if max forbids it. */
static int room(struct buf *b, size_t more)
{
	size_t need, size;

	if (b->max && more > b->max - b->len) {
		b->full = true;
		return -1;
	}
	if (b->capacity - b->len > more)
		return 0;
	/* Only a length that cannot exist overflows: let realloc refuse it. */
	if (__builtin_add_overflow(b->len, more, &need) ||
	    __builtin_add_overflow(need, 1, &need))
		need = SIZE_MAX;
	size = b->capacity < SIZE_MAX / 2 ? b->capacity * 2 : need;
	if (size < FIRST_SIZE)
		size = FIRST_SIZE;
	if (b->max && b->max < SIZE_MAX && size > b->max + 1)
		size = b->max + 1;
	if (size < need)
		size = need;
	b->data = mem_realloc(b->data, size);
	b->capacity = size;
	return 0;
}

int buf_add(struct buf *b, const void *data, size_t len)
{
	if (room(b, len))
		return -1;
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
	b->data[b->len] = '\0';
	return 0;
}

int buf_text(struct buf *b, const char *text)
{
	return buf_add(b, text, strlen(text));
}

int buf_add_cut(struct buf *b, const char *text, size_t len, size_t max)
{
	size_t cut = text_cut(text, len, max);
	int status = buf_add(b, text, cut);

	return status == 0 && cut < len ? buf_text(b, "…") : status;
}

int buf_char(struct buf *b, char c)
{
	return buf_add(b, &c, 1);
}

int buf_printf(struct buf *b, const char *format, ...)
{
	int status;
	va_list args;

	va_start(args, format);
	status = buf_vprintf(b, format, args);
	va_end(args);
	return status;
}

int buf_vprintf(struct buf *b, const char *format, va_list args)
{
	char guess[PRINTF_GUESS];
	va_list again;
	int len, status = -1;

	va_copy(again, args);
	len = vsnprintf(guess, sizeof(guess), format, args);
	if (len >= 0 && (size_t)len < sizeof(guess)) {
		status = buf_add(b, guess, (size_t)len);
	} else if (len >= 0 && !room(b, (size_t)len)) {
		vsnprintf(b->data + b->len, (size_t)len + 1, format, again);
		b->len += (size_t)len;
		status = 0;
	}
	va_end(again);
	return status;
}

/* How many bytes from text on can stand in a JSON string as they are. */
static size_t plain(const char *text, size_t len)
{
	size_t i = 0;

	while (i < len) {
		unsigned char c = (unsigned char)text[i];
		size_t size = 1;

		if (c < 0x20 || c == '"' || c == '\\')
			break;
		if (c >= 0x80)
			size = text_utf8(text + i, len - i);
		if (!size)
			break;
		i += size;
	}
	return i;
}

static int add_escape(struct buf *b, unsigned char c)
{
	/* clang-format off */
	static const char letters[] = {
		['\b'] = 'b', ['\t'] = 't', ['\n'] = 'n', ['\f'] = 'f',
		['\r'] = 'r', ['"'] = '"', ['\\'] = '\\',
	};
	/* clang-format on */
	char escape[2] = { '\\', 0 };

	if (c >= 0x80) /* not UTF-8: JSON has no place for such a byte */
		return buf_text(b, "\\ufffd");
	if (c >= sizeof(letters) || !letters[c])
		return buf_printf(b, "\\u%04x", c);
	escape[1] = letters[c];
	return buf_add(b, escape, 2);
}

int buf_json_string(struct buf *b, const char *text, size_t len)
{
	size_t start = b->len, at = 0;
	int bad = buf_char(b, '"');

	while (!bad && at < len) {
		size_t run = plain(text + at, len - at);

		bad = buf_add(b, text + at, run);
		at += run;
		if (!bad && at < len)
			bad = add_escape(b, (unsigned char)text[at++]);
	}
	if (!bad)
		bad = buf_char(b, '"');
	if (bad && b->data) {
		b->len = start;
		b->data[start] = '\0';
	}
	return bad;
}

void buf_consume(struct buf *b, size_t n)
{
	if (!b->data || !n)
		return;
	if (n > b->len)
		n = b->len;
	memmove(b->data, b->data + n, b->len - n + 1);
	b->len -= n;
}

void buf_cut(struct buf *b, size_t len)
{
	if (len >= b->len)
		return;
	b->len = len;
	b->data[len] = '\0';
}

void buf_trim(struct buf *b, size_t from, const char *these)
{
	size_t len = b->len;

	while (len > from && b->data[len - 1] &&
	       strchr(these, b->data[len - 1]))
		len--;
	buf_cut(b, len);
}

char *buf_take(struct buf *b)
{
	char *text = b->data ? b->data : mem_strdup("");

	buf_init(b, b->max);
	return text;
}

const char *buf_string(const struct buf *b)
{
	return b->data ? b->data : "";
}
