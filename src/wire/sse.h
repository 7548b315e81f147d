/* SPDX-License-Identifier: MIT */
/*
 * An HTTP event stream (text/event-stream, WHATWG HTML 9.2): bytes go in as
 * they come, in any pieces; events come out. Pure and bounded.
 */
#ifndef WIRE_SSE_H
#define WIRE_SSE_H

#include "base/buf.h"

struct sse_event { /* lent */
	const char *type; /* "message" if the stream names none */
	const char *data; /* lines joined with \n */
	size_t len;
	/* the last id so far, of this event or one before it; "" if none */
	const char *id;
	bool has_id; /* this event brought it */
};

struct sse_events {
	/* Also with empty data if it brought an id (2025-11-25: a stream that may be polled). */
	void (*event)(void *owner, const struct sse_event *e);
	void (*retry)(void *owner, int64_t ms); /* may be NULL */
	void (*too_long)(
		void *owner); /* an event above max was dropped; may be NULL */
};

struct sse {
	size_t max; /* bytes of one event's data, and of a line; set before the first feed */
	struct buf line, data, type;
	struct buf id,
		new_id; /* of the last whole event; of the one being read */
	bool has_id, has_data;
	bool skipping; /* the rest of a line that was too long */
	bool spoilt; /* the event being read was too long */
	bool after_cr, begun, json;
};
void sse_done(struct sse *s);
/* A new stream: what was half there goes, the last whole event's id stays. */
void sse_restart(struct sse *s);
/*
 * \r, \n and \r\n end a line, a BOM at the start and comments are skipped; an
 * id with a NUL or above 4 kB and a retry that is no number are ignored. An
 * event that the end of the stream cuts is never told. Inside events, s must
 * not be released.
 */
void sse_feed(struct sse *s, const char *data, size_t len,
	      const struct sse_events *events, void *owner);
/* Bytes of an event are there that its end is missing of. */
bool sse_is_amid(const struct sse *s);
/* It begins as JSON does: somebody gave a reply the wrong Content-Type. */
bool sse_is_json(const struct sse *s);

#endif
