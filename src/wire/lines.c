/* SPDX-License-Identifier: MIT */
/*
 * Bytes into lines. Keeps what has no end yet, up to a limit; does not look
 * at what is in a line.
 */
#include "wire/lines.h"

#include <string.h>

/* What a rare long line took is given back. */
#define KEEP_BYTES ((size_t)64 * 1024)

static void empty(struct buf *rest)
{
	if (rest->capacity > KEEP_BYTES)
		buf_done(rest);
	else
		buf_reset(rest);
}

void lines_release(struct lines *l)
{
	buf_done(&l->rest);
	l->skipping = false;
}

static void tell(const char *text, size_t len, lines_line *line, void *owner)
{
	if (len > 0 && text[len - 1] == '\r')
		len--;
	if (len > 0)
		line(owner, text, len);
}

/* Part of a line, its end not among it. */
static void take(struct lines *l, const char *data, size_t len,
		 lines_line *line, void *owner)
{
	if (l->skipping)
		return;
	if (len <= l->max - l->rest.len) {
		buf_add(&l->rest, data, len);
		return;
	}
	l->skipping = true;
	len += l->rest.len;
	empty(&l->rest);
	line(owner, NULL, len);
}

/* All of the rest is a line. */
static void end_line(struct lines *l, lines_line *line, void *owner)
{
	if (!l->skipping)
		tell(buf_string(&l->rest), l->rest.len, line, owner);
	l->skipping = false;
	empty(&l->rest);
}

void lines_feed(struct lines *l, const char *data, size_t len, lines_line *line,
		void *owner)
{
	while (len > 0) {
		const char *end = memchr(data, '\n', len);
		size_t part = end ? (size_t)(end - data) : len;

		if (end && !l->skipping && l->rest.len == 0 && part <= l->max) {
			/* The usual case: nothing is copied. */
			tell(data, part, line, owner);
		} else {
			take(l, data, part, line, owner);
			if (end)
				end_line(l, line, owner);
		}
		part += end != NULL;
		data += part;
		len -= part;
	}
}

void lines_finish(struct lines *l, lines_line *line, void *owner)
{
	end_line(l, line, owner);
}
