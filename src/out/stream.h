/* SPDX-License-Identifier: MIT */
/*
 * How the three renderers write: whole pieces, after the count-down line is
 * out of the way. Nothing else writes to the renderer's streams.
 */
#ifndef OUT_STREAM_H
#define OUT_STREAM_H

#include "out/render.h"

/* Write to stdout or stderr; the buffer is emptied. */
void put_out(struct renderer *r, struct buf *b);
void put_err(struct renderer *r, struct buf *b);

/*
 * What a peer sent, as stdout gets it: exact for a pipe or a file, safe for a
 * terminal. A newline follows if there is none and `newline` is true.
 */
void put_received(struct renderer *r, const char *text, size_t len,
		  bool newline);

/* The member of a message's text, as received, without white space between
   its tokens; "null" if it has none. */
void add_member(struct buf *out, const struct message *m, const char *name);

/* The word of an event's kind in JSON: "notification", "odd", … */
const char *event_kind_name(enum event_kind kind);

#endif
