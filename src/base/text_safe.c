/* SPDX-License-Identifier: MIT */
/*
 * Text made safe for a terminal and for the eye of who reads it there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_looks.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#define ZWSP 0x200b
#define ZWNJ 0x200c
#define ZWJ 0x200d
#define TEXT_STYLE 0xfe0e /* selectors of an emoji's looks */
#define EMOJI_STYLE 0xfe0f
#define KEYCAP 0x20e3
#define BLACK_FLAG 0x1f3f4
#define MARK ((size_t)3) /* bytes of one in a skeleton */
#define TAGS 0xe0000 /* tag characters: ASCII with this added */
#define TAGS_END 0xe007f

/* What stays behind a visible character. */
enum { JOINERS = 1, BREAKS = 2, SELECTORS = 4, EMOJI = 8 };

struct range {
	uint32_t first, last;
	unsigned may;
};

/* Unicode 15, DerivedCoreProperties: Default_Ignorable_Code_Point. */
static const struct range invisible[] = {
	{ 0xad, 0xad, 0 },	 { 0x34f, 0x34f, 0 },
	{ 0x61c, 0x61c, 0 },	 { 0x115f, 0x1160, 0 },
	{ 0x17b4, 0x17b5, 0 },	 { 0x180b, 0x180f, 0 },
	{ 0x200b, 0x200f, 0 },	 { 0x202a, 0x202e, 0 },
	{ 0x2060, 0x206f, 0 },	 { 0x3164, 0x3164, 0 },
	{ 0xfe00, 0xfe0f, 0 },	 { 0xfeff, 0xfeff, 0 },
	{ 0xffa0, 0xffa0, 0 },	 { 0xfff0, 0xfffb, 0 },
	{ 0x1bca0, 0x1bca3, 0 }, { 0x1d173, 0x1d17a, 0 },
	{ 0xe0000, 0xe0fff, 0 },
};

/* Scripts whose letters need them, by blocks; characters that are emoji. */
static const struct range bases[] = {
	{ 0xa9, 0xa9, EMOJI },
	{ 0xae, 0xae, EMOJI },
	{ 0x600, 0x8ff, JOINERS }, /* Arabic to its extensions */
	{ 0x900, 0xdff, JOINERS }, /* Devanagari to Sinhala */
	{ 0xe00, 0xeff, BREAKS }, /* Thai, Lao: no blanks between words */
	{ 0x1000, 0x109f, JOINERS | BREAKS }, /* Myanmar */
	{ 0x1780, 0x17ff, JOINERS | BREAKS }, /* Khmer */
	{ 0x1800, 0x18af, JOINERS | SELECTORS }, /* Mongolian */
	{ 0x203c, 0x203c, EMOJI },
	{ 0x2049, 0x2049, EMOJI },
	{ 0x2122, 0x2122, EMOJI },
	{ 0x2139, 0x2139, EMOJI },
	{ 0x2190, 0x21ff, EMOJI },
	{ 0x2300, 0x23ff, EMOJI },
	{ 0x24c2, 0x24c2, EMOJI },
	{ 0x25a0, 0x27bf, EMOJI },
	{ 0x2900, 0x297f, EMOJI },
	{ 0x2b00, 0x2bff, EMOJI },
	{ 0x3030, 0x303d, EMOJI },
	{ 0x3297, 0x3299, EMOJI },
	{ 0xfb50, 0xfdff, JOINERS }, /* Arabic, presentation forms */
	{ 0xfe70, 0xfefc, JOINERS },
	{ 0x1e900, 0x1e95f, JOINERS }, /* Adlam */
	{ 0x1f000, 0x1faff, EMOJI },
};

static int compare_range(const void *point, const void *range)
{
	const uint32_t wanted = *(const uint32_t *)point;
	const struct range *r = range;

	return wanted < r->first ? -1 : wanted > r->last;
}

static const struct range *find(uint32_t point, const struct range *ranges,
				size_t count)
{
	return bsearch(&point, ranges, count, sizeof(*ranges), compare_range);
}

bool text_is_invisible(uint32_t point)
{
	return point >= invisible[0].first &&
	       find(point, invisible, COUNT(invisible));
}

static unsigned may_follow(uint32_t point)
{
	const struct range *r = find(point, bases, COUNT(bases));

	/* The blocks have invisible ones of their own. */
	return r && !text_is_invisible(point) ? r->may : 0;
}

/* C1, marks and overrides of direction, line and paragraph separators. */
static bool acts(uint32_t point)
{
	return (point >= 0x80 && point < 0xa0) || point == 0x61c ||
	       point == 0x200e || point == 0x200f ||
	       (point >= 0x2028 && point <= 0x202e) ||
	       (point >= 0x2066 && point <= 0x2069);
}

/* ---- one text on its way ---- */

struct safe {
	struct buf *out;
	const char *text;
	size_t len, at;
	enum text_mode mode;
	uint32_t
		base; /* the visible character before `at`; 0: none right there */
	bool selected; /* one selector of its looks has come */
	size_t run, marks,
		rest; /* unseen: in this run; runs marked; behind those */
};

/*
 * Bytes of ASCII in front that stay as they are: eight at a time, since nearly
 * all text is nothing else.
 */
static size_t plain(const char *text, size_t len)
{
	const uint64_t ones = UINT64_C(0x0101010101010101);
	size_t at = 0;

	for (; at + sizeof(uint64_t) <= len; at += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, text + at, sizeof(word));
		/* A high bit: above 0x7f, below a blank, or DEL. */
		if ((word | (word - ones * 0x20) | (word + ones)) & ones * 0x80)
			break;
	}
	while (at < len && text[at] >= 0x20 && text[at] < 0x7f)
		at++;
	return at;
}

/* The character behind the one of size bytes at `at`; 0: none. */
static uint32_t next_point(const struct safe *s, size_t size)
{
	const char *next = s->text + s->at + size;
	size_t left = s->len - s->at - size;

	return text_point(next, text_utf8(next, left));
}

static bool has_keycap(uint32_t base)
{
	return (base >= '0' && base <= '9') || base == '#' || base == '*';
}

/* Does it shape what stands beside it? Then it is seen by that. */
static bool shapes(const struct safe *s, uint32_t point, size_t size)
{
	unsigned may = may_follow(s->base);

	switch (point) {
	case ZWSP:
		return may & BREAKS && may_follow(next_point(s, size)) & BREAKS;
	case ZWNJ:
		return may & JOINERS && !s->selected;
	case ZWJ:
		if (may & EMOJI)
			return may_follow(next_point(s, size)) & EMOJI;
		return may & JOINERS && !s->selected;
	case TEXT_STYLE:
	case EMOJI_STYLE:
		if (has_keycap(s->base))
			return next_point(s, size) == KEYCAP;
		return may & EMOJI && !s->selected;
	default:
		return may & SELECTORS && !s->selected && point >= 0x180b &&
		       point <= 0x180f;
	}
}

/*
 * Bytes of the tags behind a black flag that make it one of the three that
 * are in use; 0: they are none of these.
 */
static size_t flag_tags(const struct safe *s)
{
	static const char *const flags[] = { "gbeng", "gbsct", "gbwls" };
	size_t len = 0, at = s->at;
	char name[sizeof("gbeng")];
	uint32_t point = 0;

	while (len < sizeof(name) && point != TAGS_END) {
		size_t size = text_utf8(s->text + at, s->len - at);

		point = text_point(s->text + at, size);
		if (point <= TAGS || point > TAGS_END)
			return 0;
		name[len++] = (char)(point == TAGS_END ? 0 : point - TAGS);
		at += size;
	}
	for (size_t i = 0; i < COUNT(flags); i++) {
		if (point == TAGS_END && strcmp(flags[i], name) == 0)
			return at - s->at;
	}
	return 0;
}

static void escape_point(struct safe *s, uint32_t point)
{
	if (point < 0x10000)
		buf_printf(s->out, "\\u%04x", (unsigned)point);
	else if (s->mode == TEXT_JSON)
		buf_printf(s->out, "\\u%04x\\u%04x",
			   (unsigned)(0xd7c0 + (point >> 10)),
			   (unsigned)(0xdc00 + (point & 0x3ff)));
	else
		buf_printf(s->out, "\\U%08x", (unsigned)point);
}

static void escape_byte(struct buf *out, unsigned char c)
{
	if (c == '\n')
		buf_text(out, "\\n");
	else if (c == '\t')
		buf_text(out, "\\t");
	else if (c == '\r')
		buf_text(out, "\\r");
	else
		buf_printf(out, "\\x%02x", c);
}

/* Behind the last of them that stand together. */
static void mark_run(struct safe *s)
{
	if (s->run && s->marks < TEXT_MARKS_MAX) {
		buf_printf(s->out, "[%zu invisible]", s->run);
		s->marks++;
	} else {
		s->rest += s->run;
	}
	s->run = 0;
}

static void add(struct safe *s, size_t size)
{
	if (s->run)
		mark_run(s);
	buf_add(s->out, s->text + s->at, size);
	s->at += size;
}

static void take_byte(struct safe *s)
{
	unsigned char c = (unsigned char)s->text[s->at];
	bool lines = s->mode == TEXT_PARAGRAPH || s->mode == TEXT_JSON ||
		     s->mode == TEXT_PLAIN;

	s->base = 0;
	if (lines && (c == '\n' || c == '\t')) {
		add(s, 1);
		return;
	}
	if (s->mode == TEXT_PLAIN) {
		s->at++;
		return;
	}
	mark_run(s);
	/* JSON may hold a DEL as it is, and knows no \x. */
	if (c == 0x7f && s->mode == TEXT_JSON)
		escape_point(s, c);
	else
		escape_byte(s->out, c);
	s->at++;
}

static void take_visible(struct safe *s, uint32_t point, size_t size)
{
	add(s, size);
	s->base = point;
	s->selected = false;
	if (point == BLACK_FLAG)
		add(s, flag_tags(s));
}

static void take_invisible(struct safe *s, uint32_t point, size_t size)
{
	if (s->mode != TEXT_SPELLED && shapes(s, point, size)) {
		add(s, size);
		s->selected = true;
		if (point != TEXT_STYLE && point != EMOJI_STYLE)
			s->base = 0;
		return;
	}
	s->base = 0;
	s->at += size;
	if (s->mode == TEXT_LINE || s->mode == TEXT_PARAGRAPH)
		s->run++;
	else if (s->mode != TEXT_PLAIN)
		escape_point(s, point);
}

static void take_point(struct safe *s, size_t size)
{
	uint32_t point = text_point(s->text + s->at, size);

	if (acts(point) || (s->mode == TEXT_SPELLED && text_has_look(point))) {
		mark_run(s);
		if (s->mode != TEXT_PLAIN)
			escape_point(s, point);
		s->base = 0;
		s->at += size;
	} else if (text_is_invisible(point)) {
		take_invisible(s, point, size);
	} else {
		take_visible(s, point, size);
	}
}

void text_safe(struct buf *out, const char *text, size_t len,
	       enum text_mode mode)
{
	struct safe s = { .out = out, .text = text, .len = len, .mode = mode };

	while (s.at < len) {
		size_t size = plain(text + s.at, len - s.at);

		if (size) {
			add(&s, size);
			s.base = (unsigned char)text[s.at - 1];
			s.selected = false;
			continue;
		}
		size = text_utf8(text + s.at, len - s.at);
		if (size > 1)
			take_point(&s, size);
		else
			take_byte(&s);
	}
	mark_run(&s);
	if (s.rest)
		buf_printf(out, "[%zu more invisible]", s.rest);
}

bool text_is_safe(const char *text, size_t len)
{
	CLEANUP(buf_done) struct buf safe = { 0 };

	/* Most are, and need no copy. */
	if (plain(text, len) == len)
		return true;
	text_safe(&safe, text, len, TEXT_NAME);
	return safe.len == len && memcmp(buf_string(&safe), text, len) == 0;
}

/* ---- what the eye takes it for ---- */

/* ASCII that looks like other ASCII. */
static const char *ascii_look(char c)
{
	switch (c) {
	case '0':
		return "O";
	case '1':
	case 'I':
	case '|':
		return "l";
	case 'm':
		return "rn";
	case '`':
		return "'";
	case '"':
		return "\'\'";
	default:
		return NULL;
	}
}

/* Below U+10000; what is below U+0800 in three bytes too: it is to compare. */
static void add_point(struct buf *out, uint32_t point)
{
	const char *look = point < 0x80 ? ascii_look((char)point) : NULL;

	if (look) {
		buf_text(out, look);
	} else if (point < 0x80) {
		buf_char(out, (char)point);
	} else {
		buf_char(out, (char)(0xe0 | point >> 12));
		buf_char(out, (char)(0x80 | (point >> 6 & 0x3f)));
		buf_char(out, (char)(0x80 | (point & 0x3f)));
	}
}

/* U+0300 to U+036F, as add_point writes it. */
static bool is_mark(const char *at)
{
	return memcmp(at, "\xe0\x8c\x80", MARK) >= 0 &&
	       memcmp(at, "\xe0\x8d\xaf", MARK) <= 0;
}

/* The last mark of a letter to its place: some orders of them look the same. */
static void sort_mark(struct buf *out)
{
	for (size_t at = out->len; at >= 2 * MARK; at -= MARK) {
		char *last = out->data + at - MARK, *before = last - MARK;
		char kept[MARK];

		if (!is_mark(last) || !is_mark(before) ||
		    memcmp(before, last, MARK) <= 0)
			return;
		memcpy(kept, before, MARK);
		memcpy(before, last, MARK);
		memcpy(last, kept, MARK);
	}
}

bool text_has_look(uint32_t point)
{
	uint32_t to[LOOK_MAX];

	return text_look(point, to) > 0;
}

/* One character of more than a byte. */
static void add_character(struct buf *out, const char *text, size_t size)
{
	uint32_t point = text_point(text, size), to[LOOK_MAX];
	size_t count = text_look(point, to);

	if (text_is_invisible(point))
		return;
	for (size_t i = 0; i < count; i++) {
		add_point(out, to[i]);
		sort_mark(out);
	}
	if (count == 0 && point < 0x10000) {
		add_point(out, point);
		sort_mark(out);
	} else if (count == 0) {
		buf_add(out, text, size);
	}
}

/* Bytes in front that look like nothing else. */
static size_t own_looks(const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && !(text[at] & 0x80) && !ascii_look(text[at]))
		at++;
	return at;
}

void text_skeleton(struct buf *out, const char *text, size_t len)
{
	const size_t start = out->len;

	for (size_t at = 0, size; at < len; at += size) {
		size_t own = own_looks(text + at, len - at);

		buf_add(out, text + at, own);
		at += own;
		size = text_utf8(text + at, len - at);
		if (size > 1) {
			add_character(out, text + at, size);
		} else if (at < len) {
			size = 1;
			add_point(out, (unsigned char)text[at]);
		}
	}
	buf_trim(out, start, " ");
}

/* ---- escapes of JSON that can be read ---- */

#define ESCAPE 6 /* bytes of \uXXXX */
#define REPLACED "\xef\xbf\xbd" /* U+FFFD, what JSON cannot say */

static bool is_escape(const char *text, size_t len)
{
	return len >= ESCAPE && text[0] == '\\' && text[1] == 'u' &&
	       strspn(text + 2, "0123456789abcdefABCDEF") >= 4;
}

/* The character that size bytes of escapes are; yours. NULL: it stays escaped. */
static char *readable(const char *text, size_t size)
{
	CLEANUP(mem_free_ptr)
	char *quoted = mem_printf("\"%.*s\"", (int)size, text);
	const struct span string = { quoted, size + 2 };
	CLEANUP(mem_free_ptr) char *said = json_span_string(string);

	if (!said || strpbrk(said, "\"\\") || strstr(said, REPLACED) ||
	    !text_is_safe(said, strlen(said)))
		return NULL;
	return TAKE(said);
}

/* A pair of them is one character above U+FFFF. */
static size_t unescape(struct buf *out, const char *text, size_t len)
{
	for (size_t size = (size_t)2 * ESCAPE; size >= ESCAPE; size -= ESCAPE) {
		CLEANUP(mem_free_ptr) char *said = NULL;

		if (size > len || (size > ESCAPE &&
				   ((text[2] | 0x20) != 'd' ||
				    !is_escape(text + ESCAPE, len - ESCAPE))))
			continue;
		said = readable(text, size);
		if (!said)
			continue;
		buf_text(out, said);
		return size;
	}
	buf_add(out, text, ESCAPE);
	return ESCAPE;
}

void text_unescape(struct buf *out, const char *text, size_t len)
{
	size_t at = 0, size;

	while (at < len) {
		const char *next = memchr(text + at, '\\', len - at);
		size_t whole = next ? (size_t)(next - text) - at : len - at;

		buf_add(out, text + at, whole);
		at += whole;
		if (is_escape(text + at, len - at)) {
			at += unescape(out, text + at, len - at);
		} else if (at < len) {
			size = len - at > 1 ? 2 : 1;
			buf_add(out, text + at, size);
			at += size;
		}
	}
}
