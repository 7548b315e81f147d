/* SPDX-License-Identifier: MIT */
/*
 * The JSON form: a stable interface, one value a line, on stdout the results,
 * on stderr everything else. json_help documents each object; change both
 * together, and only by adding.
 */
#ifndef OUT_RENDER_JSON_H
#define OUT_RENDER_JSON_H

#include "base/buf.h"
#include "out/render.h"

/* The text of `help json`: paragraphs and indented examples, ends with a
   newline. */
extern const char json_help[];
/* Its end: what tools --diff and serve print. */
extern const char json_help_serve[];

/* {"trace":{…}}: a frame for -v, secrets masked; without a newline. */
void json_trace(struct buf *out, const struct trace *t);

/* A line of ours or of the peer's on stdout; b is empty after. */
void json_put_line(struct renderer *r, struct buf *b);

/* An error as an object: {"kind", "status", "code", "message", …}. */
void json_error(struct buf *out, const struct error *e);

void json_change(struct renderer *r, const struct tool_change *c);
void json_device(struct renderer *r, const struct device_record *d);
void json_row(struct renderer *r, const struct device_record *d);
void json_record(struct renderer *r, const struct record *record);

#endif
