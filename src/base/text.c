/* SPDX-License-Identifier: MIT */
/*
 * Text without a locale: compared, searched, read as numbers, written in other
 * codes.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/utf8.h"

/*
 * Comparing and searching text without ASCII case; globs. No locale.
 */

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

bool text_equal(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
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

size_t text_trim(const char **text, size_t len)
{
	while (len && text_is_space((*text)[len - 1]))
		len--;
	while (len && text_is_space(**text)) {
		(*text)++;
		len--;
	}
	return len;
}

/*
 * Which word did the user mean? Edit distance, and the choice of a proposal.
 */

#define PREFIX_MIN 3

static size_t min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * One row of the matrix: rows[0] is new, rows[1] the one above, rows[2] the
 * one above that; i is the index of the character of a.
 */
static void fill_row(size_t *rows[3], const char *a, size_t i, const char *b)
{
	rows[0][0] = i + 1;
	for (size_t j = 0; b[j]; j++) {
		bool same = text_lower(a[i]) == text_lower(b[j]);
		size_t best = rows[1][j] + !same;

		best = min(best, rows[1][j + 1] + 1);
		best = min(best, rows[0][j] + 1);
		if (i && j && text_lower(a[i]) == text_lower(b[j - 1]) &&
		    text_lower(a[i - 1]) == text_lower(b[j]))
			best = min(best, rows[2][j - 1] + 1);
		rows[0][j + 1] = best;
	}
}

size_t text_distance(const char *a, const char *b)
{
	size_t width = strlen(b) + 1, i, distance;
	size_t *cells = mem_zalloc(3 * width * sizeof(*cells));
	size_t *rows[3] = { cells, cells + width, cells + 2 * width };

	for (i = 0; i < width; i++)
		rows[0][i] = i;
	for (i = 0; a[i]; i++) {
		size_t *oldest = rows[2];

		rows[2] = rows[1];
		rows[1] = rows[0];
		rows[0] = oldest;
		fill_row(rows, a, i, b);
	}
	distance = rows[0][width - 1];
	mem_free(cells);
	return distance;
}

static size_t common_prefix(const char *a, const char *b)
{
	size_t n = 0;

	while (a[n] && text_lower(a[n]) == text_lower(b[n]))
		n++;
	return n;
}

struct proposal {
	const char *word;
	size_t distance, prefix;
};

/* A near word goes before one that only starts alike. */
static bool better(const struct proposal *a, const struct proposal *b,
		   size_t near)
{
	bool a_near = a->distance <= near, b_near = b->distance <= near;

	if (!b->word || a_near != b_near)
		return !b->word || a_near;
	if (!a_near && a->prefix != b->prefix)
		return a->prefix > b->prefix;
	return a->distance < b->distance;
}

const char *text_nearest(const char *word, const char *const *candidates,
			 size_t count)
{
	size_t length = strlen(word), near = 1 + length / 3, i;
	struct proposal best = { 0 };

	for (i = 0; i < count; i++) {
		struct proposal p = { .word = candidates[i] };
		size_t other = strlen(p.word);

		p.prefix = common_prefix(word, p.word);
		/* Lengths that differ by more need no matrix. */
		if (p.prefix < PREFIX_MIN &&
		    (other > length + near || length > other + near))
			continue;
		p.distance = text_distance(word, p.word);
		/* Nothing in common is not near, however short the words. */
		if (p.prefix < PREFIX_MIN &&
		    (p.distance > near ||
		     p.distance >= (other > length ? other : length)))
			continue;
		if (better(&p, &best, near))
			best = p;
	}
	return best.word;
}

char *text_proposal(const char *word, const char *const *candidates,
		    size_t count)
{
	const char *near = word ? text_nearest(word, candidates, count) : NULL;

	return near ? mem_printf(" (did you mean '%s'?)", near) :
		      mem_strdup("");
}

/*
 * Whole numbers and durations, from text and to it. No locale.
 */

#define DURATION_MAX_MS (INT64_C(10) * 24 * 60 * 60 * 1000)

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

int text_integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	bool negative = *text == '-';
	int64_t value = 0;

	text += negative;
	if (!*text)
		return -1;
	for (; *text; text++) {
		int digit = *text - '0';

		/* Downwards if negative: INT64_MIN has no positive twin. */
		if (!is_digit(*text) ||
		    __builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, negative ? -digit : digit,
					   &value))
			return -1;
	}
	if (value < min || value > max)
		return -1;
	*out = value;
	return 0;
}

static int64_t unit_ms(const char *unit)
{
	if (!*unit || strcmp(unit, "s") == 0)
		return 1000;
	if (strcmp(unit, "ms") == 0)
		return 1;
	if (strcmp(unit, "m") == 0)
		return 60000;
	if (strcmp(unit, "h") == 0)
		return 3600000;
	return 0;
}

/* Thousandths of a number, rounded up; moves *text behind it. -1: none. */
static int64_t thousandths(const char **text)
{
	const char *p = *text;
	int64_t value = 0, scale = 100;

	if (!is_digit(*p) && !(*p == '.' && is_digit(p[1])))
		return -1;
	for (; is_digit(*p); p++) {
		/* Stay above the limit once there: more digits only add. */
		if (value <= DURATION_MAX_MS)
			value = value * 10 + (*p - '0');
	}
	value *= 1000;
	if (*p == '.' && !is_digit(p[1]))
		return -1;
	if (*p == '.') {
		bool rest = false;

		for (p++; is_digit(*p); p++, scale /= 10) {
			value += (*p - '0') * scale;
			rest |= scale == 0 && *p != '0';
		}
		value += rest;
	}
	*text = p;
	return value;
}

int text_duration(const char *text, int64_t *out_ms, struct error *err)
{
	const char *unit = text;
	int64_t value = thousandths(&unit), factor = unit_ms(unit), ms;

	if (value < 0 || !factor) {
		error_set(err, ERR_USAGE, "'%s' is not a duration", text);
		return error_hint(
			err,
			"write 250ms, 10s, 2m or 1h; a number without a unit is seconds");
	}
	if (__builtin_mul_overflow(value, factor, &ms) ||
	    ms > DURATION_MAX_MS * 1000) {
		error_set(err, ERR_USAGE, "the duration '%s' is too long",
			  text);
		return error_hint(err, "the longest is 10 days (240h)");
	}
	/* Up, so that a short time does not become none. */
	*out_ms = (ms + 999) / 1000;
	return 0;
}

const char *text_milliseconds(int64_t ms, char *out, size_t size)
{
	long long tenths = (ms + 50) / 100, seconds = (ms + 500) / 1000;
	long long minutes = (ms + 30000) / 60000;

	if (ms < 1000)
		snprintf(out, size, "%lld ms", (long long)ms);
	else if (tenths < 600 && tenths % 10)
		snprintf(out, size, "%lld.%lld s", tenths / 10, tenths % 10);
	else if (tenths < 600)
		snprintf(out, size, "%lld s", tenths / 10);
	else if (seconds < 3600 && seconds % 60)
		snprintf(out, size, "%lld min %lld s", seconds / 60,
			 seconds % 60);
	else if (seconds < 3600)
		snprintf(out, size, "%lld min", seconds / 60);
	else if (minutes % 60)
		snprintf(out, size, "%lld h %lld min", minutes / 60,
			 minutes % 60);
	else
		snprintf(out, size, "%lld h", minutes / 60);
	return out;
}

const char *text_since(char *out, size_t size, int64_t ms)
{
	char time[TEXT_ROOM];

	text_milliseconds(ms / 1000 * 1000, time, sizeof(time));
	snprintf(out, size, " (as of %s ago)", time);
	if (ms < 1000)
		*out = '\0';
	return out;
}

const char *text_microseconds(int64_t us, char *out, size_t size)
{
	if (us >= 1000)
		return text_milliseconds(us / 1000, out, size);
	snprintf(out, size, "0.%02d ms", us > 0 ? (int)(us / 10) : 0);
	return out;
}

/* Patterns filled with values. */

struct text_filling {
	const char *(*value)(const void *of, const char *name,
			     char room[TEXT_ROOM]);
	const void *of;
	size_t max;
};

/* What stands between two braces: words, and behind them a name. */
static void fill_one(struct buf *out, const char *at, size_t len,
		     const struct text_filling *f)
{
	size_t front = len, size = 0;
	char name[TEXT_ROOM], room[TEXT_ROOM];
	const char *value, *quote;

	while (front && at[front - 1] != ' ')
		front--;
	quote = at[front] == '\'' ? "'" : "";
	for (const char *c = at + front + strlen(quote);
	     c < at + len && *c != '\'' && size < sizeof(name) - 1; c++)
		name[size++] = *c;
	name[size] = '\0';
	value = f->value(f->of, name, room);
	if (!value || !*value)
		return;
	buf_add(out, at, front);
	buf_text(out, quote);
	buf_add(out, value, text_cut(value, strlen(value), f->max));
	buf_text(out, quote);
}

void text_fill(struct buf *out, const char *pattern,
	       const char *(*value)(const void *of, const char *name,
				    char room[TEXT_ROOM]),
	       const void *of, size_t max)
{
	const struct text_filling f = { value, of, max };
	size_t len = strcspn(pattern, "{");

	buf_add(out, pattern, len);
	while (pattern[len]) {
		pattern += len + 1;
		len = strcspn(pattern, "}");
		fill_one(out, pattern, len, &f);
		pattern += len + (pattern[len] == '}');
		len = strcspn(pattern, "{");
		buf_add(out, pattern, len);
	}
}

/*
 * Base64 (RFC 4648, section 4) and percent-encoding (RFC 3986, 2.1).
 */

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

static bool is_space_code(char c)
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

/* Of digits and padding. */
static bool fits(const struct base64 *b)
{
	return b->digits % 4 != 1 &&
	       (!b->padding ||
		(b->padding <= 2 && (b->digits + b->padding) % 4 == 0));
}

bool text_is_base64(const char *text, size_t len)
{
	struct base64 b = { .digits = 0 };

	for (size_t i = 0; i < len; i++) {
		if (is_space_code(text[i]))
			continue;
		if (text[i] == '=')
			b.padding++;
		else if (base64_value(text[i]) < 0 || b.padding)
			return false;
		else
			b.digits++;
	}
	return fits(&b);
}

int text_base64_decode(const char *text, size_t len, struct buf *out)
{
	struct base64 b = { .digits = 0 };
	size_t start = out->len;
	int bad = 0;

	for (size_t i = 0; i < len && !bad; i++) {
		if (!is_space_code(text[i]))
			bad = take_digit(&b, text[i], out);
	}
	if (!fits(&b))
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
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	const unsigned char *p = data;

	for (size_t at = 0; at < len; at += 3) {
		char four[4] = { '=', '=', '=', '=' };
		uint32_t bits = 0;

		for (size_t i = at; i < at + 3; i++)
			bits = bits << 8 | (i < len ? p[i] : 0U);
		/* One digit more than there are bytes. */
		for (size_t i = 0; i < 4 && (i == 0 || at + i - 1 < len); i++)
			four[i] = digits[bits >> (18 - 6 * i) & 63];
		buf_add(out, four, sizeof(four));
	}
}

/* The byte that two hexadecimal digits stand for; 0 if they are none. */
static unsigned hex_byte(const char *p)
{
	unsigned value = 0;

	for (int i = 0; i < 2; i++) {
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

void text_copy(char *out, size_t size, const char *text)
{
	size_t len = strnlen(text, size - 1);

	memcpy(out, text, len);
	out[len] = '\0';
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

void text_percent_encode(struct buf *out, const char *text, const char *plain)
{
	for (; *text; text++) {
		const int low = text_lower(*text);

		if ((low >= 'a' && low <= 'z') ||
		    (*text >= '0' && *text <= '9') || strchr(plain, *text))
			buf_char(out, *text);
		else
			buf_printf(out, "%%%02X", (unsigned char)*text);
	}
}
