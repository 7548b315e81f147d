/* SPDX-License-Identifier: MIT */
/*
 * Content that is no text, in words: "image/png, 1,204 bytes, 64x48".
 */
#ifndef OUT_CONTENT_H
#define OUT_CONTENT_H

#include "mcp/types.h"

/* One line, appended, made safe; for any kind but text. */
void content_describe(struct buf *out, const struct content *c);

/* Whether there are bytes that could be saved. */
bool content_has_bytes(const struct content *c);

#endif
