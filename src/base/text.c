/* SPDX-License-Identifier: MIT */
/*
 * Comparing and searching text without ASCII case; globs. No locale.
 */
#include "base/text.h"

#include <string.h>

uint64_t text_hash(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325u;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3u;
	return hash;
}

int text_lower(char c)
{
	int byte = (unsigned char)c;

	return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static bool starts_folded(const char *text, const char *word)
{
	while (*word && text_lower(*text) == text_lower(*word)) {
		text++;
		word++;
	}
	return !*word;
}

const char *text_find(const char *text, const char *word)
{
	if (!*word)
		return text;
	for (; *text; text++) {
		if (starts_folded(text, word))
			return text;
	}
	return NULL;
}

bool text_same(const char *a, const char *b)
{
	if (!a || !b)
		return false;
	while (*a && text_lower(*a) == text_lower(*b)) {
		a++;
		b++;
	}
	return text_lower(*a) == text_lower(*b);
}

bool text_starts(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

size_t text_mark(const char *text, size_t len)
{
	static const char mark[] = { '\xef', '\xbb', '\xbf' };

	if (len < sizeof(mark) || memcmp(text, mark, sizeof(mark)) != 0)
		return 0;
	return sizeof(mark);
}

bool text_has_glob(const char *pattern)
{
	return strpbrk(pattern, "*?[") != NULL;
}

/* The character at text, or a stray byte as itself; *text moves behind it. */
static uint32_t next_point(const char **text)
{
	size_t size = text_utf8(*text, strnlen(*text, 4));
	/* Behind the last code point: a stray byte is equal to none. */
	uint32_t point = size ? text_point(*text, size) :
				0x110000U + (unsigned char)**text;

	*text += size ? size : 1;
	return point;
}

/*
 * Is point in the set that opens at set, which is a '['? *end is what follows
 * it, or NULL where it is not closed: then the '[' stands for itself.
 */
static bool in_set(const char *set, uint32_t point, const char **end)
{
	const char *p = set + 1, *first;
	bool invert = *p == '!' || *p == '^', found = false;

	p += invert;
	*end = NULL;
	/* A ']' in the first place is a member. */
	for (first = p; *p && (*p != ']' || p == first);) {
		uint32_t low = next_point(&p), high = low;

		if (*p == '-' && p[1] && p[1] != ']') {
			p++;
			high = next_point(&p);
		}
		found |= point >= low && point <= high;
	}
	if (*p)
		*end = p + 1;
	return found != invert;
}

/* One step of pattern (not a star) over one character; false: no match. */
static bool glob_step(const char **pattern, const char **text)
{
	uint32_t point = next_point(text);
	const char *end;

	if (**pattern == '?') {
		++*pattern;
		return true;
	}
	if (**pattern == '[') {
		bool found = in_set(*pattern, point, &end);
		if (end) {
			*pattern = end;
			return found;
		}
	}
	return **pattern && next_point(pattern) == point;
}

bool text_glob(const char *pattern, const char *text)
{
	const char *star = NULL, *resume = NULL;

	/* On a mismatch the last star takes one character more: no recursion. */
	while (*text) {
		if (*pattern == '*') {
			star = ++pattern;
			resume = text;
		} else if (!glob_step(&pattern, &text)) {
			if (!star)
				return false;
			pattern = star;
			next_point(&resume);
			text = resume;
		}
	}
	while (*pattern == '*')
		pattern++;
	return !*pattern;
}

bool text_has_control(const char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return true;
	}
	return false;
}

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

size_t text_trim(const char **text, size_t len)
{
	while (len && is_space((*text)[len - 1]))
		len--;
	while (len && is_space(**text)) {
		(*text)++;
		len--;
	}
	return len;
}
