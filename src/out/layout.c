/* SPDX-License-Identifier: MIT */
/*
 * A walk over the tokens of valid JSON, with a depth and no recursion.
 */
#include "out/layout.h"

#include <string.h>

#include "base/json.h"
#include "base/text.h"
#include "out/term.h"
#include "out/wrap.h"

#define FLAT_MOST 64 /* bytes of a container that stays on one line */

struct layout {
	struct buf *out;
	const char *at, *end;
	size_t depth;
	bool color;
	bool flat; /* inside a container that is on one line */
	bool key; /* the next string is a member's name */
	bool object[JSON_DEPTH_MAX + 2]; /* by depth */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t string_length(const char *at, const char *end)
{
	const char *p = at + 1;
	while (p < end && *p != '"')
		p += *p == '\\' && p + 1 < end ? 2 : 1;
	return (size_t)(p - at) + (p < end ? 1 : 0);
}

static size_t word_length(const char *at, const char *end)
{
	const char *p = at;
	while (p < end && !is_space(*p) && !strchr(",:]}", *p))
		p++;
	return p > at ? (size_t)(p - at) : 1;
}

/* Whether the container that begins here is small and holds no other. */
static bool is_flat(const char *at, const char *end)
{
	const char *stop = at + FLAT_MOST;
	for (const char *p = at + 1; p < end && p < stop;) {
		if (*p == '{' || *p == '[')
			return false;
		if (*p == '}' || *p == ']')
			return true;
		p += *p == '"' ? string_length(p, end) : 1;
	}
	return false;
}

static bool is_empty(const char *at, const char *end)
{
	do
		at++;
	while (at < end && is_space(*at));
	return at < end && (*at == '}' || *at == ']');
}

static void new_line(struct layout *l)
{
	if (l->flat) {
		buf_char(l->out, ' ');
		return;
	}
	buf_char(l->out, '\n');
	wrap_pad(l->out, 0, 2 * l->depth);
}

static void open_container(struct layout *l)
{
	char c = *l->at;
	bool empty = is_empty(l->at, l->end);
	l->flat = is_flat(l->at, l->end);
	if (l->depth <= JSON_DEPTH_MAX)
		l->depth++;
	l->object[l->depth] = c == '{';
	l->key = c == '{';
	buf_char(l->out, c);
	/* [1, 2] but { "a": 1 }: as people write it */
	if (!empty && !(l->flat && c == '['))
		new_line(l);
	l->at++;
}

static void close_container(struct layout *l)
{
	char c = *l->at++;
	size_t len = l->out->len;
	bool empty = len > 0 && (l->out->data[len - 1] == '{' ||
				 l->out->data[len - 1] == '[');
	if (l->depth > 0)
		l->depth--;
	if (!empty && !(l->flat && c == ']'))
		new_line(l);
	l->flat = false;
	buf_char(l->out, c);
}

static void add_token(struct layout *l, size_t len, enum paint paint)
{
	term_paint(l->out, l->color, paint);
	text_safe(l->out, l->at, len, TEXT_JSON);
	term_plain(l->out, l->color);
	l->at += len;
}

static void add_value(struct layout *l)
{
	bool number = *l->at == '-' || (*l->at >= '0' && *l->at <= '9');
	if (*l->at == '"')
		add_token(l, string_length(l->at, l->end),
			  l->key ? PAINT_KEY : PAINT_STRING);
	else
		add_token(l, word_length(l->at, l->end),
			  number ? PAINT_NUMBER : PAINT_WORD);
}

static void step(struct layout *l)
{
	switch (*l->at) {
	case '{':
	case '[':
		open_container(l);
		break;
	case '}':
	case ']':
		close_container(l);
		break;
	case ',':
		buf_char(l->out, ',');
		new_line(l);
		l->key = l->object[l->depth];
		l->at++;
		break;
	case ':':
		buf_text(l->out, ": ");
		l->key = false;
		l->at++;
		break;
	default:
		add_value(l);
	}
}

void json_layout(struct buf *out, const char *text, size_t len, bool color)
{
	struct layout l = {
		.out = out, .at = text, .end = text + len, .color = color
	};
	while (l.at < l.end) {
		if (is_space(*l.at))
			l.at++;
		else
			step(&l);
	}
}
