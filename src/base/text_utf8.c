/* SPDX-License-Identifier: MIT */
/*
 * UTF-8: checked and decoded.
 */
#include "base/text.h"

static bool continues(unsigned char c)
{
	return (c & 0xc0) == 0x80;
}

/*
 * The table of well-formed byte sequences of the Unicode Standard (3-7), as
 * conditions: the second byte excludes overlong forms and surrogates.
 */
size_t text_utf8(const char *text, size_t len)
{
	const unsigned char *p = (const unsigned char *)text;

	if (len == 0)
		return 0;
	if (p[0] < 0x80)
		return 1;
	if (p[0] < 0xc2 || p[0] > 0xf4 || len < 2 || !continues(p[1]))
		return 0;
	if (p[0] < 0xe0)
		return 2;
	if (len < 3 || !continues(p[2]))
		return 0;
	if (p[0] < 0xf0) {
		if ((p[0] == 0xe0 && p[1] < 0xa0) ||
		    (p[0] == 0xed && p[1] > 0x9f))
			return 0;
		return 3;
	}
	if (len < 4 || !continues(p[3]) || (p[0] == 0xf0 && p[1] < 0x90) ||
	    (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return 4;
}

uint32_t text_point(const char *text, size_t size)
{
	static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	const unsigned char *p = (const unsigned char *)text;
	uint32_t point;
	size_t i;

	if (size == 0 || size > 4)
		return 0;
	point = p[0] & lead_bits[size];
	for (i = 1; i < size; i++)
		point = point << 6 | (p[i] & 0x3f);
	return point;
}

bool text_is_utf8(const char *text, size_t len)
{
	size_t at, size;

	for (at = 0; at < len; at += size) {
		size = text_utf8(text + at, len - at);
		if (!size)
			return false;
	}
	return true;
}

size_t text_cut(const char *text, size_t len, size_t max)
{
	size_t end = max;

	if (len <= max)
		return len;
	/* A character has three such bytes at most. */
	while (end > 0 && max - end < 3 && continues((unsigned char)text[end]))
		end--;
	return end;
}
