/* SPDX-License-Identifier: MIT */
/*
 * HTTP event streams: bytes into lines, lines into events (WHATWG HTML 9.2.6).
 * No HTTP, no JSON, and no waiting for a stream to be taken up again.
 */
#include "wire/sse.h"

#include <string.h>

#include "base/text.h"

#define ID_MAX 4096
#define TYPE_MAX 256
#define KEEP_MAX 65536 /* memory that is kept for the next event */

struct feeding {
	struct sse *s;
	const struct sse_events *events;
	void *owner;
};

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->data);
	buf_done(&s->type);
	buf_done(&s->id);
	buf_done(&s->new_id);
	*s = (struct sse){ .max = s->max };
}

static void empty(struct buf *b)
{
	if (b->capacity > KEEP_MAX)
		buf_done(b);
	else
		buf_reset(b);
}

static void next_event(struct sse *s)
{
	empty(&s->data);
	buf_reset(&s->type);
	s->has_data = s->has_id = s->spoilt = false;
}

void sse_restart(struct sse *s)
{
	next_event(s);
	empty(&s->line);
	s->skipping = s->after_cr = s->begun = s->json = false;
}

bool sse_is_amid(const struct sse *s)
{
	return s->line.len || s->skipping || s->spoilt || s->has_data ||
	       s->has_id || s->type.len;
}

static bool begins_json(const char *line, size_t len)
{
	size_t mark = text_mark(line, len);

	return mark < len && (line[mark] == '{' || line[mark] == '[');
}

bool sse_is_json(const struct sse *s)
{
	return s->begun ? s->json :
			  begins_json(buf_string(&s->line), s->line.len);
}

/* The end of an event. Its id counts from here on, even if it was too long. */
static void dispatch(const struct feeding *f)
{
	struct sse *s = f->s;
	const struct sse_event e = {
		.type = s->type.len ? s->type.data : "message",
		.data = buf_string(&s->data),
		.len = s->data.len,
		.id = buf_string(s->has_id ? &s->new_id : &s->id),
		.has_id = s->has_id,
	};
	bool tell = !s->spoilt && (s->has_data || s->has_id);

	if (tell)
		f->events->event(f->owner, &e);
	if (s->has_id) {
		buf_reset(&s->id);
		buf_add(&s->id, buf_string(&s->new_id), s->new_id.len);
	}
	next_event(s);
}

static void spoil(const struct feeding *f)
{
	struct sse *s = f->s;

	if (s->spoilt)
		return;
	s->spoilt = true;
	empty(&s->data);
	if (f->events->too_long)
		f->events->too_long(f->owner);
}

static void take_data(const struct feeding *f, const char *value, size_t len)
{
	struct sse *s = f->s;

	if (s->spoilt)
		return;
	if (len > s->max || s->data.len + s->has_data > s->max - len) {
		spoil(f);
		return;
	}
	if (s->has_data)
		buf_char(&s->data, '\n');
	buf_add(&s->data, value, len);
	s->has_data = true;
}

static void take_id(struct sse *s, const char *value, size_t len)
{
	if (len > ID_MAX || memchr(value, '\0', len))
		return;
	buf_reset(&s->new_id);
	buf_add(&s->new_id, value, len);
	s->has_id = true;
}

/* Only ASCII digits (WHATWG HTML 9.2.6); more than fit are as many as fit. */
static void take_retry(const struct feeding *f, const char *value, size_t len)
{
	int64_t ms = 0;

	for (size_t i = 0; i < len; i++) {
		if (value[i] < '0' || value[i] > '9')
			return;
		if (ms < INT64_MAX / 100)
			ms = ms * 10 + (value[i] - '0');
	}
	if (len > 0 && f->events->retry)
		f->events->retry(f->owner, ms);
}

static bool is_field(const char *name, const char *line, size_t len)
{
	return len == strlen(name) && memcmp(line, name, len) == 0;
}

static void take_field(const struct feeding *f, const char *line, size_t len)
{
	const char *colon = memchr(line, ':', len);
	size_t name = colon ? (size_t)(colon - line) : len;
	const char *value = colon ? colon + 1 : line + len;
	size_t left = (size_t)(line + len - value);

	if (left > 0 && *value == ' ') {
		value++;
		left--;
	}
	if (is_field("data", line, name)) {
		take_data(f, value, left);
	} else if (is_field("event", line, name)) {
		buf_reset(&f->s->type);
		buf_add(&f->s->type, value,
			strnlen(value, left < TYPE_MAX ? left : TYPE_MAX));
	} else if (is_field("id", line, name)) {
		take_id(f->s, value, left);
	} else if (is_field("retry", line, name)) {
		take_retry(f, value, left);
	}
}

static void take_line(const struct feeding *f, const char *line, size_t len)
{
	size_t mark = f->s->begun ? 0 : text_mark(line, len);

	if (!f->s->begun)
		f->s->json = begins_json(line, len);
	line += mark;
	len -= mark;
	f->s->begun = true;
	if (len == 0)
		dispatch(f);
	else if (*line != ':')
		take_field(f, line, len);
}

static bool fits(const struct sse *s, size_t more)
{
	return s->line.len + more <= s->max + sizeof("data: ") - 1;
}

/* The line is too long. A comment is part of no event. */
static void skip_line(const struct feeding *f, const char *part)
{
	struct sse *s = f->s;

	if ((s->line.len ? *s->line.data : *part) != ':')
		spoil(f);
	empty(&s->line);
	s->skipping = true;
}

/* A part of a line whose end has not come yet. */
static void keep_part(const struct feeding *f, const char *part, size_t len)
{
	if (f->s->skipping || len == 0)
		return;
	if (fits(f->s, len))
		buf_add(&f->s->line, part, len);
	else
		skip_line(f, part);
}

static void end_line(const struct feeding *f, const char *part, size_t len)
{
	struct sse *s = f->s;

	if (s->line.len || s->skipping || !fits(s, len)) {
		keep_part(f, part, len);
		if (!s->skipping)
			take_line(f, buf_string(&s->line), s->line.len);
		s->skipping = false;
		s->begun = true;
		empty(&s->line);
	} else {
		take_line(f, part, len);
	}
}

static size_t line_length(const char *data, size_t len)
{
	size_t i = 0;

	while (i < len && data[i] != '\n' && data[i] != '\r')
		i++;
	return i;
}

void sse_feed(struct sse *s, const char *data, size_t len,
	      const struct sse_events *events, void *owner)
{
	const struct feeding f = { s, events, owner };
	size_t at = 0;

	while (at < len) {
		size_t part;

		/* \r\n may come in two pieces. */
		if (s->after_cr && data[at] == '\n')
			at++;
		s->after_cr = false;
		part = line_length(data + at, len - at);
		if (at + part == len) {
			keep_part(&f, data + at, part);
			return;
		}
		end_line(&f, data + at, part);
		at += part;
		s->after_cr = data[at++] == '\r';
	}
}
