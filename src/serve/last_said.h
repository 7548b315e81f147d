/* SPDX-License-Identifier: MIT */
/*
 * The last frames that a board said by itself, cut, without secrets, for who
 * begins to look on (top). What all boards have of them has a bound, too.
 */
#ifndef SERVE_LAST_SAID_H
#define SERVE_LAST_SAID_H

#include "base/buf.h"

#define LAST_SAID_KEPT 8
#define LAST_SAID_BYTES 512 /* of each */
#define LAST_SAID_ALL ((size_t)4 << 20) /* bytes of all boards */

struct last_said; /* of one board; NULL: nothing */

/* all: the bytes of all, counted. At the bound older ones go, of this board. */
void last_said_add(struct last_said **said, size_t *all, const char *frame,
		   size_t len, int64_t now_ms);
/* The one back from the end (0: the last) as control object `said`; false: none. */
bool last_said_tell(const struct last_said *said, size_t back, struct buf *out);
void last_said_free(struct last_said *said, size_t *all); /* NULL is fine */

#endif
