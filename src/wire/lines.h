/* SPDX-License-Identifier: MIT */
/*
 * The framing of stdio: one message a line, no line break inside (mcp.md
 * 2024-11-05). Bytes go in as they come, whole lines come out. Pure.
 */
#ifndef WIRE_LINES_H
#define WIRE_LINES_H

#include "base/buf.h"
#include "base/error.h"

struct lines {
	struct buf rest; /* of a line that has no end yet */
	size_t max; /* bytes of a line; set before the first feed */
	bool skipping; /* inside a line that was too long */
};
void lines_release(struct lines *l);

/* Lent, no NUL behind it. It may not feed or release the lines it is from. */
typedef void lines_line(void *owner, const char *text, size_t len);

/*
 * Feed bytes; `line` is called for each line that they complete, without its
 * end (\n or \r\n); empty lines are left out. A line above max calls `line`
 * with text NULL and the bytes seen so far as len, once, and is skipped to its
 * end.
 */
void lines_feed(struct lines *l, const char *data, size_t len, lines_line *line,
		void *owner);

/* The input is over: what has no end counts as a line too. */
void lines_finish(struct lines *l, lines_line *line, void *owner);

#endif
