/* SPDX-License-Identifier: MIT */
/*
 * Reads a pattern (ECMA) and writes on the way. An atom with a count is read
 * once to find its end, then once for each time that it is written.
 */
#include "mcp/pattern_text.h"
#include "base/text.h"
#include "base/utf8.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 24
#define STEPS_MAX 20000 /* atoms read: a count inside a count multiplies */

struct writer {
	const char *at;
	size_t repeat;
	struct buf *out; /* NULL: only reading */
	size_t depth, steps;
	size_t picks; /* members of classes so far, so that they are not all alike */
	bool failed;
};

static void read_choices(struct writer *w);

static void put(struct writer *w, const char *text, size_t len)
{
	if (w->out && buf_add(w->out, text, len) != 0)
		w->failed = true;
}

static bool take(struct writer *w, const char *word)
{
	if (!text_starts(w->at, word))
		return false;
	w->at += strlen(word);
	return true;
}

/* ---- classes: ASCII only ---- */

struct set {
	bool has[128];
};

static void set_add(struct set *s, const char *members, bool others)
{
	for (int c = ' '; c < 127; c++)
		s->has[c] |= (strchr(members, c) == NULL) == others;
}

static const char digits[] = "0123456789";
static const char word[] =
	"abcdefghijklmnopqrstuvwxyz0123456789_ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/* \d and its like; false: it is none of these. */
static bool add_kind(struct set *s, char letter)
{
	static const struct {
		char letter;
		const char *members;
	} kinds[] = { { 'd', digits }, { 'w', word }, { 's', " " } };

	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (tolower((unsigned char)letter) != kinds[i].letter)
			continue;
		set_add(s, kinds[i].members, isupper((unsigned char)letter));
		return true;
	}
	return false;
}

/* Words begin with letters here; what is odd comes last. */
static void put_member(struct writer *w, const struct set *s)
{
	static const char order[] =
		"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_-. !\"#$%&'()*+,/:;<=>?@[\\]^`{|}~";
	char members[sizeof(order)];
	size_t count = 0;
	bool letters = s->has['a'] || s->has['A'];

	for (const char *c = order; *c; c++) {
		if (s->has[(unsigned char)*c] &&
		    (!letters || isalpha((unsigned char)*c)))
			members[count++] = *c;
	}
	if (count == 0)
		w->failed = true;
	else
		put(w, &members[w->picks++ % count], 1);
}

/* The character that a backslash makes; 0: it makes none, or none of ASCII. */
static char escaped(struct writer *w)
{
	static const char letters[] = "nrtfv", means[] = "\n\r\t\f\v";
	const char *known = strchr(letters, *w->at);
	char letter = *w->at;

	if (!letter)
		return 0;
	w->at++;
	if (known)
		return means[known - letters];
	return isalnum((unsigned char)letter) ? 0 : letter;
}

/* One member, or the end of a range. */
static char class_character(struct writer *w)
{
	char c = *w->at;

	if (c == '\\') {
		w->at++;
		return escaped(w);
	}
	if (c)
		w->at++;
	return c;
}

static void read_class_item(struct writer *w, struct set *s)
{
	char first, last;

	if (*w->at == '\\' && add_kind(s, w->at[1])) {
		w->at += 2;
		return;
	}
	first = last = class_character(w);
	if (*w->at == '-' && w->at[1] && w->at[1] != ']') {
		w->at++;
		last = class_character(w);
	}
	/* Beyond ASCII: the other members are enough. */
	if (!first || !last)
		w->failed = true;
	for (unsigned char c = (unsigned char)first;
	     c < 128 && c <= (unsigned char)last; c++)
		s->has[c] = true;
}

static void read_class(struct writer *w)
{
	struct set s = { 0 }, chosen = { 0 };
	bool others = take(w, "^");

	while (*w->at && *w->at != ']' && !w->failed)
		read_class_item(w, &s);
	if (!take(w, "]"))
		w->failed = true;
	for (int c = ' '; c < 127; c++)
		chosen.has[c] = s.has[c] != others;
	put_member(w, &chosen);
}

/* ---- atoms ---- */

static void read_escape(struct writer *w)
{
	struct set s = { 0 };
	char c;

	if (*w->at == 'b' || *w->at == 'B') {
		w->at++;
		return;
	}
	if (*w->at && add_kind(&s, *w->at)) {
		w->at++;
		put_member(w, &s);
		return;
	}
	c = escaped(w);
	if (c)
		put(w, &c, 1);
	else
		w->failed = true;
}

/* NOLINTNEXTLINE(misc-no-recursion): to DEPTH_MAX */
static void read_group(struct writer *w)
{
	if (take(w, "?") && !take(w, ":")) {
		const char *end = strchr(w->at, '>');

		/* Looking ahead and behind is more than is known here. */
		if (*w->at != '<' || !end || strchr("=!", w->at[1])) {
			w->failed = true;
			return;
		}
		w->at = end + 1;
	}
	if (w->depth++ >= DEPTH_MAX)
		w->failed = true;
	else
		read_choices(w);
	w->depth--;
	if (!take(w, ")"))
		w->failed = true;
}

/* NOLINTNEXTLINE(misc-no-recursion): to DEPTH_MAX */
static void read_atom(struct writer *w)
{
	size_t size;

	if (w->steps++ > STEPS_MAX) {
		w->failed = true;
	} else if (take(w, "(")) {
		read_group(w);
	} else if (take(w, "[")) {
		read_class(w);
	} else if (take(w, "\\")) {
		read_escape(w);
	} else if (take(w, ".")) {
		put(w, "x", 1);
	} else if (take(w, "^") || take(w, "$")) {
		return;
	} else {
		size = text_utf8(w->at, strnlen(w->at, 4));
		put(w, w->at, size);
		w->at += size;
		if (size == 0 || strchr("*+?{", w->at[-1]))
			w->failed = true;
	}
}

/* ---- counts ---- */

#define NO_MOST SIZE_MAX

static size_t read_number(struct writer *w)
{
	size_t n = 0;

	while (isdigit((unsigned char)*w->at) && n < PATTERN_TEXT_MAX)
		n = n * 10 + (size_t)(*w->at++ - '0');
	return n;
}

static void read_braces(struct writer *w, size_t *least, size_t *most)
{
	*least = *most = read_number(w);
	if (take(w, ","))
		*most = *w->at == '}' ? NO_MOST : read_number(w);
	if (!take(w, "}"))
		w->failed = true;
}

/* How often the atom is to be written; 1 if nothing is said. */
static size_t read_count(struct writer *w)
{
	size_t least = 0, most = NO_MOST, times;

	if (take(w, "?"))
		most = 1;
	else if (take(w, "+"))
		least = 1;
	else if (take(w, "{"))
		read_braces(w, &least, &most);
	else if (!take(w, "*"))
		return 1;
	take(w, "?");
	times = w->repeat > least ? w->repeat : least;
	return times < most ? times : most;
}

/* NOLINTNEXTLINE(misc-no-recursion): to DEPTH_MAX */
static void read_term(struct writer *w)
{
	struct writer ahead = *w;
	const char *start = w->at;
	size_t times;

	ahead.out = NULL;
	read_atom(&ahead);
	times = read_count(&ahead);
	w->steps = ahead.steps;
	w->failed |= ahead.failed;
	for (size_t i = 0; i < times && w->out && !w->failed; i++) {
		w->at = start;
		read_atom(w);
	}
	w->at = ahead.at;
}

/* The first choice is written, the others are read. */
/* NOLINTNEXTLINE(misc-no-recursion): to DEPTH_MAX */
static void read_choices(struct writer *w)
{
	struct buf *out = w->out;

	while (*w->at && *w->at != ')' && !w->failed) {
		if (take(w, "|"))
			w->out = NULL;
		else
			read_term(w);
	}
	w->out = out;
}

int pattern_text(const char *pattern, size_t repeat, struct buf *out)
{
	CLEANUP(buf_done) struct buf text = { .max = PATTERN_TEXT_MAX };
	struct writer w = { .at = pattern, .repeat = repeat, .out = &text };

	read_choices(&w);
	if (*w.at)
		w.failed = true;
	if (!w.failed)
		buf_add(out, buf_string(&text), text.len);
	return w.failed ? -1 : 0;
}
