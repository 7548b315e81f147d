/* SPDX-License-Identifier: MIT */
/*
 * Writing JSON objects member by member into a buffer. The names are ours; the
 * values may be anything, as strings or as JSON that is pasted in.
 */
#ifndef OUT_JSON_LINE_H
#define OUT_JSON_LINE_H

#include "base/json.h"

/* A comma if a member or element stands before, then "name": — for a value
   that the caller adds itself. */
void line_name(struct buf *out, const char *name);

/* NULL text, value or json becomes null. */
void line_text(struct buf *out, const char *name, const char *text);
void line_number(struct buf *out, const char *name, int64_t number);
void line_bool(struct buf *out, const char *name, bool value);
void line_tree(struct buf *out, const char *name, const cJSON *value);
/* Valid JSON text, as received; white space between its tokens goes. */
void line_json(struct buf *out, const char *name, const char *json, size_t len);

/* Milliseconds, or null below 0: "not reached". */
void line_time(struct buf *out, const char *name, int64_t ms);

#endif
