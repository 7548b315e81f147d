/* SPDX-License-Identifier: MIT */
/*
 * A text that a simple pattern may fit: literals, classes, groups, choices,
 * counts. Whether it does is for the checker to say.
 */
#ifndef MCP_PATTERN_TEXT_H
#define MCP_PATTERN_TEXT_H

#include "base/buf.h"

#define PATTERN_TEXT_MAX 512 /* bytes */

/*
 * Append one; what may be repeated without end is, `repeat` times, what may be
 * left out is not, unless repeat is 0. -1: the pattern holds more than is
 * known here, or is none; something may have been appended then.
 */
int pattern_text(const char *pattern, size_t repeat, struct buf *out);

#endif
