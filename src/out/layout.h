/* SPDX-License-Identifier: MIT */
/*
 * JSON laid out for eyes: two spaces a level, a small flat object on one
 * line, coloured, safe for a terminal. Works on the received text, not on a
 * tree, so that numbers and the order of members stay as they came.
 */
#ifndef OUT_LAYOUT_H
#define OUT_LAYOUT_H

#include "base/buf.h"

/* text is valid JSON (json_check). No newline is added at the end. */
void json_layout(struct buf *out, const char *text, size_t len, bool color);

#endif
