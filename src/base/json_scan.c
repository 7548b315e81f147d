/* SPDX-License-Identifier: MIT */
/*
 * The checking scan: RFC 8259 and nothing more, one pass, no tree, no
 * recursion. It must cost little beside the parser that runs after it.
 */
#include <endian.h>
#include <string.h>

#include "base/json_scan.h"
#include "base/text.h"
#include "base/utf8.h"

/* cJSON copies a number into 64 bytes, and fails on a longer one. */
#define NUMBER_MAX 63

struct scan {
	const char *text, *at, *end;
	const char *fault; /* what is wrong at `at` */
	bool odd; /* an escape stands for what is no text */
	struct json_places *places; /* NULL */
	struct span *reading[3]; /* by depth: of places, not at its end yet */
	size_t depth;
	char open[JSON_DEPTH_MAX]; /* the bracket that each level opened with */
};

enum state { VALUE, VALUE_OR_END, NAME, NAME_OR_END, BEHIND, BAD };

static enum state bad(struct scan *s, const char *at, const char *fault)
{
	s->at = at;
	s->fault = fault;
	return BAD;
}

/*
 * Skip what may stand in a string as it is and is ASCII, eight bytes at once.
 * Each term has the top bit set in every byte that it looks for (and, by
 * borrowing, perhaps in some behind the first: only the first counts).
 */
static inline const char *skip_plain(const char *p, const char *end)
{
	const uint64_t ones = 0x0101010101010101U;

	while (end - p >= 8) {
		uint64_t word, quote, backslash, found;

		memcpy(&word, p, sizeof(word));
		word = le64toh(word);
		quote = word ^ ones * '"';
		backslash = word ^ ones * '\\';
		found = (quote - ones) | (backslash - ones) |
			(word - ones * 0x20) | word;
		found &= ones * 0x80;
		if (found)
			return p + (__builtin_ctzll(found) >> 3);
		p += 8;
	}
	while (p < end && *p >= 0x20 && *p < 0x7f && *p != '"' && *p != '\\')
		p++;
	return p;
}

/* The four hexadecimal digits at p; -1 if they are none. */
static int hex4(const char *p, const char *end)
{
	int code = 0;

	if (end - p < 4)
		return -1;
	for (int i = 0; i < 4; i++) {
		int c = (unsigned char)p[i];

		if (c >= '0' && c <= '9')
			c -= '0';
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			c = (c | 0x20) - 'a' + 10;
		else
			return -1;
		code = code << 4 | c;
	}
	return code;
}

/* Behind \uXXXX or a pair of them, whose first is `code`. *odd: is no text. */
static const char *behind_code(const char *p, const char *end, int code,
			       bool *odd)
{
	int second = -1;

	if (code && (code < 0xd800 || code > 0xdfff))
		return p + 6;
	if (code && code < 0xdc00 && end - p >= 8 && p[6] == '\\' &&
	    p[7] == 'u')
		second = hex4(p + 8, end);
	if (second >= 0xdc00 && second <= 0xdfff)
		return p + 12;
	*odd = true;
	return p + 6;
}

/* Behind the escape at p, which is a backslash; NULL: bad. */
static const char *escape(struct scan *s, const char *p)
{
	int code;

	if (s->end - p >= 2 && p[1] && strchr("\"\\/bfnrt", p[1]))
		return p + 2;
	if (s->end - p < 2 || p[1] != 'u') {
		bad(s, p, "an escape that is none");
		return NULL;
	}
	code = hex4(p + 2, s->end);
	if (code >= 0)
		return behind_code(p, s->end, code, &s->odd);
	bad(s, p, "\\u without four hexadecimal digits");
	return NULL;
}

/* text_utf8; what most of Chinese and Japanese is made of comes inline. */
static inline size_t utf8_size(const char *text, const char *end)
{
	const unsigned char *p = (const unsigned char *)text;

	if (end - text >= 3 && p[0] > 0xe0 && p[0] < 0xed &&
	    (p[1] & 0xc0) == 0x80 && (p[2] & 0xc0) == 0x80)
		return 3;
	return text_utf8(text, (size_t)(end - text));
}

/* Behind the string at p, which is a quote; NULL: bad. */
static const char *string(struct scan *s, const char *p)
{
	const char *start = p++;
	size_t size;

	for (;;) {
		p = skip_plain(p, s->end);
		if (p == s->end) {
			bad(s, start, "a string that does not end");
			return NULL;
		}
		if (*p == '"')
			return p + 1;
		if (*p == '\\') {
			p = escape(s, p);
			if (!p)
				return NULL;
			continue;
		}
		do {
			size = utf8_size(p, s->end);
			if (!size || (unsigned char)*p < 0x20) {
				bad(s, p, "a control character in a string");
				return NULL;
			}
			p += size;
		} while (p < s->end && (unsigned char)*p >= 0x80);
	}
}

static const char *digits(const char *p, const char *end)
{
	while (p < end && *p >= '0' && *p <= '9')
		p++;
	return p;
}

static enum state number(struct scan *s)
{
	const char *p = s->at, *end = s->end, *part;

	if (*p == '-')
		p++;
	part = p;
	p = digits(p, end);
	if (p == part || (*part == '0' && p - part > 1))
		return bad(s, s->at, "a number that is none");
	if (p < end && *p == '.') {
		part = ++p;
		p = digits(p, end);
		if (p == part)
			return bad(s, s->at, "a number that is none");
	}
	if (p < end && (*p == 'e' || *p == 'E')) {
		p++;
		if (p < end && (*p == '+' || *p == '-'))
			p++;
		part = p;
		p = digits(p, end);
		if (p == part)
			return bad(s, s->at, "a number that is none");
	}
	if (p - s->at > NUMBER_MAX)
		return bad(s, s->at, "a number of more than 63 characters");
	s->at = p;
	return BEHIND;
}

static enum state literal(struct scan *s, const char *word)
{
	size_t len = strlen(word);

	if ((size_t)(s->end - s->at) < len || memcmp(s->at, word, len) != 0)
		return bad(s, s->at, "a value is expected");
	s->at += len;
	return BEHIND;
}

static enum state open_level(struct scan *s)
{
	if (s->depth == JSON_DEPTH_MAX)
		return bad(s, s->at, "nested too deeply");
	s->open[s->depth++] = *s->at;
	return *s->at++ == '{' ? NAME_OR_END : VALUE_OR_END;
}

static enum state close_level(struct scan *s)
{
	s->depth--;
	s->at++;
	return BEHIND;
}

static enum state value(struct scan *s)
{
	const char *p;

	switch (*s->at) {
	case '"':
		p = string(s, s->at);
		if (!p)
			return BAD;
		s->at = p;
		return BEHIND;
	case '{':
	case '[':
		return open_level(s);
	case 't':
		return literal(s, "true");
	case 'f':
		return literal(s, "false");
	case 'n':
		return literal(s, "null");
	default:
		if (*s->at == '-' || (*s->at >= '0' && *s->at <= '9'))
			return number(s);
		return bad(s, s->at, "a value is expected");
	}
}

static inline const char *skip_space(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
		p++;
	return p;
}

/* Letters can be escaped in one way. */
static bool is_name(struct span string, const char *name)
{
	const char *p = string.text + 1, *end = string.text + string.len - 1;

	for (; *name && p < end; name++) {
		bool escaped = *p == '\\' && p[1] == 'u';

		if ((escaped ? hex4(p + 2, end) : *p) != *name)
			return false;
		p += escaped ? 6 : 1;
	}
	return !*name && p == end;
}

/* A member begins, at depth 1 or 2. */
static void begin_member(struct scan *s, struct span string, const char *value)
{
	struct json_places *p = s->places;
	struct span *found = s->depth == 1 ? p->outer : p->inner;
	size_t i;

	if (s->depth == 2 && s->reading[1] != &p->outer[p->inside])
		return;
	/* Most begin otherwise, which is seen at once. */
	for (i = 0; i < p->names; i++) {
		char first = string.text[1];

		if ((first == *p->name[i] || first == '\\') &&
		    is_name(string, p->name[i]))
			break;
	}
	if (i == p->names || found[i].text)
		return;
	found[i].text = value;
	s->reading[s->depth] = &found[i];
}

static void end_member(struct scan *s)
{
	struct span *member = s->reading[s->depth];

	member->len = (size_t)(s->at - member->text);
	s->reading[s->depth] = NULL;
}

static enum state name(struct scan *s)
{
	const char *p, *start = s->at;
	size_t len;

	if (*s->at != '"')
		return bad(s, s->at, "a name in double quotes is expected");
	p = string(s, s->at);
	if (!p)
		return BAD;
	len = (size_t)(p - start);
	p = skip_space(p, s->end);
	if (p == s->end || *p != ':')
		return bad(s, p, "':' is expected");
	s->at = skip_space(p + 1, s->end);
	if (s->places && s->depth < COUNT(s->reading))
		begin_member(s, (struct span){ start, len }, s->at);
	return VALUE;
}

/* Behind a value that stands in an array or object. */
static enum state behind(struct scan *s)
{
	bool object = s->open[s->depth - 1] == '{';

	if (*s->at == ',') {
		s->at++;
		return object ? NAME : VALUE;
	}
	if (*s->at == (object ? '}' : ']'))
		return close_level(s);
	return bad(s, s->at,
		   object ? "',' or '}' is expected" :
			    "',' or ']' is expected");
}

static enum state step(struct scan *s, enum state state)
{
	s->at = skip_space(s->at, s->end);
	if (s->at == s->end)
		return bad(s, s->at, "it ends too early");
	switch (state) {
	case VALUE_OR_END:
		if (*s->at == ']')
			return close_level(s);
		return value(s);
	case VALUE:
		return value(s);
	case NAME_OR_END:
		if (*s->at == '}')
			return close_level(s);
		return name(s);
	case NAME:
		return name(s);
	case BEHIND:
		return behind(s);
	case BAD:
		break;
	}
	return BAD;
}

static const char *fault_of(const struct scan *s)
{
	size_t rest = (size_t)(s->end - s->at);

	/* Whatever was expected there: these can stand nowhere. */
	if (rest && *s->at == '\0')
		return "a NUL byte";
	if (rest && !text_utf8(s->at, rest))
		return "not UTF-8";
	if (s->at == s->text && text_mark(s->at, rest))
		return "a byte order mark";
	return s->fault;
}

/* Not initialised as a whole: open would be cleared each time. */
static void begin(struct scan *s, const char *text, size_t len,
		  struct json_places *places)
{
	/* Nothing may be given as NULL, to which nothing may be added. */
	s->text = s->at = text ? text : "";
	s->end = s->at + len;
	s->fault = NULL;
	s->odd = false;
	s->places = places;
	memset(s->reading, 0, sizeof(s->reading));
	s->depth = 0;
}

/* False: at and fault say why. */
static bool run(struct scan *s)
{
	enum state state = VALUE;

	do {
		state = step(s, state);
		if (state == BEHIND && s->depth < COUNT(s->reading) &&
		    s->reading[s->depth])
			end_member(s);
	} while (state != BAD && (s->depth || state != BEHIND));
	if (state == BAD)
		return false;
	s->at = skip_space(s->at, s->end);
	if (s->at == s->end)
		return true;
	bad(s, s->at, "something stands behind the value");
	return false;
}

int json_scan(const char *text, size_t len, struct json_places *places,
	      bool *odd, struct error *err)
{
	struct scan s;

	begin(&s, text, len, places);
	if (!run(&s))
		return error_set(err, ERR_PROTOCOL,
				 "invalid JSON at byte %zu: %s",
				 (size_t)(s.at - s.text), fault_of(&s));
	*odd = s.odd;
	return 0;
}

bool json_fault(const char *text, size_t len, size_t *at)
{
	struct scan s;

	begin(&s, text, len, NULL);
	if (run(&s))
		return false;
	*at = (size_t)(s.at - s.text);
	return true;
}

const char *json_fault_words(const char *text, size_t len)
{
	struct scan s;

	begin(&s, text, len, NULL);
	return run(&s) ? NULL : fault_of(&s);
}

int json_check(const char *text, size_t len, struct error *err)
{
	bool odd;

	return json_scan(text, len, NULL, &odd, err);
}

void json_mend(char *text, size_t len)
{
	static const char replacement[] = { 'f', 'f', 'f', 'd' };
	char *p = text, *end = text + len;

	while ((p = memchr(p, '\\', (size_t)(end - p)))) {
		const char *next = p + 2;
		bool odd = false;

		if (p[1] == 'u')
			next = behind_code(p, end, hex4(p + 2, end), &odd);
		if (odd)
			memcpy(p + 2, replacement, sizeof(replacement));
		p += next - p;
	}
}
