/* SPDX-License-Identifier: MIT */
/*
 * Text made safe for a terminal and for the eye of who reads it there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "base/text_safe.h"
#include "base/utf8.h"

#define ZWSP 0x200b
#define ZWNJ 0x200c
#define ZWJ 0x200d
#define TEXT_STYLE 0xfe0e /* selectors of an emoji's looks */
#define EMOJI_STYLE 0xfe0f
#define KEYCAP 0x20e3
#define BLACK_FLAG 0x1f3f4
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

/*
 * The table of letters that look like others: Unicode 15, confusables.txt of
 * TR39 (skeletons, decomposed first), as far as it is about Latin, Greek and
 * Cyrillic letters, what is made of them, and punctuation. Scripts that nobody
 * mixes up with these are not in it.
 */

#define FULL_WIDTH 0xff01 /* of '!': ASCII in its order, up to '~' */
#define FULL_WIDTH_END 0xff5e
#define PARTS_MAX 3

struct skeleton_look {
	uint16_t from, to[PARTS_MAX]; /* 0: no more */
};

/* clang-format off */
static const struct skeleton_look looks[] = {
	{ 0xa0, { ' ' } }, { 0xa2, { 'c', 0x338 } }, { 0xa5, { 'Y', 0x335 } },
	{ 0xaf, { 0x2c9 } }, { 0xb4, { '\'' } }, { 0xb5, { 0x3bc } },
	{ 0xb8, { ',' } }, { 0xc0, { 'A', 0x300 } }, { 0xc1, { 'A', 0x301 } },
	{ 0xc2, { 'A', 0x302 } }, { 0xc3, { 'A', 0x303 } },
	{ 0xc4, { 'A', 0x308 } }, { 0xc5, { 'A', 0x30a } },
	{ 0xc6, { 'A', 'E' } }, { 0xc7, { 'C', 0x326 } },
	{ 0xc8, { 'E', 0x300 } }, { 0xc9, { 'E', 0x301 } },
	{ 0xca, { 'E', 0x302 } }, { 0xcb, { 'E', 0x308 } },
	{ 0xcc, { 'l', 0x300 } }, { 0xcd, { 'l', 0x301 } },
	{ 0xce, { 'l', 0x302 } }, { 0xcf, { 'l', 0x308 } },
	{ 0xd0, { 'D', 0x335 } }, { 0xd1, { 'N', 0x303 } },
	{ 0xd2, { 'O', 0x300 } }, { 0xd3, { 'O', 0x301 } },
	{ 0xd4, { 'O', 0x302 } }, { 0xd5, { 'O', 0x303 } },
	{ 0xd6, { 'O', 0x308 } }, { 0xd7, { 'x' } }, { 0xd8, { 'O', 0x338 } },
	{ 0xd9, { 'U', 0x300 } }, { 0xda, { 'U', 0x301 } },
	{ 0xdb, { 'U', 0x302 } }, { 0xdc, { 'U', 0x308 } },
	{ 0xdd, { 'Y', 0x301 } }, { 0xe0, { 'a', 0x300 } },
	{ 0xe1, { 'a', 0x301 } }, { 0xe2, { 'a', 0x302 } },
	{ 0xe3, { 'a', 0x303 } }, { 0xe4, { 'a', 0x308 } },
	{ 0xe5, { 'a', 0x30a } }, { 0xe6, { 'a', 'e' } },
	{ 0xe7, { 'c', 0x326 } }, { 0xe8, { 'e', 0x300 } },
	{ 0xe9, { 'e', 0x301 } }, { 0xea, { 'e', 0x302 } },
	{ 0xeb, { 'e', 0x308 } }, { 0xec, { 'i', 0x300 } },
	{ 0xed, { 'i', 0x301 } }, { 0xee, { 'i', 0x302 } },
	{ 0xef, { 'i', 0x308 } }, { 0xf0, { 0x2202, 0x335 } },
	{ 0xf1, { 'n', 0x303 } }, { 0xf2, { 'o', 0x300 } },
	{ 0xf3, { 'o', 0x301 } }, { 0xf4, { 'o', 0x302 } },
	{ 0xf5, { 'o', 0x303 } }, { 0xf6, { 'o', 0x308 } },
	{ 0xf8, { 'o', 0x338 } }, { 0xf9, { 'u', 0x300 } },
	{ 0xfa, { 'u', 0x301 } }, { 0xfb, { 'u', 0x302 } },
	{ 0xfc, { 'u', 0x308 } }, { 0xfd, { 'y', 0x301 } },
	{ 0xff, { 'y', 0x308 } }, { 0x100, { 'A', 0x304 } },
	{ 0x101, { 'a', 0x304 } }, { 0x102, { 'A', 0x306 } },
	{ 0x103, { 'a', 0x306 } }, { 0x104, { 'A', 0x328 } },
	{ 0x105, { 'a', 0x328 } }, { 0x106, { 'C', 0x301 } },
	{ 0x107, { 'c', 0x301 } }, { 0x108, { 'C', 0x302 } },
	{ 0x109, { 'c', 0x302 } }, { 0x10a, { 'C', 0x307 } },
	{ 0x10b, { 'c', 0x307 } }, { 0x10c, { 'C', 0x306 } },
	{ 0x10d, { 'c', 0x306 } }, { 0x10e, { 'D', 0x306 } },
	{ 0x10f, { 'd', 0x306 } }, { 0x110, { 'D', 0x335 } },
	{ 0x111, { 'd', 0x335 } }, { 0x112, { 'E', 0x304 } },
	{ 0x113, { 'e', 0x304 } }, { 0x114, { 'E', 0x306 } },
	{ 0x115, { 'e', 0x306 } }, { 0x116, { 'E', 0x307 } },
	{ 0x117, { 'e', 0x307 } }, { 0x118, { 'E', 0x328 } },
	{ 0x119, { 'e', 0x328 } }, { 0x11a, { 'E', 0x306 } },
	{ 0x11b, { 'e', 0x306 } }, { 0x11c, { 'G', 0x302 } },
	{ 0x11d, { 'g', 0x302 } }, { 0x11e, { 'G', 0x306 } },
	{ 0x11f, { 'g', 0x306 } }, { 0x120, { 'G', 0x307 } },
	{ 0x121, { 'g', 0x307 } }, { 0x122, { 'G', 0x326 } },
	{ 0x123, { 'g', 0x326 } }, { 0x124, { 'H', 0x302 } },
	{ 0x125, { 'h', 0x302 } }, { 0x126, { 'H', 0x335 } },
	{ 0x127, { 'h', 0x335 } }, { 0x128, { 'l', 0x303 } },
	{ 0x129, { 'i', 0x303 } }, { 0x12a, { 'l', 0x304 } },
	{ 0x12b, { 'i', 0x304 } }, { 0x12c, { 'l', 0x306 } },
	{ 0x12d, { 'i', 0x306 } }, { 0x12e, { 'l', 0x328 } },
	{ 0x12f, { 'i', 0x328 } }, { 0x130, { 'l', 0x307 } },
	{ 0x131, { 'i' } }, { 0x132, { 'l', 'J' } }, { 0x133, { 'i', 'j' } },
	{ 0x134, { 'J', 0x302 } }, { 0x135, { 'j', 0x302 } },
	{ 0x136, { 'K', 0x326 } }, { 0x137, { 'k', 0x326 } },
	{ 0x139, { 'L', 0x301 } }, { 0x13a, { 'l', 0x301 } },
	{ 0x13b, { 'L', 0x326 } }, { 0x13c, { 'l', 0x326 } },
	{ 0x13d, { 'L', 0x306 } }, { 0x13e, { 'l', 0x306 } },
	{ 0x13f, { 'l', 0xb7 } }, { 0x140, { 'l', 0xb7 } },
	{ 0x141, { 'L', 0x338 } }, { 0x142, { 'l', 0x338 } },
	{ 0x143, { 'N', 0x301 } }, { 0x144, { 'n', 0x301 } },
	{ 0x145, { 'N', 0x326 } }, { 0x146, { 'n', 0x326 } },
	{ 0x147, { 'N', 0x306 } }, { 0x148, { 'n', 0x306 } },
	{ 0x149, { '\'', 'n' } }, { 0x14c, { 'O', 0x304 } },
	{ 0x14d, { 'o', 0x304 } }, { 0x14e, { 'O', 0x306 } },
	{ 0x14f, { 'o', 0x306 } }, { 0x150, { 'O', 0x30b } },
	{ 0x151, { 'o', 0x30b } }, { 0x152, { 'O', 'E' } },
	{ 0x153, { 'o', 'e' } }, { 0x154, { 'R', 0x301 } },
	{ 0x155, { 'r', 0x301 } }, { 0x156, { 'R', 0x326 } },
	{ 0x157, { 'r', 0x326 } }, { 0x158, { 'R', 0x306 } },
	{ 0x159, { 'r', 0x306 } }, { 0x15a, { 'S', 0x301 } },
	{ 0x15b, { 's', 0x301 } }, { 0x15c, { 'S', 0x302 } },
	{ 0x15d, { 's', 0x302 } }, { 0x15e, { 'S', 0x326 } },
	{ 0x15f, { 's', 0x326 } }, { 0x160, { 'S', 0x306 } },
	{ 0x161, { 's', 0x306 } }, { 0x162, { 'T', 0x326 } },
	{ 0x163, { 't', 0x326 } }, { 0x164, { 'T', 0x306 } },
	{ 0x165, { 't', 0x306 } }, { 0x166, { 'T', 0x335 } },
	{ 0x167, { 't', 0x335 } }, { 0x168, { 'U', 0x303 } },
	{ 0x169, { 'u', 0x303 } }, { 0x16a, { 'U', 0x304 } },
	{ 0x16b, { 'u', 0x304 } }, { 0x16c, { 'U', 0x306 } },
	{ 0x16d, { 'u', 0x306 } }, { 0x16e, { 'U', 0x30a } },
	{ 0x16f, { 'u', 0x30a } }, { 0x170, { 'U', 0x30b } },
	{ 0x171, { 'u', 0x30b } }, { 0x172, { 'U', 0x328 } },
	{ 0x173, { 'u', 0x328 } }, { 0x174, { 'W', 0x302 } },
	{ 0x175, { 'w', 0x302 } }, { 0x176, { 'Y', 0x302 } },
	{ 0x177, { 'y', 0x302 } }, { 0x178, { 'Y', 0x308 } },
	{ 0x179, { 'Z', 0x301 } }, { 0x17a, { 'z', 0x301 } },
	{ 0x17b, { 'Z', 0x307 } }, { 0x17c, { 'z', 0x307 } },
	{ 0x17d, { 'Z', 0x306 } }, { 0x17e, { 'z', 0x306 } },
	{ 0x17f, { 'f' } }, { 0x180, { 'b', 0x335 } }, { 0x181, { '\'', 'B' } },
	{ 0x182, { 'b', 0x304 } }, { 0x183, { 'b', 0x304 } },
	{ 0x184, { 'b' } }, { 0x187, { 'C', '\'' } }, { 0x189, { 'D', 0x335 } },
	{ 0x18a, { '\'', 'D' } }, { 0x18c, { 'd', 0x304 } }, { 0x18d, { 'g' } },
	{ 0x191, { 'F', 0x326 } }, { 0x192, { 'f', 0x326 } },
	{ 0x193, { 'G', '\'' } }, { 0x196, { 'l' } }, { 0x197, { 'l', 0x335 } },
	{ 0x198, { 'K', '\'' } }, { 0x199, { 'k', 0x314 } },
	{ 0x19a, { 'l', 0x335 } }, { 0x19d, { 'N', 0x326 } },
	{ 0x19e, { 'n', 0x329 } }, { 0x19f, { 'O', 0x335 } },
	{ 0x1a0, { 'O', 0x31b } }, { 0x1a1, { 'o', 0x31b } },
	{ 0x1a4, { '\'', 'P' } }, { 0x1a5, { 'p', 0x314 } }, { 0x1a6, { 'R' } },
	{ 0x1a7, { '2' } }, { 0x1ac, { '\'', 'T' } }, { 0x1ad, { 't', 0x314 } },
	{ 0x1ae, { 'T', 0x328 } }, { 0x1af, { 'U', 0x31b } },
	{ 0x1b0, { 'u', 0x31b } }, { 0x1b3, { '\'', 'Y' } },
	{ 0x1b4, { 'y', 0x314 } }, { 0x1b5, { 'Z', 0x335 } },
	{ 0x1b6, { 'z', 0x335 } }, { 0x1b7, { '3' } },
	{ 0x1bb, { '2', 0x335 } }, { 0x1bc, { '5' } }, { 0x1bd, { 's' } },
	{ 0x1bf, { 0xfe } }, { 0x1c0, { 'l' } }, { 0x1c1, { 'l', 'l' } },
	{ 0x1c3, { '!' } }, { 0x1c4, { 'D', 'Z', 0x306 } },
	{ 0x1c5, { 'D', 'z', 0x306 } }, { 0x1c6, { 'd', 'z', 0x306 } },
	{ 0x1c7, { 'L', 'J' } }, { 0x1c8, { 'L', 'j' } },
	{ 0x1c9, { 'l', 'j' } }, { 0x1ca, { 'N', 'J' } },
	{ 0x1cb, { 'N', 'j' } }, { 0x1cc, { 'n', 'j' } },
	{ 0x1cd, { 'A', 0x306 } }, { 0x1ce, { 'a', 0x306 } },
	{ 0x1cf, { 'l', 0x306 } }, { 0x1d0, { 'i', 0x306 } },
	{ 0x1d1, { 'O', 0x306 } }, { 0x1d2, { 'o', 0x306 } },
	{ 0x1d3, { 'U', 0x306 } }, { 0x1d4, { 'u', 0x306 } },
	{ 0x1d5, { 'U', 0x308, 0x304 } }, { 0x1d6, { 'u', 0x308, 0x304 } },
	{ 0x1d7, { 'U', 0x308, 0x301 } }, { 0x1d8, { 'u', 0x308, 0x301 } },
	{ 0x1d9, { 'U', 0x308, 0x306 } }, { 0x1da, { 'u', 0x308, 0x306 } },
	{ 0x1db, { 'U', 0x308, 0x300 } }, { 0x1dc, { 'u', 0x308, 0x300 } },
	{ 0x1de, { 'A', 0x308, 0x304 } }, { 0x1df, { 'a', 0x308, 0x304 } },
	{ 0x1e0, { 'A', 0x307, 0x304 } }, { 0x1e1, { 'a', 0x307, 0x304 } },
	{ 0x1e2, { 'A', 'E', 0x304 } }, { 0x1e3, { 'a', 'e', 0x304 } },
	{ 0x1e4, { 'G', 0x335 } }, { 0x1e5, { 'g', 0x335 } },
	{ 0x1e6, { 'G', 0x306 } }, { 0x1e7, { 'g', 0x306 } },
	{ 0x1e8, { 'K', 0x306 } }, { 0x1e9, { 'k', 0x306 } },
	{ 0x1ea, { 'O', 0x328 } }, { 0x1eb, { 'o', 0x328 } },
	{ 0x1ec, { 'O', 0x328, 0x304 } }, { 0x1ed, { 'o', 0x328, 0x304 } },
	{ 0x1ee, { '3', 0x306 } }, { 0x1ef, { 0x21d, 0x306 } },
	{ 0x1f0, { 'j', 0x306 } }, { 0x1f1, { 'D', 'Z' } },
	{ 0x1f2, { 'D', 'z' } }, { 0x1f3, { 'd', 'z' } },
	{ 0x1f4, { 'G', 0x301 } }, { 0x1f5, { 'g', 0x301 } },
	{ 0x1f8, { 'N', 0x300 } }, { 0x1f9, { 'n', 0x300 } },
	{ 0x1fa, { 'A', 0x30a, 0x301 } }, { 0x1fb, { 'a', 0x30a, 0x301 } },
	{ 0x1fc, { 'A', 'E', 0x301 } }, { 0x1fd, { 'a', 'e', 0x301 } },
	{ 0x1fe, { 'O', 0x338, 0x301 } }, { 0x1ff, { 'o', 0x338, 0x301 } },
	{ 0x200, { 'A', 0x30f } }, { 0x201, { 'a', 0x30f } },
	{ 0x202, { 'A', 0x302 } }, { 0x203, { 'a', 0x302 } },
	{ 0x204, { 'E', 0x30f } }, { 0x205, { 'e', 0x30f } },
	{ 0x206, { 'E', 0x302 } }, { 0x207, { 'e', 0x302 } },
	{ 0x208, { 'l', 0x30f } }, { 0x209, { 'i', 0x30f } },
	{ 0x20a, { 'l', 0x302 } }, { 0x20b, { 'i', 0x302 } },
	{ 0x20c, { 'O', 0x30f } }, { 0x20d, { 'o', 0x30f } },
	{ 0x20e, { 'O', 0x302 } }, { 0x20f, { 'o', 0x302 } },
	{ 0x210, { 'R', 0x30f } }, { 0x211, { 'r', 0x30f } },
	{ 0x212, { 'R', 0x302 } }, { 0x213, { 'r', 0x302 } },
	{ 0x214, { 'U', 0x30f } }, { 0x215, { 'u', 0x30f } },
	{ 0x216, { 'U', 0x302 } }, { 0x217, { 'u', 0x302 } },
	{ 0x218, { 'S', 0x326 } }, { 0x219, { 's', 0x326 } },
	{ 0x21a, { 'T', 0x326 } }, { 0x21b, { 't', 0x326 } },
	{ 0x21c, { '3' } }, { 0x21e, { 'H', 0x306 } },
	{ 0x21f, { 'h', 0x306 } }, { 0x222, { '8' } }, { 0x223, { '8' } },
	{ 0x224, { 'Z', 0x326 } }, { 0x225, { 'z', 0x326 } },
	{ 0x226, { 'A', 0x307 } }, { 0x227, { 'a', 0x307 } },
	{ 0x228, { 'E', 0x326 } }, { 0x229, { 'e', 0x326 } },
	{ 0x22a, { 'O', 0x308, 0x304 } }, { 0x22b, { 'o', 0x308, 0x304 } },
	{ 0x22c, { 'O', 0x303, 0x304 } }, { 0x22d, { 'o', 0x303, 0x304 } },
	{ 0x22e, { 'O', 0x307 } }, { 0x22f, { 'o', 0x307 } },
	{ 0x230, { 'O', 0x307, 0x304 } }, { 0x231, { 'o', 0x307, 0x304 } },
	{ 0x232, { 'Y', 0x304 } }, { 0x233, { 'y', 0x304 } },
	{ 0x23c, { 'c', 0x338 } }, { 0x23e, { 'T', 0x338 } },
	{ 0x241, { '?' } }, { 0x244, { 'U', 0x335 } },
	{ 0x246, { 'E', 0x338 } }, { 0x247, { 'e', 0x338 } },
	{ 0x248, { 'J', 0x335 } }, { 0x249, { 'j', 0x335 } },
	{ 0x24d, { 'r', 0x335 } }, { 0x24e, { 'Y', 0x335 } },
	{ 0x24f, { 'y', 0x335 } }, { 0x251, { 'a' } },
	{ 0x253, { 'b', 0x314 } }, { 0x256, { 'd', 0x328 } },
	{ 0x257, { 'd', 0x314 } }, { 0x259, { 0x1dd } },
	{ 0x25a, { 0x1dd, 0x2de } }, { 0x25b, { 0xa793 } },
	{ 0x260, { 'g', 0x314 } }, { 0x261, { 'g' } }, { 0x263, { 'y' } },
	{ 0x266, { 'h', 0x314 } }, { 0x268, { 'i', 0x335 } },
	{ 0x269, { 'i' } }, { 0x26a, { 'i' } }, { 0x26b, { 'l', 0x334 } },
	{ 0x26d, { 'l', 0x328 } }, { 0x26e, { 'l', 0x21d } },
	{ 0x26f, { 'w' } }, { 0x271, { 'r', 'n', 0x326 } },
	{ 0x273, { 'n', 0x328 } }, { 0x275, { 'o', 0x335 } },
	{ 0x276, { 'o', 0x1d07 } }, { 0x27c, { 'r', 0x329 } },
	{ 0x27d, { 'r', 0x328 } }, { 0x282, { 's', 0x328 } },
	{ 0x28b, { 'u' } }, { 0x28f, { 'y' } }, { 0x290, { 'z', 0x328 } },
	{ 0x292, { 0x21d } }, { 0x294, { '?' } }, { 0x2a0, { 'q', 0x314 } },
	{ 0x2a3, { 'd', 'z' } }, { 0x2a4, { 'd', 0x21d } },
	{ 0x2a5, { 'd', 0x291 } }, { 0x2a6, { 't', 's' } },
	{ 0x2a7, { 't', 0x283 } }, { 0x2a8, { 't', 0x255 } },
	{ 0x2a9, { 'f', 0x14b } }, { 0x2aa, { 'l', 's' } },
	{ 0x2ab, { 'l', 'z' } }, { 0x305, { 0x304 } }, { 0x30c, { 0x306 } },
	{ 0x30d, { 0x670 } }, { 0x310, { 0x306, 0x307 } }, { 0x311, { 0x302 } },
	{ 0x315, { 0x313 } }, { 0x317, { 0x650 } }, { 0x320, { 0x331 } },
	{ 0x321, { 0x326 } }, { 0x322, { 0x328 } }, { 0x327, { 0x326 } },
	{ 0x336, { 0x335 } }, { 0x337, { 0x338 } }, { 0x339, { 0x326 } },
	{ 0x340, { 0x300 } }, { 0x341, { 0x301 } }, { 0x342, { 0x303 } },
	{ 0x343, { 0x313 } }, { 0x344, { 0x308, 0x301 } }, { 0x345, { 0x328 } },
	{ 0x347, { 0x333 } }, { 0x357, { 0x350 } }, { 0x358, { 0x307 } },
	{ 0x366, { 0x30a } }, { 0x36e, { 0x306 } }, { 0x370, { 0x2c75 } },
	{ 0x374, { '\'' } }, { 0x375, { 0x2cf } }, { 0x376, { 0x418 } },
	{ 0x377, { 0x1d0e } }, { 0x37a, { 'i' } }, { 0x37b, { 0x254 } },
	{ 0x37d, { 0xa73f } }, { 0x37e, { ';' } }, { 0x37f, { 'J' } },
	{ 0x384, { '\'' } }, { 0x385, { 0xa8, 0x301 } },
	{ 0x386, { 'A', 0x301 } }, { 0x387, { 0xb7 } },
	{ 0x388, { 'E', 0x301 } }, { 0x389, { 'H', 0x301 } },
	{ 0x38a, { 'l', 0x301 } }, { 0x38c, { 'O', 0x301 } },
	{ 0x38e, { 'Y', 0x301 } }, { 0x38f, { 0x3a9, 0x301 } },
	{ 0x390, { 'i', 0x308, 0x301 } }, { 0x391, { 'A' } },
	{ 0x392, { 'B' } }, { 0x395, { 'E' } }, { 0x396, { 'Z' } },
	{ 0x397, { 'H' } }, { 0x398, { 'O', 0x335 } }, { 0x399, { 'l' } },
	{ 0x39a, { 'K' } }, { 0x39b, { 0x245 } }, { 0x39c, { 'M' } },
	{ 0x39d, { 'N' } }, { 0x39f, { 'O' } }, { 0x3a1, { 'P' } },
	{ 0x3a3, { 0x1a9 } }, { 0x3a4, { 'T' } }, { 0x3a5, { 'Y' } },
	{ 0x3a7, { 'X' } }, { 0x3aa, { 'l', 0x308 } },
	{ 0x3ab, { 'Y', 0x308 } }, { 0x3ac, { 'a', 0x301 } },
	{ 0x3ad, { 0xa793, 0x301 } }, { 0x3ae, { 'n', 0x329, 0x301 } },
	{ 0x3af, { 'i', 0x301 } }, { 0x3b0, { 'u', 0x308, 0x301 } },
	{ 0x3b1, { 'a' } }, { 0x3b2, { 0xdf } }, { 0x3b3, { 'y' } },
	{ 0x3b4, { 0x1e9f } }, { 0x3b5, { 0xa793 } }, { 0x3b7, { 'n', 0x329 } },
	{ 0x3b8, { 'O', 0x335 } }, { 0x3b9, { 'i' } }, { 0x3ba, { 0x138 } },
	{ 0x3bd, { 'v' } }, { 0x3bf, { 'o' } }, { 0x3c1, { 'p' } },
	{ 0x3c3, { 'o' } }, { 0x3c4, { 0x1d1b } }, { 0x3c5, { 'u' } },
	{ 0x3c6, { 0x278 } }, { 0x3ca, { 'i', 0x308 } },
	{ 0x3cb, { 'u', 0x308 } }, { 0x3cc, { 'o', 0x301 } },
	{ 0x3cd, { 'u', 0x301 } }, { 0x3ce, { 0x3c9, 0x301 } },
	{ 0x3d0, { 0xdf } }, { 0x3d1, { 'O', 0x335 } }, { 0x3d2, { 'Y' } },
	{ 0x3d3, { 'Y', 0x301 } }, { 0x3d4, { 'Y', 0x308 } },
	{ 0x3d5, { 0x278 } }, { 0x3d6, { 0x3c0 } }, { 0x3db, { 0x3c2 } },
	{ 0x3dc, { 'F' } }, { 0x3e8, { '2' } }, { 0x3e9, { 0x1a8 } },
	{ 0x3f0, { 0x138 } }, { 0x3f1, { 'p' } }, { 0x3f2, { 'c' } },
	{ 0x3f3, { 'j' } }, { 0x3f4, { 'O', 0x335 } }, { 0x3f5, { 0xa793 } },
	{ 0x3f7, { 0xde } }, { 0x3f8, { 0xfe } }, { 0x3f9, { 'C' } },
	{ 0x3fa, { 'M' } }, { 0x3fd, { 0x186 } }, { 0x3ff, { 0xa73e } },
	{ 0x400, { 'E', 0x300 } }, { 0x401, { 'E', 0x308 } },
	{ 0x403, { 0x393, 0x301 } }, { 0x404, { 0xa792 } }, { 0x405, { 'S' } },
	{ 0x406, { 'l' } }, { 0x407, { 'l', 0x308 } }, { 0x408, { 'J' } },
	{ 0x40c, { 'K', 0x301 } }, { 0x40d, { 0x418, 0x300 } },
	{ 0x40e, { 'Y', 0x306 } }, { 0x410, { 'A' } },
	{ 0x411, { 'b', 0x304 } }, { 0x412, { 'B' } }, { 0x413, { 0x393 } },
	{ 0x415, { 'E' } }, { 0x417, { '3' } }, { 0x419, { 0x418, 0x306 } },
	{ 0x41a, { 'K' } }, { 0x41b, { 0x245 } }, { 0x41c, { 'M' } },
	{ 0x41d, { 'H' } }, { 0x41e, { 'O' } }, { 0x41f, { 0x3a0 } },
	{ 0x420, { 'P' } }, { 0x421, { 'C' } }, { 0x422, { 'T' } },
	{ 0x423, { 'Y' } }, { 0x424, { 0x3a6 } }, { 0x425, { 'X' } },
	{ 0x42b, { 'b', 'l' } }, { 0x42c, { 'b' } }, { 0x42e, { 'l', 'O' } },
	{ 0x430, { 'a' } }, { 0x431, { '6' } }, { 0x432, { 0x299 } },
	{ 0x433, { 'r' } }, { 0x435, { 'e' } }, { 0x437, { 0x25c } },
	{ 0x438, { 0x1d0e } }, { 0x439, { 0x1d0e, 0x306 } },
	{ 0x43a, { 0x138 } }, { 0x43c, { 0x28d } }, { 0x43d, { 0x29c } },
	{ 0x43e, { 'o' } }, { 0x43f, { 0x3c0 } }, { 0x440, { 'p' } },
	{ 0x441, { 'c' } }, { 0x442, { 0x1d1b } }, { 0x443, { 'y' } },
	{ 0x444, { 0x278 } }, { 0x445, { 'x' } }, { 0x44a, { 0x2c9, 'b' } },
	{ 0x44b, { 0x185, 'i' } }, { 0x44c, { 0x185 } }, { 0x44f, { 0x1d19 } },
	{ 0x450, { 'e', 0x300 } }, { 0x451, { 'e', 0x308 } },
	{ 0x453, { 'r', 0x301 } }, { 0x454, { 0xa793 } }, { 0x455, { 's' } },
	{ 0x456, { 'i' } }, { 0x457, { 'i', 0x308 } }, { 0x458, { 'j' } },
	{ 0x45b, { 'h', 0x335 } }, { 0x45c, { 0x138, 0x301 } },
	{ 0x45d, { 0x1d0e, 0x300 } }, { 0x45e, { 'y', 0x306 } },
	{ 0x461, { 'w' } }, { 0x462, { 'b', 0x335 } },
	{ 0x463, { 'b', 0x335 } }, { 0x470, { 0x3a8 } }, { 0x471, { 0x3c8 } },
	{ 0x472, { 'O', 0x335 } }, { 0x473, { 'o', 0x335 } },
	{ 0x474, { 'V' } }, { 0x475, { 'v' } }, { 0x476, { 'V', 0x30f } },
	{ 0x477, { 'v', 0x30f } }, { 0x47c, { 0x460, 0x486, 0x487 } },
	{ 0x47d, { 'w', 0x486, 0x487 } }, { 0x48a, { 0x418, 0x326, 0x300 } },
	{ 0x48b, { 0x1d0e, 0x326, 0x306 } }, { 0x48c, { 'b', 0x335 } },
	{ 0x48d, { 'b', 0x335 } }, { 0x490, { 0x393, '\'' } },
	{ 0x491, { 'r', '\'' } }, { 0x492, { 0x393, 0x335 } },
	{ 0x493, { 'r', 0x335 } }, { 0x496, { 0x416, 0x329 } },
	{ 0x497, { 0x436, 0x329 } }, { 0x498, { '3', 0x326 } },
	{ 0x499, { 0x25c, 0x326 } }, { 0x49a, { 'K', 0x329 } },
	{ 0x49b, { 0x138, 0x329 } }, { 0x49e, { 'K', 0x335 } },
	{ 0x49f, { 0x138, 0x335 } }, { 0x4a2, { 'H', 0x329 } },
	{ 0x4a3, { 0x29c, 0x329 } }, { 0x4aa, { 'C', 0x326 } },
	{ 0x4ab, { 'c', 0x326 } }, { 0x4ac, { 'T', 0x329 } },
	{ 0x4ad, { 0x1d1b, 0x329 } }, { 0x4ae, { 'Y' } }, { 0x4af, { 'y' } },
	{ 0x4b0, { 'Y', 0x335 } }, { 0x4b1, { 'y', 0x335 } },
	{ 0x4b2, { 'X', 0x329 } }, { 0x4bb, { 'h' } }, { 0x4bd, { 'e' } },
	{ 0x4be, { 0x4bc, 0x328 } }, { 0x4bf, { 'e', 0x328 } },
	{ 0x4c0, { 'l' } }, { 0x4c1, { 0x416, 0x306 } },
	{ 0x4c2, { 0x436, 0x306 } }, { 0x4c5, { 0x245, 0x326 } },
	{ 0x4c6, { 0x43b, 0x326 } }, { 0x4c7, { 'H', 0x326 } },
	{ 0x4c8, { 0x29c, 0x326 } }, { 0x4c9, { 'H', 0x326 } },
	{ 0x4ca, { 0x29c, 0x326 } }, { 0x4cb, { 0x4b6 } }, { 0x4cc, { 0x4b7 } },
	{ 0x4cd, { 'M', 0x326 } }, { 0x4ce, { 0x28d, 0x326 } },
	{ 0x4cf, { 'i' } }, { 0x4d0, { 'A', 0x306 } },
	{ 0x4d1, { 'a', 0x306 } }, { 0x4d2, { 'A', 0x308 } },
	{ 0x4d3, { 'a', 0x308 } }, { 0x4d4, { 'A', 'E' } },
	{ 0x4d5, { 'a', 'e' } }, { 0x4d6, { 'E', 0x306 } },
	{ 0x4d7, { 'e', 0x306 } }, { 0x4d8, { 0x18f } }, { 0x4d9, { 0x1dd } },
	{ 0x4da, { 0x18f, 0x308 } }, { 0x4db, { 0x1dd, 0x308 } },
	{ 0x4dc, { 0x416, 0x308 } }, { 0x4dd, { 0x436, 0x308 } },
	{ 0x4de, { '3', 0x308 } }, { 0x4df, { 0x25c, 0x308 } },
	{ 0x4e0, { '3' } }, { 0x4e1, { 0x21d } }, { 0x4e2, { 0x418, 0x304 } },
	{ 0x4e3, { 0x1d0e, 0x304 } }, { 0x4e4, { 0x418, 0x308 } },
	{ 0x4e5, { 0x1d0e, 0x308 } }, { 0x4e6, { 'O', 0x308 } },
	{ 0x4e7, { 'o', 0x308 } }, { 0x4e8, { 'O', 0x335 } },
	{ 0x4e9, { 'o', 0x335 } }, { 0x4ea, { 'O', 0x335, 0x308 } },
	{ 0x4eb, { 'o', 0x335, 0x308 } }, { 0x4ec, { 0x42d, 0x308 } },
	{ 0x4ed, { 0x44d, 0x308 } }, { 0x4ee, { 'Y', 0x304 } },
	{ 0x4ef, { 'y', 0x304 } }, { 0x4f0, { 'Y', 0x308 } },
	{ 0x4f1, { 'y', 0x308 } }, { 0x4f2, { 'Y', 0x30b } },
	{ 0x4f3, { 'y', 0x30b } }, { 0x4f4, { 0x427, 0x308 } },
	{ 0x4f5, { 0x447, 0x308 } }, { 0x4f8, { 'b', 'l', 0x308 } },
	{ 0x4f9, { 0x185, 'i', 0x308 } }, { 0x501, { 'd' } },
	{ 0x50a, { 0x1f6 } }, { 0x50c, { 'G' } }, { 0x50d, { 0x262 } },
	{ 0x510, { 0x190 } }, { 0x511, { 0xa793 } }, { 0x51b, { 'q' } },
	{ 0x51c, { 'W' } }, { 0x51d, { 'w' } }, { 0x2000, { ' ' } },
	{ 0x2001, { ' ' } }, { 0x2002, { ' ' } }, { 0x2003, { ' ' } },
	{ 0x2004, { ' ' } }, { 0x2005, { ' ' } }, { 0x2006, { ' ' } },
	{ 0x2007, { ' ' } }, { 0x2008, { ' ' } }, { 0x2009, { ' ' } },
	{ 0x200a, { ' ' } }, { 0x2010, { '-' } }, { 0x2011, { '-' } },
	{ 0x2012, { '-' } }, { 0x2013, { '-' } }, { 0x2014, { 0x30fc } },
	{ 0x2015, { 0x30fc } }, { 0x2016, { 'l', 'l' } }, { 0x2018, { '\'' } },
	{ 0x2019, { '\'' } }, { 0x201a, { ',' } }, { 0x201b, { '\'' } },
	{ 0x201c, { '\'', '\'' } }, { 0x201d, { '\'', '\'' } },
	{ 0x201f, { '\'', '\'' } }, { 0x2022, { 0xb7 } }, { 0x2024, { '.' } },
	{ 0x2025, { '.', '.' } }, { 0x2026, { '.', '.', '.' } },
	{ 0x2027, { 0xb7 } }, { 0x202f, { ' ' } }, { 0x2032, { '\'' } },
	{ 0x2033, { '\'', '\'' } }, { 0x2034, { '\'', '\'', '\'' } },
	{ 0x2035, { '\'' } }, { 0x2036, { '\'', '\'' } },
	{ 0x2037, { '\'', '\'', '\'' } }, { 0x2039, { '<' } },
	{ 0x203a, { '>' } }, { 0x203c, { '!', '!' } }, { 0x203e, { 0x2c9 } },
	{ 0x2041, { '/' } }, { 0x2043, { '-' } }, { 0x2044, { '/' } },
	{ 0x2047, { '?', '?' } }, { 0x2048, { '?', '!' } },
	{ 0x2049, { '!', '?' } }, { 0x204e, { '*' } },
	{ 0x2052, { 0xba, '/', 0x2080 } }, { 0x2053, { '~' } },
	{ 0x205a, { ':' } }, { 0x205d, { 0x2d57 } }, { 0x205e, { 0x2d42 } },
	{ 0x205f, { ' ' } }, { 0x2100, { 'a', '/', 'c' } },
	{ 0x2101, { 'a', '/', 's' } }, { 0x2102, { 'C' } },
	{ 0x2103, { 0xb0, 'C' } }, { 0x2105, { 'c', '/', 'o' } },
	{ 0x2106, { 'c', '/', 'u' } }, { 0x2107, { 0x190 } },
	{ 0x2108, { 0x42d } }, { 0x2109, { 0xb0, 'F' } }, { 0x210a, { 'g' } },
	{ 0x210b, { 'H' } }, { 0x210c, { 'H' } }, { 0x210d, { 'H' } },
	{ 0x210e, { 'h' } }, { 0x210f, { 'h', 0x335 } }, { 0x2110, { 'l' } },
	{ 0x2111, { 'l' } }, { 0x2112, { 'L' } }, { 0x2113, { 'l' } },
	{ 0x2115, { 'N' } }, { 0x2116, { 'N', 'o' } }, { 0x2119, { 'P' } },
	{ 0x211a, { 'Q' } }, { 0x211b, { 'R' } }, { 0x211c, { 'R' } },
	{ 0x211d, { 'R' } }, { 0x2121, { 'T', 'E', 'L' } }, { 0x2124, { 'Z' } },
	{ 0x2126, { 0x3a9 } }, { 0x2127, { 0x1b1 } }, { 0x2128, { 'Z' } },
	{ 0x2129, { 0x27f } }, { 0x212a, { 'K' } }, { 0x212b, { 'A', 0x30a } },
	{ 0x212c, { 'B' } }, { 0x212d, { 'C' } }, { 0x212e, { 'e' } },
	{ 0x212f, { 'e' } }, { 0x2130, { 'E' } }, { 0x2131, { 'F' } },
	{ 0x2133, { 'M' } }, { 0x2134, { 'o' } }, { 0x2135, { 0x5d0 } },
	{ 0x2136, { 0x5d1 } }, { 0x2137, { 0x5d2 } }, { 0x2138, { 0x5d3 } },
	{ 0x2139, { 'i' } }, { 0x213b, { 'F', 'A', 'X' } },
	{ 0x213c, { 0x3c0 } }, { 0x213d, { 'y' } }, { 0x213e, { 0x393 } },
	{ 0x213f, { 0x3a0 } }, { 0x2140, { 0x1a9 } }, { 0x2141, { 0xa4e8 } },
	{ 0x2142, { 0xa4f6 } }, { 0x2145, { 'D' } }, { 0x2146, { 'd' } },
	{ 0x2147, { 'e' } }, { 0x2148, { 'i' } }, { 0x2149, { 'j' } },
	{ 0x2160, { 'l' } }, { 0x2161, { 'l', 'l' } },
	{ 0x2162, { 'l', 'l', 'l' } }, { 0x2163, { 'l', 'V' } },
	{ 0x2164, { 'V' } }, { 0x2165, { 'V', 'l' } },
	{ 0x2166, { 'V', 'l', 'l' } }, { 0x2168, { 'l', 'X' } },
	{ 0x2169, { 'X' } }, { 0x216a, { 'X', 'l' } },
	{ 0x216b, { 'X', 'l', 'l' } }, { 0x216c, { 'L' } }, { 0x216d, { 'C' } },
	{ 0x216e, { 'D' } }, { 0x216f, { 'M' } }, { 0x2170, { 'i' } },
	{ 0x2171, { 'i', 'i' } }, { 0x2172, { 'i', 'i', 'i' } },
	{ 0x2173, { 'i', 'v' } }, { 0x2174, { 'v' } }, { 0x2175, { 'v', 'i' } },
	{ 0x2176, { 'v', 'i', 'i' } }, { 0x2178, { 'i', 'x' } },
	{ 0x2179, { 'x' } }, { 0x217a, { 'x', 'i' } },
	{ 0x217b, { 'x', 'i', 'i' } }, { 0x217c, { 'l' } }, { 0x217d, { 'c' } },
	{ 0x217e, { 'd' } }, { 0x217f, { 'r', 'n' } }, { 0x2183, { 0x186 } },
	{ 0x2184, { 0x254 } }, { 0x3000, { ' ' } },
};

/* clang-format on */

static int compare_look(const void *point, const void *look)
{
	const uint32_t wanted = *(const uint32_t *)point;
	const struct skeleton_look *l = look;

	return wanted < l->from ? -1 : wanted > l->from;
}

static const struct skeleton_look *find_skeleton(uint32_t point)
{
	return bsearch(&point, looks, COUNT(looks), sizeof(*looks),
		       compare_look);
}

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

static bool is_full_width(uint32_t point)
{
	return point >= FULL_WIDTH && point <= FULL_WIDTH_END;
}

bool text_has_look(uint32_t point)
{
	return is_full_width(point) || find_skeleton(point);
}

/* One character of more than a byte. */
static void add_character(struct buf *out, const char *text, size_t size)
{
	uint32_t point = text_point(text, size);
	const struct skeleton_look *look = find_skeleton(point);

	if (text_is_invisible(point))
		return;
	if (is_full_width(point)) {
		add_point(out, point - FULL_WIDTH + '!');
	} else if (look) {
		for (size_t i = 0; i < PARTS_MAX && look->to[i]; i++)
			add_point(out, look->to[i]);
	} else if (point < 0x10000) {
		add_point(out, point);
	} else {
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
