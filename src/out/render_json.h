/* SPDX-License-Identifier: MIT */
/*
 * The JSON form: a stable interface, one value a line, on stdout the results,
 * on stderr everything else. json_help documents each object; change both
 * together, and only by adding.
 */
#ifndef OUT_RENDER_JSON_H
#define OUT_RENDER_JSON_H

#include "base/buf.h"
#include "rpc/session.h"

/* The text of `help json`: paragraphs and indented examples, ends with a
   newline. */
extern const char json_help[];

/* {"trace":{…}}: a frame for -v, secrets masked; without a newline. */
void json_trace(struct buf *out, const struct trace *t);

#endif
