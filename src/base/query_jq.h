/* SPDX-License-Identifier: MIT */
/*
 * libjq behind a table: the part 'jq' (base/module.h), and what the process of
 * a query does with it. For base/query only.
 */
#ifndef BASE_QUERY_JQ_H
#define BASE_QUERY_JQ_H

#include "base/buf.h"
#include "base/json.h"

/* An output; string: text is decoded. False: no more is wanted. */
struct jq_sink {
	bool (*output)(void *owner, bool string, const char *text, size_t len);
	void *owner;
};

struct jq_table {
	/* A program for run; NULL: why has jq's words. */
	void *(*compile)(const char *text, struct buf *why);
	/* `value` as `.`, `line` as $line; false: why has jq's words. */
	bool (*run)(void *program, struct span value, struct span line,
		    const struct jq_sink *sink, struct buf *why);
};
extern const struct jq_table jq_table;

/* What goes over the socket: this head, then so many bytes. */
struct query_frame {
	uint32_t len;
	char kind;
};
enum {
	/* to the process */
	FRAME_LINE = 'l',
	FRAME_VALUE = 'i', /* and now run */
	/* from it */
	FRAME_READY = 'k',
	FRAME_WRONG = 'w', /* it does not compile */
	FRAME_STRING = 's',
	FRAME_JSON = 'j',
	FRAME_FAILED = 'e',
	FRAME_TOO_MUCH = 'm', /* more than QUERY_OUTPUT_MAX */
	FRAME_INEXACT = 'x',
	FRAME_END = '.'
};

#endif
