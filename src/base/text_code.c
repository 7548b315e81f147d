/* SPDX-License-Identifier: MIT */
/*
 * Base64 (RFC 4648, section 4) and percent-encoding (RFC 3986, 2.1).
 */
#include <string.h>

#include "base/text.h"

#define CHUNK 3072

static int base64_value(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '+')
		return 62;
	return c == '/' ? 63 : -1;
}

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* What is read so far: digits and padding, and bits that are no byte yet. */
struct base64 {
	size_t digits, padding;
	uint32_t bits;
	unsigned char bytes[CHUNK];
	size_t count;
};

static int take_digit(struct base64 *b, char c, struct buf *out)
{
	int value = base64_value(c);

	if (c == '=') {
		b->padding++;
		return 0;
	}
	if (value < 0 || b->padding)
		return -1;
	b->bits = b->bits << 6 | (uint32_t)value;
	/* Each digit but the first of four completes a byte. */
	if (b->digits++ % 4 == 0)
		return 0;
	b->bytes[b->count++] =
		(unsigned char)(b->bits >> (6 - 2 * ((b->digits - 1) % 4)));
	if (b->count < CHUNK)
		return 0;
	b->count = 0;
	return buf_add(out, b->bytes, CHUNK);
}

int text_base64_decode(const char *text, size_t len, struct buf *out)
{
	struct base64 b = { .digits = 0 };
	size_t start = out->len, i;
	int bad = 0;

	for (i = 0; i < len && !bad; i++) {
		if (!is_space(text[i]))
			bad = take_digit(&b, text[i], out);
	}
	if (b.digits % 4 == 1 ||
	    (b.padding && (b.padding > 2 || (b.digits + b.padding) % 4)))
		bad = -1;
	if (!bad)
		bad = buf_add(out, b.bytes, b.count);
	if (bad && out->data) {
		out->len = start;
		out->data[start] = '\0';
	}
	return bad;
}

void text_base64_encode(struct buf *out, const void *data, size_t len)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				     "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;
	size_t at, i;

	for (at = 0; at < len; at += 3) {
		char four[4] = { '=', '=', '=', '=' };
		uint32_t bits = 0;

		for (i = at; i < at + 3; i++)
			bits = bits << 8 | (i < len ? p[i] : 0U);
		/* One digit more than there are bytes. */
		for (i = 0; i < 4 && (i == 0 || at + i - 1 < len); i++)
			four[i] = digits[bits >> (18 - 6 * i) & 63];
		buf_add(out, four, sizeof(four));
	}
}

/* The byte that two hexadecimal digits stand for; 0 if they are none. */
static unsigned hex_byte(const char *p)
{
	unsigned value = 0;
	int i;

	for (i = 0; i < 2; i++) {
		int c = text_lower(p[i]);

		if (c >= '0' && c <= '9')
			value = value << 4 | (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (unsigned)(c - 'a' + 10);
		else
			return 0;
	}
	return value;
}

int text_percent_decode(char *text)
{
	const char *from;
	char *to = text;

	/* Look at all escapes first: on -1 the text is as it was. */
	for (from = strchr(text, '%'); from; from = strchr(from + 1, '%')) {
		if (!hex_byte(from + 1))
			return -1;
	}
	for (from = text; *from; from++) {
		if (*from == '%') {
			*to++ = (char)hex_byte(from + 1);
			from += 2;
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
	return 0;
}
